/**
 * Requests with which a holder of a kubeconfig keeps access after a revocation, passes it on, or gets more of it: each with the
 * one right that it needs. They are dry runs, so that each can be tried by many holders. What they are about is made by
 * prepare-target.ts. A long table, to be read by the line.
 */
import { makeCa } from "@berg/local-certificates";
import { accessNamespace } from "../../../vocabulary.ts";
import type { Rule } from "../rule.ts";

export interface Escalation {
  verb: string;
  group: string;
  resource: string;
  /** Of the role that gives the right; undefined for a clusterRole. */
  namespace: string | undefined;
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** Further rights that it takes. */
  beside?: Rule[];
  /** It opens a connection to a kubelet, and there is none: to be let through is all that can be seen. */
  connects?: true;
}

export const podReader: Rule = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

export const ruleOf = ({ group, resource, verb }: Escalation): Rule => ({
  apiGroups: [group],
  resources: [resource],
  verbs: [verb],
});

export const titleOf = ({ verb, resource, namespace }: Escalation) =>
  `${verb} ${resource} in ${namespace === undefined ? "a clusterRole" : `a role in ${namespace}`}`;

export const rbac = "rbac.authorization.k8s.io";
const rbacPath = `/apis/${rbac}/v1`;
export const everybody = [{ apiGroup: rbac, kind: "Group", name: "system:unauthenticated" }];
export const roleRef = (kind: string, name: string) => ({ apiGroup: rbac, kind, name });
export const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
const conversion = {
  conversion: {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/" } },
  },
};

const methods: Record<string, string> = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE", get: "GET" };

type Way = [
  verb: string,
  group: string,
  resource: string,
  path: string,
  body?: object | undefined,
  more?: Partial<Escalation>,
];

function escalations(namespace: string | undefined, ways: readonly Way[]): Escalation[] {
  return ways.map(([verb, group, resource, path, body, more]) => {
    const method = methods[verb] ?? "POST";
    return { verb, group, resource, namespace, method, path, ...(body && { body }), ...more };
  });
}

/** With a role in `web`, or with a clusterRole. */
function anywhere(namespace: string | undefined): Escalation[] {
  const web = "/namespaces/web";
  const bindings = `${rbacPath}${web}/rolebindings`;
  const roles = `${rbacPath}${web}/roles`;
  const beside = [podReader];
  return escalations(namespace, [
    [
      "create",
      rbac,
      "rolebindings",
      bindings,
      { ...named("mine"), roleRef: roleRef("ClusterRole", "pod-reader"), subjects: everybody },
      { beside },
    ],
    ["patch", rbac, "rolebindings", `${bindings}/readers`, { subjects: everybody }, { beside }],
    ["delete", rbac, "rolebindings", `${bindings}/readers`],
    ["deletecollection", rbac, "rolebindings", bindings, undefined, { method: "DELETE" }],
    ["create", rbac, "roles", roles, { ...named("bound-already"), rules: [podReader] }, { beside }],
    ["patch", rbac, "roles", `${roles}/public`, { rules: [podReader] }, { beside }],
    ["delete", rbac, "roles", `${roles}/public`],
    ["deletecollection", rbac, "roles", roles, undefined, { method: "DELETE" }],
    [
      "escalate",
      rbac,
      "roles",
      `${roles}/public`,
      { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] },
      { method: "PATCH", beside: [{ apiGroups: [rbac], resources: ["roles"], verbs: ["patch"] }] },
    ],
    [
      "bind",
      rbac,
      "clusterroles",
      bindings,
      { ...named("mine"), roleRef: roleRef("ClusterRole", "cluster-admin"), subjects: everybody },
      { beside: [{ apiGroups: [rbac], resources: ["rolebindings"], verbs: ["create"] }] },
    ],
    [
      "impersonate",
      "",
      "serviceaccounts",
      `/api/v1${web}/pods`,
      undefined,
      { method: "GET", headers: { "impersonate-user": "system:serviceaccount:web:agent" } },
    ],
    [
      "create",
      "",
      "serviceaccounts/token",
      `/api/v1${web}/serviceaccounts/agent/token`,
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [], expirationSeconds: 600 } },
    ],
    [
      "patch",
      "",
      "namespaces",
      "/api/v1/namespaces/web",
      { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } },
    ],
    [
      "patch",
      "",
      "namespaces/status",
      "/api/v1/namespaces/web/status",
      { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } },
    ],
    [
      "update",
      "",
      "namespaces/finalize",
      "/api/v1/namespaces/web/finalize",
      {
        apiVersion: "v1",
        kind: "Namespace",
        ...named("web", {
          labels: { "kubernetes.io/metadata.name": "web", "pod-security.kubernetes.io/enforce": "privileged" },
        }),
        spec: { finalizers: ["kubernetes"] },
      },
    ],
  ]);
}

