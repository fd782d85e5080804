/**
 * Rights by which one can have more than they say. RBAC gives them away like any others: it only keeps those who write roles
 * from giving what they have not.
 */
import { accessNamespace, systemNamespaces } from "../../vocabulary.ts";

export interface Right {
  groups: readonly string[];
  resources: readonly string[];
  /** Any of them is enough. */
  verbs: readonly string[];
}

export interface Power extends Right {
  /** What a rule with it does, and what comes of it. */
  why: string;
}

const making = ["create", "update", "patch"];
const removing = ["delete", "deletecollection"];

/** In whichever namespace. */
export const powersAnywhere: readonly Power[] = [
  {
    groups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
    why: "allows escalate or bind on roles",
  },
  {
    groups: ["", "authentication.k8s.io"],
    resources: ["users", "groups", "serviceaccounts", "uids", "userextras", "nodes"],
    verbs: ["impersonate"],
    why: "allows to impersonate others",
  },
  { groups: [""], resources: ["serviceaccounts/token"], verbs: ["create"], why: "allows to make tokens of others" },
];

/** Not less with certain names only: who applies may make what has such a name, and is not there yet. */
export const makingSecrets: Right = { groups: [""], resources: ["secrets"], verbs: making };

export const readingSecrets: Right = { groups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] };

/** Among them `extension-apiserver-authentication`, CoreDNS' own, and on EKS `aws-auth`. */
const makingSettings: Right = { groups: [""], resources: ["configmaps"], verbs: making };
const whatSettingsDecide = "it is decided who is whom, and where names lead";

/** Three ways to be any service account of a namespace. */
function powersOverAccounts(where: string): Power[] {
  return [
    {
      ...makingSecrets,
      why: `allows to write Secrets ${where}: one of type kubernetes.io/service-account-token becomes a token of any service account beside it`,
    },
    {
      groups: ["", "apps", "batch"],
      resources: [
        ...["pods", "replicationcontrollers", "deployments", "daemonsets", "statefulsets", "replicasets"],
        ...["jobs", "cronjobs"],
      ],
      verbs: making,
      why: `allows to write pods ${where}, or what makes pods (deployments, jobs and the like): a pod runs as any service account beside it`,
    },
    {
      groups: [""],
      resources: ["pods/exec", "pods/attach", "pods/ephemeralcontainers"],
      // A WebSocket is opened by a get.
      verbs: ["get", ...making],
      why: `allows to enter pods ${where} (exec, attach, ephemeralcontainers): they hold tokens of their service accounts`,
    },
  ];
}

/** In a clusterRole. */
export const powersEverywhere: readonly Power[] = [
  ...powersOverAccounts(`in every namespace, also in kube-system and ${accessNamespace}`),
  {
    groups: [""],
    resources: ["secrets"],
    verbs: removing,
    why: `allows to delete Secrets in every namespace: with those in ${accessNamespace} the access of others ends`,
  },
  {
    groups: ["", "rbac.authorization.k8s.io"],
    resources: ["serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: removing,
    why: `allows to delete service accounts, roles or bindings in every namespace: with those in ${accessNamespace} the access of others ends`,
  },
  {
    ...makingSettings,
    why: `allows to write ConfigMaps in every namespace: by some in kube-system ${whatSettingsDecide}`,
  },
  {
    groups: [""],
    resources: ["nodes/proxy"],
    // Even a get runs commands: see exec above.
    verbs: ["get", ...making, ...removing],
    why: "allows nodes/proxy, which runs commands in every pod of a node",
  },
  {
    groups: [""],
    resources: ["namespaces"],
    verbs: removing,
    why: "allows to delete namespaces, with whatever others have in them",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/approval"],
    verbs: ["update", "patch"],
    why: "allows certificatesigningrequests/approval: a certificate that is approved makes its holder any user",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/nodeclient", "certificatesigningrequests/selfnodeclient"],
    verbs: ["create"],
    why: "allows certificatesigningrequests/nodeclient: Kubernetes approves by itself what makes its holder any node",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["signers"],
    verbs: ["approve", "sign"],
    why: "allows to approve or sign for signers: a certificate that is signed makes its holder any user",
  },
  {
    groups: ["admissionregistration.k8s.io"],
    resources: [
      ...["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      ...["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"],
      ...["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    ],
    verbs: [...making, ...removing],
    why: "allows to write webhook configurations or admission policies, which see and change what others write",
  },
  {
    groups: ["apiregistration.k8s.io"],
    resources: ["apiservices"],
    verbs: [...making, ...removing],
    why: "allows to write apiservices: requests of others, with their tokens, go where these say",
  },
];

/** In a role of this namespace. In one that is not the system's, its accounts are what was asked for. */
export function powersIn(namespace: string): readonly Power[] {
  if (!systemNamespaces.includes(namespace)) return [];
  const accounts = powersOverAccounts(`in ${namespace}, a namespace of the system`);
  // Accounts of anybody may be there, but no settings of the system.
  if (namespace === "default") return accounts;
  const why = `allows to write ConfigMaps in ${namespace}: by some of the system ${whatSettingsDecide}`;
  return [...accounts, { ...makingSettings, why }];
}
