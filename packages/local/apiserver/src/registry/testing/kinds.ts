/** A kind of each sort that the verbs tell apart, small enough to read. */
import type { ServedResource, Strategy } from "../resource.ts";

const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;

function kind(
  described: Pick<ServedResource, "group" | "resource" | "kind" | "schema"> & Partial<Omit<ServedResource, "strategy">>,
  strategy: Partial<Strategy> = {},
): ServedResource {
  const { group, resource } = described;
  return {
    version: "v1",
    singular: described.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: allVerbs,
    storedAs: group === "" ? resource : `${resource}.${group}`,
    storedVersion: group === "" ? "v1" : `${group}/v1`,
    columns: [],
    selectableFields: {},
    subresources: {},
    ...described,
    strategy: { hasStatus: false, hasGeneration: false, ...strategy },
  };
}

const texts = { type: "object", additionalProperties: { type: "string" } } as const;

/** Neither status nor generation. */
export const configMaps = kind({
  group: "",
  resource: "configmaps",
  kind: "ConfigMap",
  schema: { type: "object", properties: { data: texts } },
});

export const secrets = kind({
  group: "",
  resource: "secrets",
  kind: "Secret",
  schema: { type: "object", properties: { data: texts, type: { type: "string", default: "Opaque" } } },
  selectableFields: { type: (secret) => String(secret.type ?? "") },
});

const scaled = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        paused: { type: "boolean" },
        selector: { type: "object", properties: { matchLabels: texts } },
      },
    },
    status: { type: "object", properties: { replicas: { type: "integer" } } },
  },
} as const;

/** A status of its own, and a generation. */
export const deployments = kind(
  { group: "apps", resource: "deployments", kind: "Deployment", schema: scaled },
  { hasStatus: true, hasGeneration: true },
);

/** Ends by itself. */
export const pods = kind(
  {
    group: "",
    resource: "pods",
    kind: "Pod",
    schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { nodeName: { type: "string" } } },
        status: { type: "object", properties: { phase: { type: "string" } } },
      },
    },
    selectableFields: { "spec.nodeName": (pod) => String((pod.spec as { nodeName?: string })?.nodeName ?? "") },
  },
  { hasStatus: true, hasGeneration: true, gracePeriod: (_pod, wanted) => wanted ?? 30 },
);

/** PUT creates it. */
export const leases = kind(
  {
    group: "coordination.k8s.io",
    resource: "leases",
    kind: "Lease",
    schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { holderIdentity: { type: "string" } } } },
    },
  },
  { createsOnUpdate: true },
);

export const namespaces = kind(
  {
    group: "",
    resource: "namespaces",
    kind: "Namespace",
    namespaced: false,
    schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { finalizers: { type: "array", items: { type: "string" } } } },
        status: { type: "object", properties: { phase: { type: "string" } } },
      },
    },
    subresources: { finalize: { group: "", version: "v1", kind: "Namespace", verbs: ["update"] } },
  },
  {
    hasStatus: true,
    prepare(draft, old) {
      draft.spec = old ? old.spec : { finalizers: ["kubernetes"] };
      if (!old) draft.status = { phase: "Active" };
    },
  },
);

/** Custom kinds: `foos` in two versions over one table. */
export const foos = kind(
  {
    group: "x.io",
    resource: "foos",
    kind: "Foo",
    schema: scaled,
    subresources: { scale: { group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] } },
  },
  { hasStatus: true, hasGeneration: true, needsVersion: true },
);
export const foosV2: ServedResource = { ...foos, version: "v2" };

export const allKinds = [configMaps, secrets, deployments, pods, leases, namespaces, foos, foosV2];
