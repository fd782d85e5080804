/**
 * Requests, in order, whose answers must be the same from any API server: what was asked of a real one while the verbs
 * were written. Paths are below the namespace `script` unless they start with a slash.
 */
export interface Ask {
  method: string;
  path: string;
  body?: unknown;
  type?: string;
}

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

const get = (path: string): Ask => ({ method: "GET", path });
const post = (path: string, body: unknown): Ask => ({ method: "POST", path, body });
const put = (path: string, body: unknown): Ask => ({ method: "PUT", path, body });
const patch = (path: string, body: unknown, type = merge): Ask => ({ method: "PATCH", path, body, type });
const remove = (path: string, body?: unknown): Ask => ({ method: "DELETE", path, ...(body !== undefined && { body }) });
const watch = (path: string): Ask => get(`${path}${path.includes("?") ? "&" : "?"}watch=1&timeoutSeconds=1`);
const token = (fields: object) =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: -1, start: "a\0", ...fields })).toString("base64url");

const cm = "configmaps";
const foo = (name: string, more: object = {}) => ({ apiVersion: "x.io/v1", kind: "Foo", metadata: { name }, ...more });
const foos = "/apis/x.io/v1/namespaces/script/foos";
const deployments = "/apis/apps/v1/namespaces/script/deployments";
const configMap = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", ...more });
const template = { metadata: { labels: { x: "y" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { replicas: 0, selector: { matchLabels: { x: "y" } }, template },
  ...more,
});
const pod = (name: string, more: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }], ...more },
});

const creates: Ask[] = [
  post(cm, { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } }),
  post(cm, { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "a" } }),
  post(cm, { kind: "Foo", apiVersion: "apps/v1", metadata: { name: "a" } }),
  post(cm, { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "a" } }),
  post(cm, { metadata: { name: "a" } }),
  post(cm, { kind: "ConfigMap", metadata: { name: "a1" } }),
  post(cm, []),
  post(cm, "x"),
  post(cm, null),
  post(cm, { kind: 5, apiVersion: "v1", metadata: { name: "a" } }),
  post(cm, configMap()),
  post(cm, { metadata: { name: "a", namespace: "other" } }),
  post(cm, { metadata: { name: "a3", resourceVersion: "5" } }),
  post(cm, {
    metadata: {
      name: "a4",
      uid: "5",
      generation: 7,
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 3,
      selfLink: "x",
    },
  }),
  post(cm, { metadata: { name: "a4" } }),
  post(cm, { metadata: { name: "Q_" } }),
  post("/api/v1/namespaces/nope/configmaps", { metadata: { name: "a4" } }),
  post("/api/v1/configmaps", { metadata: { name: "a4" } }),
  post("/api/v1/namespaces", { metadata: { name: "nn", namespace: "zz" } }),
  post(`${cm}?fieldValidation=Strict`, { metadata: { name: "a7", foo: 1 }, bar: 2 }),
  post(cm, { metadata: { name: "a8", foo: 1 }, bar: 2, data: { a: "2" } }),
  post(`${cm}?dryRun=All`, { metadata: { name: "a9" } }),
  post(`${cm}?dryRun=All`, { metadata: { name: "a8" } }),
  post(cm, {
    metadata: {
      name: "owned",
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" },
        { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" },
      ],
    },
  }),
  get(`${cm}/nope`),
  get(`${cm}/a4?resourceVersion=0`),
  get(`${cm}/a?resourceVersion=abc`),
];

