/** Kinds for the tests: as much of them as the tests use. */
import type { Schema } from "../../schema/schema.ts";
import type { TrackedKind } from "../tracked-kind.ts";

const text: Schema = { type: "string" };
const integer: Schema = { type: "integer", format: "int32" };
const intOrString: Schema = { "x-kubernetes-int-or-string": true };
const quantities: Schema = {
  type: "object",
  additionalProperties: { "x-kubernetes-int-or-string": true, format: "quantity" },
};

function object(properties: Record<string, Schema>, more: Schema = {}): Schema {
  return { type: "object", properties, ...more };
}

function listOf(items: Schema): Schema {
  return { type: "array", items, "x-kubernetes-list-type": "atomic" };
}

function setOf(items: Schema): Schema {
  return { type: "array", items, "x-kubernetes-list-type": "set" };
}

function listMap(keys: string[], properties: Record<string, Schema>): Schema {
  return {
    type: "array",
    items: object(properties, { required: keys.filter((key) => properties[key]?.default === undefined) }),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  };
}

function mapOf(additionalProperties: Schema): Schema {
  return { type: "object", additionalProperties };
}

const protocol: Schema = { ...text, default: "TCP" };
const selector: Schema = object({ matchLabels: mapOf(text) }, { "x-kubernetes-map-type": "atomic" });

const container = {
  name: { ...text, default: "" },
  image: text,
  args: listOf(text),
  env: listMap(["name"], { name: { ...text, default: "" }, value: text }),
  ports: listMap(["containerPort", "protocol"], {
    name: text,
    containerPort: { ...integer, default: 0 },
    hostPort: integer,
    protocol,
  }),
  resources: object({ limits: quantities, requests: quantities }),
  imagePullPolicy: text,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
};

const podSpec = object({
  containers: listMap(["name"], container),
  nodeSelector: { ...mapOf(text), "x-kubernetes-map-type": "atomic" },
  dnsPolicy: text,
  restartPolicy: text,
  schedulerName: text,
  securityContext: object({ runAsUser: { type: "integer", format: "int64" } }),
  terminationGracePeriodSeconds: { type: "integer", format: "int64" },
});

export const configMaps: TrackedKind = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  schema: object({ data: mapOf(text), binaryData: mapOf({ ...text, format: "byte" }), immutable: { type: "boolean" } }),
  strategy: { hasStatus: false },
};

export const services: TrackedKind = {
  group: "",
  version: "v1",
  resource: "services",
  kind: "Service",
  schema: object({
    spec: object({
      clusterIP: text,
      clusterIPs: listOf(text),
      internalTrafficPolicy: text,
      ipFamilies: listOf(text),
      ipFamilyPolicy: text,
      ports: listMap(["port", "protocol"], {
        name: text,
        port: { ...integer, default: 0 },
        protocol,
        targetPort: { ...intOrString, format: "int-or-string" },
      }),
      selector: { ...mapOf(text), "x-kubernetes-map-type": "atomic" },
      sessionAffinity: text,
      type: text,
    }),
    status: object({ loadBalancer: object({}) }),
  }),
  strategy: { hasStatus: true },
};

export const deployments: TrackedKind = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  kind: "Deployment",
  schema: object({
    spec: object({
      minReadySeconds: integer,
      paused: { type: "boolean" },
      progressDeadlineSeconds: integer,
      replicas: integer,
      revisionHistoryLimit: integer,
      selector,
      strategy: object({
        rollingUpdate: object({ maxSurge: intOrString, maxUnavailable: intOrString }),
        type: text,
      }),
      template: object({ metadata: object({ labels: mapOf(text), annotations: mapOf(text) }), spec: podSpec }),
    }),
    status: object({
      conditions: listMap(["type"], {
        type: { ...text, default: "" },
        status: text,
        reason: text,
        message: text,
        lastTransitionTime: { ...text, format: "date-time" },
        lastUpdateTime: { ...text, format: "date-time" },
      }),
      observedGeneration: { type: "integer", format: "int64" },
      replicas: integer,
    }),
  }),
  strategy: { hasStatus: true },
};

/** A custom kind with every way of owning. */
export const widgets: TrackedKind = {
  group: "apply.berg.test",
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  schema: object({
    spec: object({
      size: integer,
      color: text,
      limit: intOrString,
      tags: setOf(text),
      numbers: setOf(integer),
      args: listOf(text),
      plain: { type: "array", items: text },
      box: object({ width: integer, height: integer }, { "x-kubernetes-map-type": "atomic" }),
      labels: mapOf(text),
      rooms: mapOf(object({ door: text, windows: integer })),
      inner: object({ a: text, deep: object({ b: text, c: text }) }),
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      ports: listMap(["port", "protocol"], { port: integer, protocol, name: text }),
      parts: listMap(["name"], {
        name: text,
        image: text,
        args: listOf(text),
        env: listMap(["name"], { name: text, value: text }),
        inner: object({ a: text, b: text }),
      }),
    }),
    status: object({
      phase: text,
      conditions: listMap(["type"], { type: text, status: text, message: text }),
    }),
  }),
  strategy: { hasStatus: true },
};

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.apply.berg.test" },
  spec: {
    group: "apply.berg.test",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: widgets.schema },
        subresources: { status: {} },
      },
    ],
  },
};
