/** What the CRD of KubeconfigRequest accepts and refuses, one case a constraint. */
import { type Case, type Fields, repeated } from "./case.ts";

/** As the seed has it, word for word. */
const proposal = {
  cluster: "example-cluster",
  clusterRole: {
    rules: [
      {
        apiGroups: ["application-connector.kyma-project.io/v1alpha1"],
        resources: ["Application"],
        verbs: ["create", "get", "watch", "update", "delete"],
      },
    ],
  },
  role: {
    namespace: "compass-system",
    rules: [{ apiGroups: ["*"], resources: ["Secret"], verbs: ["create", "get", "update", "delete"] }],
  },
  expiration: 3600,
};

const { cluster: _, ...withoutCluster } = proposal;
const elsewhere = { ...withoutCluster, clusterRef: { name: "finals", namespace: "cluster-operator" } };

export const fullKubeconfigSpec = {
  ...proposal,
  clusterRole: {
    rules: [
      { apiGroups: [""], resources: ["pods/log"], resourceNames: ["web"], verbs: ["get"] },
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ],
  },
  output: "Status",
  audiences: ["https://kubernetes.default.svc"],
};

export const fullKubeconfigStatus = {
  observedGeneration: 1,
  phase: "Issued",
  kubeconfig: "LS0tLS1...",
  secretRef: { name: "example-cluster.compass-operator", key: "kubeconfig" },
  expirationTimestamp: "2022-08-23T07:05:21Z",
  issuedAt: "2022-08-23T06:05:21Z",
  epoch: 7,
  serviceAccount: "kyma-kubeconfig-access/kc-0123456789abcdef",
  serviceAccountUid: "5f0c",
  credentialHash: "0123456789abcdef",
  server: "https://api.example.com",
  certificateAuthorityHash: "0123456789abcdef",
  lastRotationRequest: "7",
  lastRotationEnded: "7",
  conditions: [{ type: "Issued", status: "True", reason: "Issued", message: "" }],
};

const spec = (fields: Fields): Fields => ({ ...proposal, ...fields });
const rule = (fields: Fields): Fields => spec({ role: { namespace: "a", rules: [{ verbs: ["get"], ...fields }] } });

const specs: [string, Fields, string[]?][] = [
  ["everything it can hold", fullKubeconfigSpec],
  ["a Cluster in another namespace", elsewhere],
  ["no Cluster", withoutCluster, ["spec"]],
  ["two Clusters", { ...elsewhere, cluster: "a" }, ["spec"]],
  ["an empty Cluster", spec({ cluster: "" }), ["spec.cluster"]],
  ["a Cluster with its namespace before it", spec({ cluster: "other/finals" }), ["spec.cluster"]],
  ["a reference without a namespace", { ...elsewhere, clusterRef: { name: "a" } }, ["spec.clusterRef.namespace"]],
  ["only a cluster role", spec({ role: undefined })],
  ["only a role", spec({ clusterRole: undefined })],
  ["neither", { cluster: "a" }, ["spec"]],
  ["a cluster role without rules", spec({ clusterRole: {} }), ["spec.clusterRole.rules"]],
  ["a role without a namespace", spec({ role: { rules: [] } }), ["spec.role.namespace"]],
  ["a role in two namespaces", spec({ role: { namespace: "a,b", rules: [] } }), ["spec.role.namespace"]],
  ["a rule without verbs", rule({ verbs: undefined }), ["spec.role.rules[0].verbs"]],
  ["an empty verb", rule({ verbs: [""] }), ["spec.role.rules[0].verbs[0]"]],
  ["paths in a namespace", rule({ nonResourceURLs: ["/"] }), ["spec.role.rules[0].nonResourceURLs"]],
  ["64 rules", spec({ clusterRole: { rules: repeated(64, () => ({ verbs: ["get"] })) } })],
  ["65 rules", spec({ clusterRole: { rules: repeated(65, () => ({ verbs: ["get"] })) } }), ["spec.clusterRole.rules"]],
  ["ten minutes", spec({ expiration: 600 })],
  ["less than ten minutes", spec({ expiration: 599 }), ["spec.expiration"]],
  ["a day", spec({ expiration: 86_400 })],
  ["more than a day", spec({ expiration: 86_401 }), ["spec.expiration"]],
  ["text for a time", spec({ expiration: "1h" }), ["spec.expiration"]],
  ["another output", spec({ output: "ConfigMap" }), ["spec.output"]],
  ["a field that does not exist", spec({ rotate: true }), ["spec.rotate"]],
];

const changes: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullKubeconfigSpec, fullKubeconfigSpec],
  ["other rules, another time and output", proposal, { ...fullKubeconfigSpec, expiration: 700 }],
  ["another Cluster", proposal, spec({ cluster: "b" }), ["spec.cluster"]],
  ["a Cluster elsewhere", proposal, elsewhere, ["spec.cluster"]],
  [
    "another Cluster elsewhere",
    elsewhere,
    { ...elsewhere, clusterRef: { name: "finals", namespace: "other" } },
    ["spec.clusterRef"],
  ],
];

const statuses: [string, Fields, string[]?][] = [
  ["everything it can hold", fullKubeconfigStatus],
  ["what the seed has", { expirationTimestamp: "2022-08-23T07:05:21Z", kubeconfig: "LS0tLS1..." }],
  ["another phase", { phase: "Ready" }, ["status.phase"]],
  ["an epoch before the first", { epoch: -1 }, ["status.epoch"]],
  ["a Secret without a key", { secretRef: { name: "a" } }, ["status.secretRef.key"]],
];

const kind = "KubeconfigRequest";

export const kubeconfigRequestCases: Case[] = [
  {
    name: "the seed's example",
    kind,
    write: { spec: proposal },
    wantStored: { spec: { ...proposal, output: "Secret" } },
  },
  {
    name: "an hour, unless said otherwise",
    kind,
    write: { spec: spec({ expiration: undefined }) },
    wantStored: { spec: { expiration: 3600 } },
  },
  ...specs.map(([name, spec, wantRefused = []]): Case => ({ name, kind, write: { spec }, wantRefused })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
  ...changes.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind,
      before: { spec: before },
      write: { spec },
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, status, wantRefused = []]): Case => ({
      name: `a status: ${name}`,
      kind,
      before: { spec: proposal },
      write: { spec: proposal, status },
      wantRefused,
    }),
  ),
];
