/**
 * Rights with which a holder can keep access after a revocation, pass it on to others, or get more than the rules say. RBAC
 * grants them like any others: it only prevents that somebody grants rights which they do not have.
 *
 * The line: a rule is refused if the API server would let its holder grant rights, act as another identity, or run code with
 * the rights of others outside of the namespace that was asked for. escalation.real.test.ts tries each refused and each
 * granted kind of rule on a real API server.
 */
import { accessNamespace, systemNamespaces } from "../../vocabulary.ts";

export interface Right {
  groups: readonly string[];
  /** Plurals. */
  resources: readonly string[];
  /** Any of them is enough. */
  verbs: readonly string[];
}

export interface Power extends Right {
  /** What a holder can do with it: the end of a sentence that begins with the rule. */
  why: string;
}

const writing = ["create", "update", "patch"];
const deleting = ["delete", "deletecollection"];
const rbac = ["rbac.authorization.k8s.io"];

/** Refused in a clusterRole and in a role of any namespace. */
export const powersAnywhere: readonly Power[] = [
  {
    groups: rbac,
    resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
    verbs: [...writing, "escalate", "bind"],
    why: "grants the same rights to others, such as system:unauthenticated, who keep them after a revocation",
  },
  {
    groups: rbac,
    resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
    verbs: deleting,
    why: "ends the access of others",
  },
  {
    groups: [""],
    resources: ["users", "groups", "serviceaccounts"],
    verbs: ["impersonate"],
    why: "acts as other users",
  },
  {
    groups: ["authentication.k8s.io"],
    resources: ["users", "groups", "serviceaccounts", "uids", "userextras", "nodes"],
    verbs: ["impersonate"],
    why: "acts as other users",
  },
  {
    groups: [""],
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    why: "makes tokens of other accounts, which are good after a revocation",
  },
  {
    groups: [""],
    // A role can name the Namespace that it is in. The subresources change its labels as well.
    resources: ["namespaces", "namespaces/status", "namespaces/finalize"],
    verbs: ["update", "patch"],
    why: "changes the labels that limit what pods may do (Pod Security) and which policies apply",
  },
];

export const writingSecrets: Right = { groups: [""], resources: ["secrets"], verbs: writing };

export const readingSecrets: Right = { groups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] };

/** A pod runs as any service account of its namespace. */
export const writingPods: Right = {
  groups: ["", "apps", "batch"],
  resources: [
    ...["pods", "replicationcontrollers", "deployments", "daemonsets", "statefulsets", "replicasets"],
    ...["jobs", "cronjobs"],
  ],
  verbs: writing,
};

/** In a pod is the token of its service account. */
export const enteringPods: Right = {
  groups: [""],
  resources: ["pods/exec", "pods/attach", "pods/ephemeralcontainers"],
  // A WebSocket is opened with a get.
  verbs: ["get", ...writing],
};

/** Among them are extension-apiserver-authentication, the configuration of CoreDNS, and aws-auth on EKS. */
const writingConfigMaps: Right = { groups: [""], resources: ["configmaps"], verbs: writing };

function powersOverAccounts(where: string): Power[] {
  return [
    {
      ...writingSecrets,
      why: `makes tokens of the service accounts ${where} (a Secret of type kubernetes.io/service-account-token)`,
    },
    { ...writingPods, why: `runs code as the service accounts ${where}` },
    { ...enteringPods, why: `runs code in the pods ${where}, which hold tokens of their service accounts` },
  ];
}

/** Refused in a clusterRole, beside powersAnywhere. */
export const powersEverywhere: readonly Power[] = [
  ...powersOverAccounts(`of every namespace, also of kube-system and ${accessNamespace}`),
  {
    groups: [""],
    resources: ["secrets", "serviceaccounts"],
    verbs: deleting,
    why: `ends the access of others, whose accounts are in ${accessNamespace}`,
  },
  { ...writingConfigMaps, why: "changes settings of the system in kube-system, among them who is trusted" },
  {
    groups: [""],
    resources: ["nodes/proxy"],
    // Even a get runs commands, as with pods/exec.
    verbs: ["get", ...writing, ...deleting],
    why: "runs code in every pod of a node",
  },
  {
    groups: [""],
    resources: ["namespaces"],
    verbs: deleting,
    why: "deletes everything that others have in a namespace",
  },
  {
    groups: [""],
    resources: ["persistentvolumes"],
    verbs: writing,
    why: "gives pods the file system of their node (hostPath), which Pod Security does not see",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    verbs: ["update", "patch"],
    why: "approves or issues certificates, which make their holder any user and cannot be revoked",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/nodeclient", "certificatesigningrequests/selfnodeclient"],
    verbs: ["create"],
    why: "gets certificates of nodes, which Kubernetes approves by itself and which cannot be revoked",
  },
  {
    groups: ["certificates.k8s.io"],
    resources: ["signers"],
    verbs: ["approve", "sign"],
    why: "approves or signs certificates, which make their holder any user and cannot be revoked",
  },
  {
    groups: ["admissionregistration.k8s.io"],
    resources: [
      ...["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      ...["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"],
      ...["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    ],
    verbs: [...writing, ...deleting],
    why: "sees, changes or refuses what others write, also after a revocation",
  },
  {
    groups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    verbs: [...writing, ...deleting],
    why: "sees and changes objects of others by a conversion webhook, also after a revocation, or deletes all of a kind",
  },
  {
    groups: ["apiregistration.k8s.io"],
    resources: ["apiservices"],
    verbs: [...writing, ...deleting],
    why: "sends requests of others to a server of the holder's choice, also after a revocation",
  },
];

/**
 * Refused in a role of this namespace, beside powersAnywhere. In a namespace that does not belong to the system, what its
 * service accounts can do is part of what was asked for.
 */
export function powersIn(namespace: string): readonly Power[] {
  if (!systemNamespaces.includes(namespace)) return [];
  const accounts = powersOverAccounts(`of ${namespace}, a namespace of the system`);
  // Anybody's accounts may be in it, but no settings of the system.
  if (namespace === "default") return accounts;
  return [...accounts, { ...writingConfigMaps, why: `changes settings of the system in ${namespace}` }];
}
