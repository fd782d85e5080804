/**
 * Scripts that once showed a difference, as small as they became. They are played before anything else. A new one comes
 * from a run (`npm run test:differential`), which prints it in the form of a step; give it a name that says what it is
 * about.
 */
import { type Step, types } from "./step.ts";

type Path = string;
type Body = unknown;

const core = (path: Path) => `/api/v1/namespaces/{ns}/${path}`;
const apps = (path: Path) => `/apis/apps/v1/namespaces/{ns}/${path}`;
const leases = (path = "") => `/apis/coordination.k8s.io/v1/namespaces/{ns}/leases${path}`;
const gadgets = (path = "") => `/apis/play.berg.test/v1/namespaces/{ns}/gadgets${path}`;
const budgets = (path = "") => `/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets${path}`;

const get = (path: Path, accept?: string): Step => ({ method: "GET", path, ...(accept && { accept }) });
const post = (path: Path, body: Body): Step => ({ method: "POST", path, body });
const put = (path: Path, body: Body, from?: string): Step => ({ method: "PUT", path, body, ...(from && { from }) });
const merge = (path: Path, body: Body): Step => ({ method: "PATCH", path, type: types.merge, body });
const apply = (path: Path, body: Body, options = ""): Step => ({
  method: "PATCH",
  path: `${path}?fieldManager=x${options}`,
  type: types.apply,
  body,
});
const remove = (path: Path, body?: Body): Step => ({ method: "DELETE", path, ...(body !== undefined && { body }) });
const selected = (selector: string): Step => get(core(`pods?labelSelector=${selector}`));

const named = (name = "a", more: object = {}) => ({ metadata: { name, ...more } });
const gadget = (more: object = {}) => ({ apiVersion: "play.berg.test/v1", kind: "Gadget", ...named(), ...more });
const pod = { ...named(), spec: { containers: [{ name: "a", image: "a" }] } };
const template = { metadata: { labels: { x: "y" } }, spec: { containers: [{ name: "a", image: "a" }] } };
const deployment = (templateSpec: object = {}) => ({
  ...named(),
  spec: {
    selector: { matchLabels: { x: "y" } },
    template: { ...template, spec: { ...template.spec, ...templateSpec } },
  },
});
const typed = (apiVersion: string, kind: string, more: object = {}) => ({ apiVersion, kind, ...named(), ...more });
const metadataList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

