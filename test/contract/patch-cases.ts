/** Patches to be applied here and by a server; where the two differ, somebody is surprised. */
import type { KubeObject, ResourceType } from "@berg/apimachinery";
import { ConfigMaps, Deployments, type Patch, ServiceAccounts, Services } from "@berg/kube";
import { PodDisruptionBudgets } from "./given.ts";

export interface PatchCase {
  name: string;
  type: ResourceType;
  patch: Patch;
  /** What a real server makes of it where we do otherwise: it is laxer than the standard, or less careful. */
  wantFromServer?: object;
}

const selector = { matchLabels: { app: "web" } };
const container = (name: string, more: object = {}) => ({ name, image: `${name}:1`, ...more });

/** Each is created once, under the name `patched`. */
export const patched: { type: ResourceType; body: object; metadata?: Partial<KubeObject["metadata"]> }[] = [
  {
    type: ConfigMaps,
    metadata: { labels: { app: "web", "berg.norelect.ch/owner": "ada" }, finalizers: ["berg.test/a", "berg.test/b"] },
    body: { data: { a: "1", b: "2", "": undefined, "a.b": "3" }, binaryData: { x: "AA==" } },
  },
  {
    type: Deployments,
    body: {
      spec: {
        replicas: 0,
        selector,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              container("web", {
                env: [
                  { name: "A", value: "1" },
                  { name: "B", value: "2" },
                ],
                ports: [{ containerPort: 80 }, { containerPort: 81 }],
                volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
                resources: { limits: { cpu: "1", memory: "1Gi" } },
                command: ["run", "it"],
              }),
              container("side"),
            ],
            volumes: [
              { name: "tmp", emptyDir: {} },
              { name: "flag", configMap: { name: "flag" } },
            ],
            tolerations: [{ key: "a", operator: "Exists" }],
          },
        },
      },
    },
  },
  {
    type: Services,
    body: {
      spec: {
        selector: { app: "web" },
        ports: [
          { name: "http", port: 80 },
          { name: "alt", port: 81 },
        ],
      },
    },
  },
  { type: ServiceAccounts, body: { secrets: [{ name: "one" }, { name: "two" }] } },
  { type: PodDisruptionBudgets, body: { spec: { minAvailable: 1, selector } } },
];

const json = (name: string, operations: object[], wantFromServer?: object): PatchCase => ({
  name: `json: ${name}`,
  type: ConfigMaps,
  patch: { type: "json", operations },
  ...(wantFromServer && { wantFromServer }),
});
const merge = (name: string, body: object): PatchCase => ({
  name: `merge: ${name}`,
  type: ConfigMaps,
  patch: { type: "merge", body },
});
const strategic = (name: string, type: ResourceType, body: object, wantFromServer?: object): PatchCase => ({
  name: `strategic: ${name}`,
  type,
  patch: { type: "strategic", body },
  ...(wantFromServer && { wantFromServer }),
});
const podSpec = (spec: object) => ({ spec: { template: { spec } } });
const containers = (...list: object[]) => podSpec({ containers: list });

const firstFinalizer = { metadata: { finalizers: ["berg.test/a"] } };