const updates: Ask[] = [
  put(`${cm}/a`, { metadata: { name: "b" } }),
  put(`${cm}/a`, { metadata: { name: "a", namespace: "x" } }),
  put(`${cm}/a`, { metadata: {} }),
  put(`${cm}/a`, { metadata: { name: "a", resourceVersion: "3" } }),
  put(`${cm}/a`, { metadata: { name: "a", resourceVersion: "abc" } }),
  put(`${cm}/a`, { metadata: { name: "a", resourceVersion: "0" } }),
  put(`${cm}/a`, { metadata: { name: "a", uid: "x" } }),
  put(`${cm}/nope`, { metadata: { name: "nope", uid: "x" } }),
  put(`${cm}/nope`, { metadata: { name: "nope" } }),
  put(`${cm}/a`, { metadata: { name: "a" } }),
  put(`${cm}/a`, {
    metadata: {
      name: "a",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 4,
      labels: { z: "y" },
    },
  }),
  put(`${cm}/a?dryRun=All`, { metadata: { name: "a", labels: { q: "r" } } }),
  put(`${cm}/a8`, { metadata: { name: "a8", labels: { q: "r" } }, data: { b: "3" } }),
  get(`${cm}/a`),
  put("/apis/coordination.k8s.io/v1/namespaces/script/leases/l", { metadata: { name: "l", uid: "x" } }),
  put("/apis/coordination.k8s.io/v1/namespaces/script/leases/l", { metadata: { name: "l", resourceVersion: "7" } }),
  put("/apis/coordination.k8s.io/v1/namespaces/script/leases/l", {
    metadata: { name: "l" },
    spec: { holderIdentity: "m" },
  }),
];

const patches: Ask[] = [
  patch(`${cm}/a`, { metadata: { labels: { q: "r" }, resourceVersion: "3" } }),
  patch(`${cm}/a`, { metadata: { labels: { q: "r" }, uid: "3" } }),
  patch(`${cm}/a`, { metadata: { name: "3" } }),
  patch(`${cm}/a`, { metadata: { name: null } }),
  patch(`${cm}/a`, { metadata: { namespace: "3" } }),
  patch(`${cm}/a`, { metadata: { namespace: null } }),
  patch(`${cm}/a`, { kind: "Secret" }, strategic),
  patch(`${cm}/a`, { kind: null }),
  ...[merge, strategic, json].flatMap((type) => [[], {}, "x"].map((body) => patch(`${cm}/a`, body, type))),
  patch(`${cm}/a`, null),
  patch(`${cm}/a`, [{ op: "test", path: "/data/x", value: "1" }], json),
  patch(`${cm}/a`, [{ op: "remove", path: "/data/x" }], json),
  patch(`${cm}/a`, [{ op: "zz", path: "/data/x" }], json),
  patch(`${cm}/nope`, [], json),
  patch(`${cm}/nope`, {}),
  patch(`${cm}/nope`, {}, strategic),
  patch(`${cm}/a`, { foo: { x: 5 } }),
  patch(`${cm}/a`, { foo: { x: 5 } }, strategic),
  patch(`${cm}/a?fieldValidation=Strict`, { foo: { x: [5, "a", null, true] } }, strategic),
  patch(`${cm}/a8`, { data: { c: "4", b: null } }),
  patch(`${cm}/a8`, [{ op: "add", path: "/data/d", value: "5" }], json),
  patch(`${cm}/a8`, { data: { e: "6" } }, strategic),
  patch(`${cm}/a8?dryRun=All`, { data: { e: "7" } }, strategic),
  patch(`${cm}/a`, {}, apply),
  patch(`${cm}/a?fieldManager=m`, {}, apply),
  patch(`${cm}/a?fieldManager=m`, [], apply),
  patch(`${cm}/a?fieldManager=m`, { kind: "Secret", apiVersion: "v1" }, apply),
  patch(`${cm}/a?fieldManager=m`, configMap(), apply),
  patch(`${cm}/a?fieldManager=m`, configMap({ metadata: { name: "b" } }), apply),
  patch(`${cm}/new?fieldManager=m`, configMap({ metadata: { uid: "b" } }), apply),
  patch(`${cm}/a?fieldManager=m`, configMap({ metadata: { uid: "b" } }), apply),
  patch(`${cm}/new?fieldManager=m`, configMap({ metadata: { resourceVersion: "7" } }), apply),
  patch(`${cm}/new?fieldManager=m`, configMap({ metadata: { name: "new", resourceVersion: "7" } }), apply),
  patch(`${cm}/a?fieldManager=m`, configMap({ metadata: { resourceVersion: "7" } }), apply),
  patch(`${cm}/a?fieldManager=m`, configMap({ metadata: { managedFields: [] } }), apply),
  patch(`${cm}/a?fieldManager=m`, configMap({ foo: 1 }), apply),
  patch(`${cm}/new?fieldManager=m`, configMap({ metadata: { name: "new" }, data: { x: "1" } }), apply),
  patch(`${cm}/new?fieldManager=n`, configMap({ metadata: { name: "new" }, data: { x: "2" } }), apply),
  patch(`${cm}/new?fieldManager=n&force=true`, configMap({ metadata: { name: "new" }, data: { x: "2" } }), apply),
  patch("/api/v1/namespaces/nope/configmaps/x?fieldManager=m", configMap({ metadata: { name: "x" } }), apply),
];

