/** What random requests hardly ever come to, by hand. */
import type { TrackedKind } from "../tracked-kind.ts";
import type { JsonObject } from "../values.ts";
import { configMaps, deployments, services, widgets } from "./kinds.ts";
import type { Step } from "./play.ts";

/** What a deployment cannot do without. */
export const deployment = {
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } },
  },
};
export const service = { spec: { clusterIP: "None", ports: [{ port: 1, name: "a" }] } };

const create = (manager: string, body: JsonObject): Step => ({ verb: "create", manager, body });
const update = (manager: string, body: JsonObject): Step => ({ verb: "update", manager, body });
const patch = (manager: string, body: JsonObject): Step => ({ verb: "patch", manager, body });
const apply = (manager: string, body: JsonObject): Step => ({ verb: "apply", manager, body });
const force = (manager: string, body: JsonObject): Step => ({ verb: "apply", manager, body, force: true });
const onStatus = (step: Step): Step => ({ ...step, subresource: "status" });

const data = (fields: JsonObject): JsonObject => ({ data: fields });
const spec = (fields: JsonObject): JsonObject => ({ spec: fields });
const managed = (managedFields: unknown): JsonObject => ({ metadata: { managedFields } });

const owned = (manager: string, more: JsonObject = {}) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:x": {} } },
  ...more,
});

const ofWidget = { operation: "Apply", apiVersion: "apply.berg.test/v1" };
const times = { lastTransitionTime: "2026-01-01T00:00:00Z", lastUpdateTime: "2026-01-01T00:00:00Z" };

const withEnv = (...env: JsonObject[]): JsonObject => ({
  spec: {
    ...deployment.spec,
    template: { ...deployment.spec.template, spec: { containers: [{ name: "a", image: "a", env }] } },
  },
});

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const asAnnotation = (object: JsonObject) => ({ metadata: { annotations: { [lastApplied]: JSON.stringify(object) } } });
const config = (fields: JsonObject) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: fields });
const managers = Array.from({ length: 14 }, (_, index) => `m${String(index).padStart(2, "0")}`);

interface Scenario {
  name: string;
  kind: TrackedKind;
  steps: Step[];
}

/** Names of objects are shorter than those of scenarios. */
export function objectName(scenario: string): string {
  return scenario.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}