export const kept: Readonly<Record<string, readonly Step[]>> = {
  "a custom object that does not say its kind, where nobody asks for unknown fields": [
    post(gadgets("?fieldValidation=Ignore"), { status: {} }),
    put(gadgets("/b?fieldValidation=Ignore"), { status: {} }),
    post(gadgets(), { status: {} }),
  ],
  "a custom object whose apiVersion is null, or that is null": [
    post(gadgets(), { apiVersion: null, kind: "Gadget" }),
    post(gadgets(), null),
  ],
  "a namespace on its way out whose status says nothing": [
    remove("/api/v1/namespaces/{ns}"),
    merge("/api/v1/namespaces/{ns}/status", { status: null }),
  ],
  "a custom object with a status that no schema allows: nobody owns anything": [
    post(gadgets(), gadget({ status: { replicas: [] } })),
    merge(gadgets("/a"), { spec: { size: 1 }, status: true }),
    get(gadgets("/a")),
  ],
  "a custom object with a status of the wrong type says which number is missing": [
    post(gadgets(), gadget()),
    put(gadgets("/a/status"), { status: "A_B" }, "gadgets/a"),
  ],
  "a label selector that cannot be read": [
    ...["(", "a=A_/", "A_/=b", "a/b/c", "a b", "a=b c", ",", "a,", "a,,b", "a in x", "a in (b", "a in (b c)"].map(
      selected,
    ),
    ...["a in (b,A_/,_)", "a in (=", "a in (b,=", "a>x", "a>-x-", "!", "!!a", "=b", "a===b", "!a=b", "a=b,c=A_/"].map(
      selected,
    ),
  ],
  "a list by name has no next page": [
    post(core("configmaps"), named("a")),
    post(core("configmaps"), named("b")),
    get(core("configmaps?limit=1&fieldSelector=metadata.name=a")),
    get(core("configmaps?limit=1&fieldSelector=metadata.name=c")),
    get(core("configmaps?limit=1&fieldSelector=metadata.name=b&resourceVersion={rv configmaps/a}")),
    get("/api/v1/configmaps?limit=1&fieldSelector=metadata.name=a,metadata.namespace={ns}"),
    get("/api/v1/configmaps?limit=1&fieldSelector=metadata.namespace={ns}"),
    get("/api/v1/configmaps?fieldSelector=metadata.namespace={ns}&continue={continue}"),
    remove(core("configmaps?limit=1&fieldSelector=metadata.name=a"), {}),
  ],
  "a list of metadata that is empty": [
    get(core("pods"), metadataList),
    get(gadgets(), metadataList),
    get(core("configmaps?fieldSelector=metadata.name=a"), metadataList),
  ],
  "a token to go on with that is none": [get(core("pods?continue={continue}")), get(core("pods?continue=YWJj"))],
  "times in microseconds have six digits": [
    ...[
      "2020-01-01T00:00:00Z",
      "2020-01-01T01:00:00+01:00",
      "2020-01-01T00:00:00.123Z",
      "2020-01-01T00:00:00.1234567Z",
    ].map((renewTime) => post(leases(), { ...named(), spec: { renewTime } })),
    post(leases(), { ...named(), spec: { renewTime: "2020-01-01T00:00:00.123456+01:00" } }),
    apply(leases("/b"), typed("coordination.k8s.io/v1", "Lease", { ...named("b"), spec: { acquireTime: "soon" } })),
    apply(leases("/a"), typed("coordination.k8s.io/v1", "Lease", { spec: { acquireTime: "2020-01-01T00:00:00Z" } })),
  ],
  "a budget of any name, and its status applied before anybody owned anything": [
    post(budgets(), named("A_B")),
    apply(budgets("/A_B/status"), { apiVersion: "policy/v1", kind: "PodDisruptionBudget", status: {} }),
  ],
  "of several values that cannot be read, which one is told": [
    post(leases(), { ...named("a", { finalizers: true }), spec: { acquireTime: "soon" } }),
    post(leases(), { ...named("a", { finalizers: true }), spec: { acquireTime: true, renewTime: "soon" } }),
    post(core("secrets"), { ...named(), data: { a: "?" }, immutable: 1 }),
    post(budgets(), { ...named("a", { labels: 1 }), spec: { minAvailable: true } }),
  ],
  "bytes one by one": [
    post(core("secrets"), { ...named(), data: { a: [], b: [1, null, 255] } }),
    ...[[256], [-1], ["a"], [1.5]].map((a) => post(core("configmaps"), { ...named(), binaryData: { a } })),
  ],
  "bytes that cannot be read, when they are applied": [
    apply(core("secrets/a"), typed("v1", "Secret", { data: { a: "?" } })),
  ],
  "a null that is applied to a custom object is no field left out": [
    post(gadgets(), gadget({ spec: { size: null } })),
    apply(gadgets("/b"), { ...gadget({ spec: { size: null } }), ...named("b") }),
    apply(gadgets("/a"), gadget({ spec: { inner: null } })),
    apply(gadgets("/a"), gadget({ spec: { note: null, replicas: null } }), "&force=true"),
  ],
  "what is applied claims to be something odd": [
    apply(core("configmaps/a"), { apiVersion: true, kind: "ConfigMap" }),
    apply(core("configmaps/a"), { apiVersion: "v1", kind: {} }),
    apply(core("configmaps/a"), typed("v1", "ConfigMap", { metadata: { name: {} } })),
  ],
  "an item that is applied without the key that Go always writes": [
    apply(
      apps("deployments/a"),
      typed("apps/v1", "Deployment", { spec: { template: { spec: { containers: [{}] } } } }),
    ),
  ],
  "finalizers without a domain": [
    ...[leases(), budgets()].flatMap((path) => [
      post(path, named("a", { finalizers: ["odd"] })),
      merge(`${path}/a`, { metadata: { finalizers: ["odd", "other"] } }),
    ]),
    post(core("configmaps"), named("a", { finalizers: ["odd"] })),
  ],
  "deleted in the old way, and held back": [
    post(core("secrets"), named("a", { finalizers: ["x.io/a"] })),
    remove(core("secrets/a"), { orphanDependents: false }),
    remove(core("secrets/a?orphanDependents=false")),
  ],
  "an address that cannot be had, for a Service without a name": [
    post(core("services"), { spec: { clusterIP: "1.2.3.4" } }),
  ],
  "who owns the number that is set through a scale": [
    ...[[apps("deployments"), deployment()] as const, [gadgets(), gadget()] as const].flatMap(([path, object]) => [
      post(path, object),
      merge(`${path}/a/scale`, {}),
      get(`${path}/a`),
      put(`${path}/a/scale`, { ...named(), spec: { replicas: 2 } }),
      get(`${path}/a`),
      put(`${path}/a/scale?fieldManager=y`, typed("autoscaling/v1", "Scale", { spec: { replicas: 4 } })),
      get(`${path}/a`),
      merge(`${path}/a/scale`, { spec: { replicas: 0 } }),
      get(`${path}/a`),
    ]),
    merge(apps("deployments/a/scale"), { spec: { replicas: null } }),
    apply(apps("deployments/a/scale"), typed("autoscaling/v1", "Scale", { spec: { replicas: 3 } })),
    apply(apps("deployments/a"), typed("apps/v1", "Deployment", { spec: { replicas: 5 } })),
    get(apps("deployments/a")),
  ],
  "a row says of a pod that it has ended": [
    post(core("pods"), pod),
    ...["Running", "Succeeded", "Failed"].flatMap((phase) => [
      merge(core("pods/a/status"), { status: { phase } }),
      get(core("pods"), "application/json;as=Table;v=v1;g=meta.k8s.io"),
    ]),
  ],
  "a pod that is evicted again is as it was": [
    post(core("pods"), { ...pod, ...named("a", { finalizers: ["x.io/a"] }) }),
    post(core("pods/a/eviction"), named()),
    post(core("pods/a/eviction"), named()),
    get(core("pods/a")),
    get(core("pods?watch=1&timeoutSeconds=1&resourceVersion={rv namespaces/ns}")),
  ],
  "a certificate that is none is told": [
    post(core("secrets"), { ...named(), type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "YQ==" } }),
    merge(core("secrets/a"), { metadata: { labels: { a: "b" } } }),
  ],
  "a Deployment warns again when only its annotations change": [
    post(apps("deployments"), {
      ...deployment({
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule" }],
      }),
    }),
    merge(apps("deployments/a"), { metadata: { annotations: { c: "c" } } }),
    merge(apps("deployments/a"), { metadata: { labels: { c: "c" } } }),
  ],
  "a deleted object written back with its uid": [
    post(core("pods"), pod),
    remove(core("pods/a")),
    put(core("pods/a"), {}, "pods/a"),
  ],
};