const lists: Ask[] = [
  get(`${cm}?resourceVersionMatch=Exact`),
  get(`${cm}?resourceVersionMatch=Exact&resourceVersion=0`),
  get(`${cm}?resourceVersionMatch=Foo&resourceVersion=1`),
  get(`${cm}?resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=abc`),
  get(`${cm}?resourceVersion=abc`),
  get(`${cm}?resourceVersion=9999999`),
  get(`${cm}?limit=1&labelSelector=!z`),
  get(`${cm}?limit=1&continue=${token({})}`),
  get(`${cm}?continue=${token({})}&resourceVersion=5`),
  get(`${cm}?continue=${token({ rv: 0 })}`),
  get(`${cm}?continue=${token({ start: "" })}`),
  get(`${cm}?continue=${token({ v: "meta.k8s.io/v2" })}`),
  get(`${cm}?continue=${token({ start: "../x" })}`),
  get(`${cm}?continue=eno`),
  get(`${cm}?fieldSelector=foo=bar`),
  get(`${cm}?fieldSelector=metadata.name=a,metadata.namespace=script`),
  get("/api/v1/nodes?fieldSelector=metadata.namespace=default"),
  get("/api/v1/pods?fieldSelector=spec.foo=default"),
  get("/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldSelector=metadata.namespace=x"),
  get(`${cm}?sendInitialEvents=true`),
  get("/api/v1/namespaces/nope/configmaps"),
  watch(`${cm}?sendInitialEvents=true`),
  watch(`${cm}?sendInitialEvents=true&resourceVersionMatch=Exact`),
  watch(`${cm}?resourceVersionMatch=NotOlderThan`),
  watch(`${cm}?resourceVersion=abc`),
  watch(`${cm}?fieldSelector=foo=bar`),
  watch(`${cm}?fieldSelector=metadata.name=a&allowWatchBookmarks=true`),
  watch(`${cm}?fieldSelector=metadata.name=a`),
  watch(
    `${cm}?fieldSelector=metadata.name=a&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  ),
];

const deletes: Ask[] = [
  remove(`${cm}/nope`),
  remove(`${cm}/a`, { preconditions: { uid: "x" } }),
  remove(`${cm}/a`, { preconditions: { resourceVersion: "1" } }),
  remove(`${cm}/a`, { propagationPolicy: "Foo" }),
  remove(`${cm}/a?dryRun=All`),
  remove(`${cm}/a`, { propagationPolicy: "Foreground", dryRun: ["All"] }),
  remove(`${cm}/a`, { propagationPolicy: "Foreground" }),
  remove(`${cm}/a`),
  remove(`${cm}/a`, { propagationPolicy: "Orphan" }),
  remove(`${cm}/a`, { propagationPolicy: "Background" }),
  remove(`${cm}/a1`),
  post(cm, { metadata: { name: "f", finalizers: ["x.io/y"] } }),
  remove(`${cm}/f`),
  remove(`${cm}/f`),
  post(cm, { metadata: { name: "f" } }),
  put(`${cm}/f`, { metadata: { name: "f", finalizers: ["x.io/y", "z.io/z"] } }),
  patch(`${cm}/f`, { metadata: { labels: { a: "b" } } }),
  patch(`${cm}/f?dryRun=All`, { metadata: { finalizers: [] } }),
  patch(`${cm}/f`, { metadata: { finalizers: null } }),
  get(`${cm}/f`),
  post(deployments, deployment("d", { metadata: { name: "d", finalizers: ["x.io/y"] } })),
  remove(`${deployments}/d`, { propagationPolicy: "Foreground", preconditions: { uid: "x" } }),
  remove(`${deployments}/d`, { propagationPolicy: "Foreground" }),
  remove(`${deployments}/d`, { propagationPolicy: "Orphan" }),
  post("pods", pod("p", { nodeName: "n" }, { finalizers: ["x.io/y"] })),
  remove("pods/p", { gracePeriodSeconds: 20 }),
  remove("pods/p", { gracePeriodSeconds: 30 }),
  remove("pods/p", { gracePeriodSeconds: 10 }),
  remove("pods/p"),
  remove("pods/p", { gracePeriodSeconds: 0 }),
  patch("pods/p", { metadata: { finalizers: null } }),
  post("pods", pod("p2")),
  remove("pods/p2"),
  remove("/api/v1/namespaces/default"),
  post("/api/v1/namespaces", { metadata: { name: "term" } }),
  remove("/api/v1/namespaces/term", { preconditions: { uid: "x" } }),
  remove("/api/v1/namespaces/term"),
  remove("/api/v1/namespaces/term"),
  post("/api/v1/namespaces/term/configmaps", { metadata: { name: "x" } }),
  put("/api/v1/namespaces/term/finalize", { metadata: { name: "other" }, spec: { finalizers: [] } }),
  put("/api/v1/namespaces/term/finalize", { metadata: { name: "term" }, spec: { finalizers: [] } }),
  get("/api/v1/namespaces/term"),
  remove(`${cm}?labelSelector=q=r`),
];

const customs: Ask[] = [
  post(foos, { metadata: { name: "a" } }),
  post(foos, { kind: "Foo", metadata: { name: "a" } }),
  post(foos, { ...foo("a"), kind: "Bar" }),
  post(foos, { ...foo("a"), apiVersion: "x.io/v2" }),
  post(foos, []),
  post(foos, { apiVersion: "x.io/v1", kind: "Foo", metadata: {} }),
  post(foos, {
    ...foo("a", { spec: { replicas: 1, zzz: 1 }, status: { replicas: 4 } }),
    metadata: { name: "a", zz: 1, generation: 5 },
  }),
  post(`${foos}?fieldValidation=Strict`, { ...foo("a5", { spec: { zzz: 1 } }), metadata: { name: "a5", zz: 1 } }),
  post(foos, { ...foo("a9"), metadata: { name: "a9", labels: 5 } }),
  post(foos, foo("a_9", { spec: { replicas: -1 } })),
  put(`${foos}/a`, foo("a", { spec: { replicas: 2 } })),
  put(`${foos}/a`, { ...foo("a"), metadata: { name: "a", uid: "zz", resourceVersion: "1" } }),
  put(`${foos}/a`, { ...foo("a"), metadata: { name: "a", resourceVersion: "1" } }),
  patch(`${foos}/a/status`, {
    metadata: { labels: { x: "z" }, finalizers: ["a.b/c"] },
    spec: { replicas: 9 },
    status: { replicas: 7 },
  }),
  get(`${foos}/a/status`),
  patch(`${foos}/a`, {}, strategic),
  patch(`${foos}/a`, { metadata: { uid: "x" } }),
  patch(`${foos}/a`, { spec: { a: 3 } }),
  patch(`${foos}/a`, { spec: { zzz: 3 } }),
  patch(`${foos}/a`, { kind: "Zoo" }),
  patch(`${foos}/a`, { spec: { replicas: 3 } }),
  patch(`${foos}/a?fieldManager=m`, foo("a", { spec: { zzz: 3 } }), apply),
  get(`${foos}/a/scale`),
  put(`${foos}/a/scale`, { metadata: { name: "a" }, spec: { replicas: 5 } }),
  put(`${foos}/a/scale`, { metadata: { name: "a" }, spec: { replicas: -5 } }),
  patch(`${foos}/a/scale`, { spec: { replicas: 6 } }),
  patch(`${foos}/a/scale`, { metadata: { resourceVersion: "1" } }),
  patch(`${foos}/a/scale`, {}, strategic),
  put(`${foos}/nope/scale`, { metadata: { name: "nope" } }),
  get(`${foos}?fieldSelector=spec.a=b`),
  get(`${foos}/a`),
  remove(`${foos}/a`, { preconditions: { uid: "x" } }),
  remove(`${foos}/a`),
];

const subresources: Ask[] = [
  post(deployments, deployment("sc")),
  get(`${deployments}/sc/scale`),
  put(`${deployments}/sc/scale`, { metadata: { name: "sc" }, spec: { replicas: 2 } }),
  put(`${deployments}/sc/scale`, { metadata: { name: "other" }, spec: { replicas: 2 } }),
  put(`${deployments}/sc/scale`, { metadata: { name: "sc", resourceVersion: "5" } }),
  put(`${deployments}/sc/scale`, { metadata: { name: "sc", uid: "5" } }),
  put(`${deployments}/sc/scale`, { metadata: { name: "sc" }, spec: { replicas: -2 } }),
  put(`${deployments}/sc/scale`, { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "sc" } }),
  patch(`${deployments}/sc/scale`, { spec: { replicas: 1 } }),
  patch(`${deployments}/sc/scale`, { spec: { replicas: 3 }, foo: 1 }, strategic),
  patch(`${deployments}/sc/scale?dryRun=All`, { spec: { replicas: 4 } }),
  patch(`${deployments}/nope/scale`, {}),
  get(`${deployments}/sc`),
  post("pods", pod("e")),
  post("pods/nope/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "nope" } }),
  post("pods/e/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "other" } }),
  post("pods/e/eviction", { apiVersion: "v1", kind: "Pod", metadata: { name: "e" } }),
  post("pods/e/eviction?dryRun=All", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "e" } }),
  ...[{}, { kind: "Foo", name: "n" }].map((target) => post("pods/e/binding", { metadata: { name: "e" }, target })),
  post("pods/e/binding", { metadata: { name: "other" }, target: { kind: "Node", name: "n" } }),
  post("pods/nope/binding", { metadata: { name: "nope" }, target: { kind: "Node", name: "n" } }),
  post("pods/e/binding", { metadata: { name: "e", annotations: { x: "y" } }, target: { kind: "Node", name: "n" } }),
  post("pods/e/binding", { metadata: { name: "e" }, target: { kind: "Node", name: "n2" } }),
  get("pods/e"),
  patch(
    "pods/e/ephemeralcontainers",
    { spec: { ephemeralContainers: [{ name: "dbg", image: "b" }] }, metadata: { labels: { q: "q" } } },
    strategic,
  ),
  post("pods/e/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "e" } }),
  get("pods/e"),
];

const admissions: Ask[] = [
  post("limitranges", {
    metadata: { name: "l" },
    spec: {
      limits: [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" }, max: { cpu: "1" } }],
    },
  }),
  post("pods?dryRun=All", pod("l1")),
  post("pods?dryRun=All", pod("l2", { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] })),
  remove("limitranges/l"),
  post("pods?dryRun=All", pod("s1", { serviceAccountName: "nope" })),
  post("pods?dryRun=All", pod("s2", { priorityClassName: "nope" })),
  post("pods?dryRun=All", pod("s3", { priority: 5 })),
  post(
    "pods?dryRun=All",
    pod("s4", { priorityClassName: "system-node-critical", tolerations: [{ operator: "Exists" }] }),
  ),
];

export const script: readonly Ask[] = [
  ...creates,
  ...updates,
  ...patches,
  ...lists,
  ...deletes,
  ...customs,
  ...subresources,
  ...admissions,
];

/** The custom kind that it is about. */
export const fooDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo", singular: "foo", listKind: "FooList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { replicas: { type: "integer", minimum: 0 }, a: { type: "string" } },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};