const table: [string, TrackedKind, Step[]][] = [
  [
    "fields pass from one to another, and go with the last who applied them",
    configMaps,
    [
      create("a", data({ x: "1", y: "2" })),
      apply("b", { ...data({ x: "1", z: "3" }), metadata: { labels: { app: "web" } } }),
      apply("c", data({ x: "2", y: "3" })),
      force("c", data({ x: "2", y: "3" })),
      patch("a", data({ x: "4", y: null })),
      apply("b", {}),
    ],
  ],
  [
    "managedFields that a client sends are reset, taken or ignored",
    configMaps,
    [
      create("a", { ...data({ x: "1" }), ...managed([owned("forged")]) }),
      patch("b", managed([owned("one"), owned("two", { operation: "Apply" })])),
      patch("b", managed([owned("one", { fieldsV1: { 'k:{"b":1,"a":"<"}': {}, 'v:"x"': {}, "i:3": {}, "z:9": {} } })])),
      patch("b", managed([owned("one", { operation: "Delete" })])),
      patch("b", managed([owned("one", { fieldsType: "FieldsV2" })])),
      patch("b", managed([owned("one", { apiVersion: "" })])),
      patch("b", managed([owned("one", { fieldsV1: { nonsense: {} } })])),
      patch("b", managed([owned("one", { apiVersion: "v9", subresource: "scale" })])),
      patch("b", managed([owned("one", { time: "2020-01-01T01:00:00.5+01:00" })])),
      patch("b", managed(null)),
      patch("b", { ...managed([{}]), ...data({ x: "2" }) }),
      patch("c", data({ x: "3" })),
      apply("d", data({ x: "4" })),
      force("d", data({ x: "4" })),
      patch("b", managed([])),
      apply("d", data({ x: "4" })),
    ],
  ],
  [
    "managedFields of custom objects are reset as well",
    widgets,
    [
      create("a", spec({ size: 1 })),
      patch("b", managed([])),
      apply("c", spec({ size: 1, color: "a" })),
      patch("b", managed([{}])),
      patch("b", spec({ size: 2 })),
    ],
  ],
  [
    "creating with a reset is tracked all the same",
    configMaps,
    [create("a", { ...data({ x: "1" }), ...managed([{}]) })],
  ],
  [
    "the eleventh who updates pushes the oldest together",
    configMaps,
    [
      create("first", data({ x: "1" })),
      ...managers.map((manager) => patch(manager, data({ [manager]: manager }))),
      patch("m00", data({ m13: "again" })),
      patch("m01", data({ x: "again" })),
    ],
  ],
  [
    "kubectl takes over what kubectl applied on the client's side",
    configMaps,
    [
      create("kubectl-client-side-apply", { ...data({ x: "1", y: "1" }), ...asAnnotation(config({ x: "1", y: "1" })) }),
      apply("helm", data({ x: "2" })),
      apply("kubectl", data({ x: "2", y: "2<&>" })),
      apply("kubectl", data({ x: "3", y: "2" })),
      patch("helm", data({ y: "3" })),
      apply("kubectl", data({ x: "3", y: "4" })),
      force("kubectl", { ...data({ x: "3", y: "4" }), metadata: { annotations: { b: "1", a: "2" } } }),
      force("kubectl", { ...data({}), metadata: { annotations: { [lastApplied]: "mine", a: "2" } } }),
    ],
  ],
  [
    "an annotation that makes no sense helps nobody",
    configMaps,
    [
      create("a", { ...data({ x: "1" }), metadata: { annotations: { [lastApplied]: "{" } } }),
      apply("kubectl", data({ x: "2" })),
      patch("a", asAnnotation({ ...config({ x: "1" }), apiVersion: "v2" })),
      apply("kubectl", data({ x: "2" })),
      patch("a", asAnnotation({ ...config({ x: 1 }) })),
      apply("kubectl", data({ x: "2" })),
    ],
  ],
  [
    "nulls are owned, and are nothing",
    configMaps,
    [
      create("a", { ...data({ x: "1", y: "2" }), metadata: { labels: { a: "1" } } }),
      apply("b", { data: null, metadata: { labels: null, annotations: null } }),
      apply("b", { metadata: { labels: { a: "1" } } }),
      apply("b", { data: { z: null } }),
      apply("b", {}),
    ],
  ],
  [
    "nulls in custom objects",
    widgets,
    [
      apply("a", spec({ inner: { a: "1", deep: { b: "2" } }, free: { a: { b: "1" } }, labels: { a: "1" } })),
      apply("b", spec({ inner: { deep: null } })),
      apply("b", spec({ free: { a: null } })),
      apply("b", spec({ labels: null })),
      apply("a", spec({ size: 1 })),
    ],
  ],
  [
    "what nobody owns stays, though all around it goes",
    widgets,
    [
      create("a", spec({ size: 1, color: "a", inner: { a: "1" } })),
      patch(
        "b",
        managed([
          owned("one", { ...ofWidget, fieldsV1: { "f:spec": { "f:inner": { "f:a": {} } } } }),
          owned("two", { ...ofWidget, fieldsV1: { "f:spec": { "f:size": {} } } }),
        ]),
      ),
      apply("one", {}),
    ],
  ],
  [
    "of what somebody else holds on to a null is left",
    widgets,
    [
      create("a", spec({ tags: ["x"] })),
      apply("one", spec({ tags: ["y"] })),
      patch("b", spec({ tags: ["y"] })),
      apply("one", spec({ size: 1 })),
    ],
  ],
  [
    "of what is no longer known by name a null is left",
    widgets,
    [apply("a", spec({ free: { a: [] } })), apply("a", spec({ free: {} })), apply("a", {})],
  ],
  [
    "nothing and something empty are told apart",
    widgets,
    [
      create("a", spec({ free: { a: {}, b: [] } })),
      update("b", spec({ free: { a: null, b: null } })),
      update("c", spec({ free: { a: {}, b: [] } })),
      update("d", spec({ free: { a: [], b: {} } })),
    ],
  ],
  [
    "items of lists keep their places",
    widgets,
    [
      apply("a", spec({ tags: ["a", "b", "c", "d"], parts: [{ name: "a" }, { name: "b" }, { name: "c" }] })),
      apply("b", spec({ tags: ["d", "x", "b"], parts: [{ name: "c" }, { name: "x" }, { name: "a" }] })),
      apply("a", spec({ tags: ["c", "y", "a"], parts: [{ name: "y" }, { name: "b" }] })),
      apply("b", spec({ tags: ["y", "d"] })),
      patch("c", spec({ tags: ["a", "b", "x"] })),
      apply("b", spec({ tags: ["a", "y", "b"] })),
      patch("c", spec({ tags: ["d", "c", "b"], numbers: [3, 1, 2] })),
      force("a", spec({ numbers: [2, 3, 10] })),
    ],
  ],
  [
    "a value of another sort replaces what was there",
    widgets,
    [
      apply("a", spec({ free: { a: { b: "1", c: "2" } } })),
      force("b", spec({ free: { a: "text" } })),
      force("c", spec({ free: { a: ["x"] } })),
      force("a", spec({ free: { a: { b: "1" } } })),
      patch("d", spec({ free: { a: 1 } })),
      patch("d", spec({ free: { a: { e: { f: 1 } } } })),
      patch("e", spec({ free: { a: { e: null, g: [] } } })),
    ],
  ],
  [
    "a status and the rest are owned apart",
    widgets,
    [
      apply("a", { ...spec({ size: 1 }), status: { phase: "x" }, metadata: { labels: { a: "1" } } }),
      onStatus(apply("a", { ...spec({ size: 2 }), status: { phase: "y" }, metadata: { labels: { a: "2" } } })),
      onStatus(apply("b", { status: { phase: "z" } })),
      onStatus(force("b", { status: { phase: "z", conditions: [{ type: "Ready", status: "True" }] } })),
      onStatus(patch("c", { ...spec({ size: 3 }), status: { conditions: null } })),
      patch("c", { ...spec({ size: 3 }), status: { phase: "q" } }),
      onStatus(patch("d", managed([owned("forged", ofWidget)]))),
      onStatus(patch("d", managed([{}]))),
      onStatus(apply("b", {})),
    ],
  ],
  [
    "a deployment's status cannot own its labels, but can own its annotations",
    deployments,
    [
      create("a", deployment),
      onStatus(apply("b", { metadata: { labels: { x: "1" }, annotations: { y: "1" } }, status: { replicas: 1 } })),
      onStatus(patch("c", { metadata: { labels: { x: "1" }, annotations: { z: "1" } }, status: { replicas: 2 } })),
      apply("b", { metadata: { annotations: { y: "2" } } }),
    ],
  ],
  [
    "what is taken away from a condition is shown empty",
    deployments,
    [
      create("a", deployment),
      onStatus(patch("a", { status: { conditions: [{ type: "c", status: "False", ...times }] } })),
      onStatus(force("a", { status: { conditions: [{ type: "c", status: "True", ...times }] } })),
      onStatus(apply("a", {})),
    ],
  ],
  [
    "conflicts with several, in one text",
    deployments,
    [
      create("a", deployment),
      apply("b", {
        metadata: { labels: { x: "1" } },
        spec: { replicas: 2, template: { spec: { nodeSelector: { a: "b" } } } },
      }),
      onStatus(patch("c", { metadata: { annotations: { z: "1" } } })),
      apply("d", {
        metadata: { labels: { x: "2" }, annotations: { z: "2" } },
        spec: {
          replicas: 3,
          template: {
            spec: {
              nodeSelector: { c: "d" },
              containers: [{ name: "a", image: "b", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "b" }] }],
            },
          },
        },
      }),
      apply("d", { spec: { replicas: 3 } }),
      apply("e", { spec: { template: { spec: { containers: [{ name: "a", image: "c" }] } } } }),
    ],
  ],
  [
    "items that cannot be told apart are owned as one",
    deployments,
    [
      create("a", withEnv({ name: "A", value: "1" }, { name: "A", value: "2" }, { name: "B", value: "1" })),
      patch("b", withEnv({ name: "A", value: "1" }, { name: "A", value: "3" })),
      apply("c", withEnv({ name: "C", value: "1" })),
      apply("d", withEnv({ name: "A", value: "4" })),
      force("d", withEnv({ name: "D", value: "1" }, { name: "A", value: "4" })),
      patch("b", withEnv({ name: "A", value: "1" }, { name: "A", value: "3" })),
      force("d", withEnv({ name: "A" })),
      patch("b", withEnv({ name: "A", value: "1" }, { name: "A", value: "3" }, { name: "X", value: "1" })),
      force("d", withEnv({ name: "A", value: "1" }, { name: "Y", value: "1" })),
      patch("b", withEnv({ name: "A", value: "1" }, { name: "A", value: "3" })),
      force("d", {}),
      patch("e", withEnv({ name: "A", value: "1" })),
      patch("f", withEnv({ name: "A", value: "1" }, { name: "A", value: "1" })),
    ],
  ],
  [
    "a default of a key stands in for it",
    services,
    [
      apply("a", { spec: { clusterIP: "None", ports: [{ port: 53, name: "a" }] } }),
      apply("b", {
        spec: {
          ports: [
            { port: 53, protocol: "UDP", name: "b" },
            { port: 53, protocol: "TCP", targetPort: 54 },
          ],
        },
      }),
      apply("b", { spec: { ports: [{ port: 53, protocol: "UDP", name: "b" }] } }),
      apply("a", { spec: { ports: [] } }),
    ],
  ],
  [
    "what is of the wrong shape is refused",
    deployments,
    [
      apply("a", { foo: 1 }),
      apply("a", { spec: { replicas: "a", paused: 1, selector: [{ a: [1, null] }, "b"], strategy: "c" } }),
      apply("a", { spec: { template: { spec: { containers: { a: "b" } } } } }),
      apply("a", { spec: { template: { spec: { containers: [null] } } } }),
      apply("a", { spec: { template: { spec: { containers: [["a"]] } } } }),
      apply("a", { spec: { template: { spec: { containers: [{ name: "a" }, { name: "a", image: "b" }] } } } }),
      apply("a", { spec: { template: { spec: { containers: [{ name: "a", args: [1] }] } } } }),
      apply("a", { spec: { template: { spec: { containers: [{ name: "a", bar: 2 }] } } } }),
      apply("a", { spec: { template: { spec: { containers: [{ name: "a", ports: [{}, { protocol: "TCP" }] }] } } } }),
      apply("a", { metadata: { labels: { a: { b: [true, 1.5, "c\n"] } }, finalizers: ["a/b", "a/b"] } }),
      apply("a", {
        spec: { template: { spec: { containers: [{ name: "a", resources: { limits: { cpu: [1] } } }] } } },
      }),
      apply("a", { metadata: { finalizers: [null] } }),
      apply("a", { metadata: { finalizers: [{}] } }),
      apply("a", { metadata: { finalizers: [[]] } }),
      apply("a", { metadata: "b" }),
      apply("a", { apiVersion: "v1" }),
      apply("a", { apiVersion: "a/b/c" }),
      apply("a", { kind: "Pod" }),
      apply("a", { kind: 1 }),
      apply("a", { metadata: { managedFields: [] } }),
      apply("a", { metadata: { uid: "nobody" } }),
    ],
  ],
  [
    "what is of the wrong shape is refused of a custom kind as well",
    widgets,
    [
      apply("a", spec({ parts: [{ image: "a" }] })),
      apply("a", spec({ parts: [{ name: null }] })),
      apply("a", spec({ tags: ["a", "a"], numbers: ["1"] })),
      apply("a", spec({ unknown: true })),
      apply("a", spec({ size: "1" })),
      apply("a", spec({ limit: {} })),
      apply("a", spec({ rooms: { a: { windows: "b" } }, free: { parts: [{ name: 1 }] } })),
      apply("a", spec({ ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] })),
      apply("a", { extra: 1 }),
    ],
  ],
];

export const scenarios: Scenario[] = table.map(([name, kind, steps]) => ({ name, kind, steps }));