/** In a namespace of the system: with a role in it, or with a clusterRole. */
function inSystem(namespace: string | undefined): Escalation[] {
  const core = "/api/v1/namespaces/kube-system";
  const template = {
    spec: { serviceAccountName: "controller", containers: [{ name: "a", image: "a" }], restartPolicy: "Never" },
  };
  const selector = { matchLabels: { app: "a" } };
  const metadata = { labels: { app: "a" } };
  const always = { metadata, spec: { ...template.spec, restartPolicy: "Always" } };
  const appsPath = "/apis/apps/v1/namespaces/kube-system";
  const batchPath = "/apis/batch/v1/namespaces/kube-system";
  const workloads: Way[] = [
    [
      "create",
      "apps",
      "deployments",
      `${appsPath}/deployments`,
      { ...named("mine"), spec: { selector, template: always } },
    ],
    [
      "create",
      "apps",
      "daemonsets",
      `${appsPath}/daemonsets`,
      { ...named("mine"), spec: { selector, template: always } },
    ],
    [
      "create",
      "apps",
      "statefulsets",
      `${appsPath}/statefulsets`,
      { ...named("mine"), spec: { serviceName: "a", selector, template: always } },
    ],
    [
      "create",
      "apps",
      "replicasets",
      `${appsPath}/replicasets`,
      { ...named("mine"), spec: { selector, template: always } },
    ],
    ["create", "batch", "jobs", `${batchPath}/jobs`, { ...named("mine"), spec: { template } }],
    [
      "create",
      "batch",
      "cronjobs",
      `${batchPath}/cronjobs`,
      { ...named("mine"), spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } },
    ],
    [
      "create",
      "",
      "replicationcontrollers",
      `${core}/replicationcontrollers`,
      { ...named("mine"), spec: { selector: { app: "a" }, template: always } },
    ],
  ];
  return escalations(namespace, [
    [
      "create",
      "",
      "secrets",
      `${core}/secrets`,
      {
        ...named("mine", { annotations: { "kubernetes.io/service-account.name": "controller" } }),
        type: "kubernetes.io/service-account-token",
      },
    ],
    [
      "patch",
      "",
      "secrets",
      `${core}/secrets/controller-token`,
      { metadata: { annotations: { "kubernetes.io/service-account.name": "other" } } },
    ],
    ["create", "", "pods", `${core}/pods`, { ...named("mine"), ...template }],
    [
      "patch",
      "",
      "pods",
      `${core}/pods/running`,
      { spec: { containers: [{ name: "a", image: "mine" }] } },
      { headers: { "content-type": "application/strategic-merge-patch+json" } },
    ],
    ...workloads,
    ["get", "", "pods/exec", `${core}/pods/running/exec?command=id&stdout=true`, undefined, { connects: true }],
    ["create", "", "pods/exec", `${core}/pods/running/exec?command=id&stdout=true`, undefined, { connects: true }],
    ["get", "", "pods/attach", `${core}/pods/running/attach?stdout=true`, undefined, { connects: true }],
    [
      "patch",
      "",
      "pods/ephemeralcontainers",
      `${core}/pods/running/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: "mine", image: "mine" }] } },
      { headers: { "content-type": "application/strategic-merge-patch+json" } },
    ],
    ["create", "", "configmaps", `${core}/configmaps`, named("mine")],
    ["patch", "", "configmaps", `${core}/configmaps/coredns`, { data: { Corefile: "mine" } }],
  ]);
}

/** With a clusterRole only: the objects are in no namespace, or in all of them. */
function everywhere(): Escalation[] {
  const admission = "admissionregistration.k8s.io";
  const csr = "certificates.k8s.io";
  const clusterRoles = `${rbacPath}/clusterroles`;
  const clusterBindings = `${rbacPath}/clusterrolebindings`;
  const csrPath = `/apis/${csr}/v1/certificatesigningrequests/pending`;
  const beside = [podReader];
  const webhook = {
    name: "mine.example.com",
    clientConfig: { url: "https://127.0.0.1:1/" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const approve: Rule = { apiGroups: [csr], resources: ["signers"], verbs: ["approve"] };
  const sign: Rule = { apiGroups: [csr], resources: ["signers"], verbs: ["sign"] };
  const approval: Rule = { apiGroups: [csr], resources: ["certificatesigningrequests/approval"], verbs: ["patch"] };
  const status: Rule = { apiGroups: [csr], resources: ["certificatesigningrequests/status"], verbs: ["patch"] };
  const approved = { status: { conditions: [{ type: "Approved", status: "True", reason: "Mine" }] } };
  const certificate = { status: { certificate: Buffer.from(makeCa("mine", 0, 4e12).certificate).toString("base64") } };
  const policySpec = {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    },
  };
  const mutations = [
    {
      patchType: "JSONPatch",
      jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]" },
    },
  ];
  const at = (resource: string) => `/apis/${admission}/v1/${resource}`;
  return escalations(undefined, [
    [
      "create",
      rbac,
      "clusterrolebindings",
      clusterBindings,
      { ...named("mine"), roleRef: roleRef("ClusterRole", "pod-reader"), subjects: everybody },
      { beside },
    ],
    ["patch", rbac, "clusterrolebindings", `${clusterBindings}/readers`, { subjects: everybody }, { beside }],
    ["delete", rbac, "clusterrolebindings", `${clusterBindings}/readers`],
    [
      "create",
      rbac,
      "clusterroles",
      clusterRoles,
      { ...named("mine", { labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } }), rules: [podReader] },
      { beside },
    ],
    ["patch", rbac, "clusterroles", `${clusterRoles}/public`, { rules: [podReader] }, { beside }],
    ["delete", rbac, "clusterroles", `${clusterRoles}/public`],
    [
      "impersonate",
      "",
      "users",
      "/api/v1/nodes",
      undefined,
      { method: "GET", headers: { "impersonate-user": "system:kube-controller-manager" } },
    ],
    ["delete", "", "secrets", `/api/v1/namespaces/${accessNamespace}/secrets/anchor`],
    [
      "deletecollection",
      "",
      "secrets",
      `/api/v1/namespaces/${accessNamespace}/secrets`,
      undefined,
      { method: "DELETE" },
    ],
    ["delete", "", "serviceaccounts", `/api/v1/namespaces/${accessNamespace}/serviceaccounts/account`],
    [
      "get",
      "",
      "nodes/proxy",
      "/api/v1/nodes/node/proxy/exec/kube-system/running/a?command=id",
      undefined,
      { connects: true },
    ],
    ["delete", "", "namespaces", "/api/v1/namespaces/other"],
    [
      "create",
      "",
      "persistentvolumes",
      "/api/v1/persistentvolumes",
      {
        ...named("mine"),
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "mine",
          hostPath: { path: "/" },
        },
      },
    ],
    ["patch", csr, "certificatesigningrequests/approval", `${csrPath}/approval`, approved, { beside: [approve] }],
    ["approve", csr, "signers", `${csrPath}/approval`, approved, { method: "PATCH", beside: [approval] }],
    ["patch", csr, "certificatesigningrequests/status", `${csrPath}/status`, certificate, { beside: [sign] }],
    ["sign", csr, "signers", `${csrPath}/status`, certificate, { method: "PATCH", beside: [status] }],
    [
      "create",
      admission,
      "mutatingwebhookconfigurations",
      at("mutatingwebhookconfigurations"),
      { ...named("mine"), webhooks: [webhook] },
    ],
    [
      "create",
      admission,
      "validatingwebhookconfigurations",
      at("validatingwebhookconfigurations"),
      { ...named("mine"), webhooks: [webhook] },
    ],
    [
      "create",
      admission,
      "validatingadmissionpolicies",
      at("validatingadmissionpolicies"),
      { ...named("mine"), spec: { ...policySpec, validations: [{ expression: "false" }] } },
    ],
    [
      "create",
      admission,
      "validatingadmissionpolicybindings",
      at("validatingadmissionpolicybindings"),
      { ...named("mine"), spec: { policyName: "policy", validationActions: ["Deny"] } },
    ],
    [
      "create",
      admission,
      "mutatingadmissionpolicies",
      at("mutatingadmissionpolicies"),
      { ...named("mine"), spec: { ...policySpec, reinvocationPolicy: "Never", mutations } },
    ],
    [
      "create",
      admission,
      "mutatingadmissionpolicybindings",
      at("mutatingadmissionpolicybindings"),
      { ...named("mine"), spec: { policyName: "policy" } },
    ],
    ["delete", admission, "validatingadmissionpolicybindings", at("validatingadmissionpolicybindings/policy")],
    [
      "create",
      "apiextensions.k8s.io",
      "customresourcedefinitions",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      crd("mine"),
    ],
    [
      "patch",
      "apiextensions.k8s.io",
      "customresourcedefinitions",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com",
      { spec: conversion },
    ],
    [
      "delete",
      "apiextensions.k8s.io",
      "customresourcedefinitions",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com",
    ],
    [
      "create",
      "apiregistration.k8s.io",
      "apiservices",
      "/apis/apiregistration.k8s.io/v1/apiservices",
      {
        ...named("v9.example.com"),
        spec: {
          group: "example.com",
          version: "v9",
          groupPriorityMinimum: 1000,
          versionPriority: 1,
          insecureSkipTLSVerify: true,
          service: { name: "mine", namespace: "web" },
        },
      },
    ],
  ]);
}

export const allEscalations: readonly Escalation[] = [
  ...anywhere("web"),
  ...anywhere(undefined),
  ...inSystem("kube-system"),
  ...inSystem(undefined),
  ...everywhere(),
];

export function crd(plural: string): object {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    ...named(`${plural}.example.com`),
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, singular: plural, kind: `Kind${plural}`, listKind: `Kind${plural}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