export const patchCases: PatchCase[] = [
  json("nothing", []),
  json("add", [{ op: "add", path: "/data/c", value: "3" }]),
  json("add over", [{ op: "add", path: "/data/a", value: "9" }]),
  json("add a map", [{ op: "add", path: "/metadata/annotations", value: { x: "y" } }]),
  json("add below what is not there", [{ op: "add", path: "/metadata/annotations/x", value: "y" }]),
  json("add to a list", [{ op: "add", path: "/metadata/finalizers/1", value: "berg.test/c" }]),
  json("append to a list", [{ op: "add", path: "/metadata/finalizers/-", value: "berg.test/c" }]),
  json("append by number", [{ op: "add", path: "/metadata/finalizers/2", value: "berg.test/c" }]),
  json("add past the end of a list", [{ op: "add", path: "/metadata/finalizers/3", value: "berg.test/c" }]),
  json("remove", [{ op: "remove", path: "/data/a" }]),
  json("remove from a list", [{ op: "remove", path: "/metadata/finalizers/0" }]),
  json("remove what is not there", [{ op: "remove", path: "/data/none" }]),
  json("remove past the end of a list", [{ op: "remove", path: "/metadata/finalizers/2" }]),
  json("replace", [{ op: "replace", path: "/data/a", value: "9" }]),
  json("replace what is not there", [{ op: "replace", path: "/data/none", value: "9" }], { data: { none: "9" } }),
  json("replace in a list", [{ op: "replace", path: "/metadata/finalizers/1", value: "berg.test/c" }]),
  json("an escaped name", [{ op: "replace", path: "/metadata/labels/berg.norelect.ch~1owner", value: "bob" }]),
  json("move", [{ op: "move", from: "/data/a", path: "/data/z" }]),
  json("move within a list", [{ op: "move", from: "/metadata/finalizers/0", path: "/metadata/finalizers/1" }]),
  json("move what is not there", [{ op: "move", from: "/data/none", path: "/data/z" }]),
  json("copy", [{ op: "copy", from: "/data/a", path: "/data/z" }]),
  json("copy within a list", [{ op: "copy", from: "/metadata/finalizers/0", path: "/metadata/finalizers/-" }]),
  json("a test that holds", [
    { op: "test", path: "/data/a", value: "1" },
    { op: "remove", path: "/data/a" },
  ]),
  json("a test of a map", [
    { op: "test", path: "/metadata/labels", value: { "berg.norelect.ch/owner": "ada", app: "web" } },
  ]),
  json("a test of a list", [{ op: "test", path: "/metadata/finalizers", value: ["berg.test/a", "berg.test/b"] }]),
  json("a test that fails", [{ op: "test", path: "/data/a", value: "2" }]),
  json("a test of what is not there", [{ op: "test", path: "/data/none", value: "2" }]),
  json("all or nothing", [
    { op: "remove", path: "/data/a" },
    { op: "test", path: "/data/b", value: "none" },
  ]),
  json("an operation that nobody knows", [{ op: "merge", path: "/data/a", value: "2" }]),
  json("no operation", [{ path: "/data/a", value: "2" }]),
  json("a value where an object is", [{ op: "add", path: "/data/a/b", value: "2" }]),
  json("too many operations", Array(10_001).fill({ op: "test", path: "/data/a", value: "1" })),
  json("an index with a leading zero", [{ op: "remove", path: "/metadata/finalizers/01" }], firstFinalizer),
  json("an index from the end", [{ op: "remove", path: "/metadata/finalizers/-1" }], firstFinalizer),
  json("the end of a list, removed", [{ op: "remove", path: "/metadata/finalizers/-" }]),
  json("a test for null of what is not there", [{ op: "test", path: "/data/none", value: null }], {
    kind: "ConfigMap",
  }),
  json("copy what is not there", [{ op: "copy", from: "/data/none", path: "/data/z" }], { data: { z: "" } }),
  json("no value", [{ op: "add", path: "/data/c" }], { data: { c: "" } }),
  json("a path without a slash", [{ op: "remove", path: "data/a" }]),
  json("a path that is no text", [{ op: "remove", path: 1 }], { refused: 400 }),
  json("no path", [{ op: "remove" }]),
  json("no from", [{ op: "copy", path: "/data/c" }]),
  json("moved into itself", [{ op: "move", from: "/data", path: "/data/inner" }]),
  json("moved onto itself", [{ op: "move", from: "/data/a", path: "/data/a" }]),
  json("the whole document, removed", [{ op: "remove", path: "" }]),
  json("a bad escape", [{ op: "remove", path: "/data/~2" }]),

  merge("nothing", {}),
  merge("sets and removes", { data: { a: null, b: "9", c: "3" } }),
  merge("removes what is not there", { data: { none: null }, none: null }),
  merge("removes a map", { data: null }),
  merge("nulls inside of what it adds", { metadata: { annotations: { x: "y", z: null } } }),
  merge("replaces a list", { metadata: { finalizers: ["berg.test/z"] } }),
  merge("empties a list", { metadata: { finalizers: [] } }),
  merge("empties a map, which it cannot", { data: {} }),
  merge("an empty name", { data: { "": "x" } }),

  strategic("of a kind without rules", ConfigMaps, { data: { a: null, c: "3" } }),
  strategic("a set of finalizers", ConfigMaps, { metadata: { finalizers: ["berg.test/c", "berg.test/a"] } }),
  strategic("deletes from a set", ConfigMaps, {
    metadata: { "$deleteFromPrimitiveList/finalizers": ["berg.test/a"] },
  }),
  strategic("deletes from a set and orders it", ConfigMaps, {
    metadata: {
      "$deleteFromPrimitiveList/finalizers": ["berg.test/a"],
      "$setElementOrder/finalizers": ["berg.test/c", "berg.test/b"],
      finalizers: ["berg.test/c"],
    },
  }),
  strategic("owner references by uid", ConfigMaps, {
    metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "x", uid: "1" }] },
  }),
  strategic("replaces a map", ConfigMaps, { data: { $patch: "replace", z: "1" } }),
  strategic("deletes a map", ConfigMaps, { data: { $patch: "delete" } }),
  strategic("an unknown directive", ConfigMaps, { data: { $patch: "explode" } }, { refused: 500 }),
  strategic("is a list", ConfigMaps, [{ data: { a: "9" } }]),
  strategic("merges a container", Deployments, containers({ name: "web", image: "web:2" })),
  strategic("adds a container", Deployments, containers(container("new"))),
  strategic("deletes a container", Deployments, containers({ name: "side", $patch: "delete" })),
  strategic("deletes a container that is not there", Deployments, containers({ name: "none", $patch: "delete" })),
  strategic("replaces all containers", Deployments, containers({ $patch: "replace" }, container("only"))),
  strategic("a container without its name", Deployments, containers({ image: "x" }), { refused: 500 }),
  strategic(
    "orders containers",
    Deployments,
    podSpec({ "$setElementOrder/containers": [{ name: "side" }, { name: "web" }] }),
  ),
  strategic(
    "adds and orders",
    Deployments,
    podSpec({
      "$setElementOrder/containers": [{ name: "new" }, { name: "side" }, { name: "web" }],
      containers: [container("new"), { name: "web", tty: true }],
    }),
  ),
  strategic(
    "an order that its own elements break",
    Deployments,
    podSpec({
      "$setElementOrder/containers": [{ name: "web" }, { name: "side" }],
      containers: [
        { name: "side", tty: true },
        { name: "web", tty: true },
      ],
    }),
    { refused: 500 },
  ),
  strategic("merges env, ports, mounts", Deployments, {
    ...containers({
      name: "web",
      env: [
        { name: "B", value: null, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "C", value: "3" },
      ],
      ports: [
        { containerPort: 81, name: "alt" },
        { containerPort: 80, $patch: "delete" },
      ],
      volumeMounts: [{ mountPath: "/tmp", readOnly: true, name: "tmp" }],
    }),
  }),
  strategic(
    "a null in a map that it adds with a container",
    Deployments,
    containers(container("new", { resources: { limits: { cpu: null } } })),
    { spec: { template: { spec: { containers: [{ resources: { limits: { cpu: "0" } } }, {}, {}] } } } },
  ),
  strategic("replaces a list of plain values", Deployments, containers({ name: "web", command: ["other"] })),
  strategic(
    "limits key by key",
    Deployments,
    containers({ name: "web", resources: { limits: { cpu: null, "ephemeral-storage": "1Gi" } } }),
  ),
  strategic("replaces a list without a key", Deployments, podSpec({ tolerations: [{ key: "b", operator: "Exists" }] })),
  strategic(
    "a volume of another kind",
    Deployments,
    podSpec({ volumes: [{ name: "flag", $retainKeys: ["name", "secret"], secret: { secretName: "f" } }] }),
  ),
  strategic(
    "a volume of two kinds",
    Deployments,
    podSpec({ volumes: [{ name: "flag", secret: { secretName: "f" } }] }),
  ),
  strategic(
    "retained keys that miss one",
    Deployments,
    podSpec({ volumes: [{ name: "flag", $retainKeys: ["name"], secret: { secretName: "f" } }] }),
  ),
  strategic("another strategy", Deployments, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
  strategic("another strategy, the rest left", Deployments, { spec: { strategy: { type: "Recreate" } } }),
  strategic(
    "removes a whole list",
    Deployments,
    podSpec({ volumes: null, containers: [{ name: "web", volumeMounts: null }] }),
  ),
  strategic("ports of a service by number", Services, {
    spec: {
      ports: [
        { port: 81, name: "other" },
        { port: 82, name: "new" },
      ],
    },
  }),
  strategic("deletes a port of a service", Services, { spec: { ports: [{ port: 80, $patch: "delete" }] } }),
  strategic("a selector of a service, key by key", Services, { spec: { selector: { app: null, tier: "front" } } }),
  strategic("secrets of a service account", ServiceAccounts, {
    secrets: [{ name: "two", $patch: "delete" }, { name: "three" }],
  }),
  strategic("a selector that is replaced", PodDisruptionBudgets, {
    spec: { selector: { matchLabels: { tier: "back" } } },
  }),
];
