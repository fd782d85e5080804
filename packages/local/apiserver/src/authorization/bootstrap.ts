/** The roles that every cluster has, and who has them from the start. What somebody has changed since is left alone. */
import type { KubeObject } from "@berg/apimachinery";
import { authenticatedGroup, mastersGroup } from "../authentication/user.ts";
import type { PolicyRule } from "./rules.ts";

const group = "rbac.authorization.k8s.io";
const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];

/** What people work with in their own namespace; secrets and whatever lets one become somebody else are apart. */
const ownKinds: Pick<PolicyRule, "apiGroups" | "resources">[] = [
  {
    apiGroups: [""],
    resources: ["configmaps", "endpoints", "persistentvolumeclaims", "pods", "serviceaccounts", "services"],
  },
  {
    apiGroups: ["apps"],
    resources: ["controllerrevisions", "deployments", "deployments/scale", "replicasets", "replicasets/scale"],
  },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"] },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "networkpolicies"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"] },
];
const onlyRead: PolicyRule = {
  verbs: read,
  apiGroups: [""],
  resources: [
    "bindings",
    "events",
    "limitranges",
    "namespaces",
    "namespaces/status",
    "pods/log",
    "pods/status",
    "resourcequotas",
    "resourcequotas/status",
    "services/status",
  ],
};

/** What each adds to the one before it: others add theirs by a role with the label `…/aggregate-to-view: "true"`. */
const added: Record<"view" | "edit" | "admin", PolicyRule[]> = {
  view: [...ownKinds.map((kinds) => ({ verbs: read, ...kinds })), onlyRead],
  edit: [
    ...ownKinds.map((kinds) => ({ verbs: write, ...kinds })),
    { verbs: [...read, ...write], apiGroups: [""], resources: ["secrets"] },
    { verbs: ["get", "create"], apiGroups: [""], resources: ["pods/attach", "pods/exec", "pods/portforward"] },
    { verbs: ["create"], apiGroups: [""], resources: ["pods/eviction", "serviceaccounts/token"] },
    { verbs: ["impersonate"], apiGroups: [""], resources: ["serviceaccounts"] },
    { verbs: [...read, ...write], apiGroups: ["coordination.k8s.io"], resources: ["leases"] },
  ],
  admin: [
    { verbs: [...read, ...write], apiGroups: [group], resources: ["rolebindings", "roles"] },
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"] },
  ],
};
const { view } = added;
// In the order in which they are gathered: by the names of the roles that they come from.
const edit = [...added.edit, ...view];
const admin = [...edit, ...added.admin];

const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

const clusterRoles: Record<string, PolicyRule[]> = {
  "cluster-admin": [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  "system:basic-user": [
    {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ],
  "system:discovery": [
    {
      verbs: ["get"],
      nonResourceURLs: ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...health],
    },
  ],
  "system:public-info-viewer": [{ verbs: ["get"], nonResourceURLs: health }],
};

const to = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: "true" });
const gathering = (role: string) => ({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: to(role) }] } });

/** Those that grow with what is installed. */
const gathered: { name: string; rules: PolicyRule[]; labels?: Record<string, string>; more?: object }[] = [
  { name: "admin", rules: admin, more: gathering("admin") },
  { name: "edit", rules: edit, labels: to("admin"), more: gathering("edit") },
  { name: "view", rules: view, labels: to("edit"), more: gathering("view") },
  ...Object.entries(added).map(([role, rules]) => ({ name: `system:aggregate-to-${role}`, rules, labels: to(role) })),
];

const everybody = [authenticatedGroup];
const bindings: Record<string, string[]> = {
  "cluster-admin": [mastersGroup],
  "system:basic-user": everybody,
  "system:discovery": everybody,
  "system:public-info-viewer": [...everybody, "system:unauthenticated"],
};

/** To be created where they are not there. */
export function bootstrapRbac(): KubeObject[] {
  const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };
  const made = (kind: string, name: string, more: object, own: object = {}) =>
    ({
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name, labels: { ...labels, ...own }, annotations },
      ...more,
    }) as KubeObject;
  return [
    ...Object.entries(clusterRoles).map(([name, rules]) => made("ClusterRole", name, { rules })),
    ...gathered.map(({ name, rules, labels: own, more }) => made("ClusterRole", name, { rules, ...more }, own)),
    ...Object.entries(bindings).map(([name, groups]) =>
      made("ClusterRoleBinding", name, {
        subjects: groups.map((one) => ({ kind: "Group", name: one, apiGroup: group })),
        roleRef: { kind: "ClusterRole", name, apiGroup: group },
      }),
    ),
  ];
}
