/** Pieces that the schemas of several kinds share. The limits are the Gateway API's. */

export type Schema = { readonly [keyword: string]: unknown };

export const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function object(
  properties: Record<string, Schema>,
  required: readonly string[] = [],
  more: Schema = {},
): Schema {
  return { type: "object", properties, ...(required.length > 0 && { required }), ...more };
}

export function list(items: Schema, maxItems: number, more: Schema = {}): Schema {
  return { type: "array", items, maxItems, "x-kubernetes-list-type": "atomic", ...more };
}

/** Entries are told apart by this field, so that several writers can each have theirs. */
export function mapList(items: Schema, key: string, maxItems: number, more: Schema = {}): Schema {
  return {
    type: "array",
    items,
    maxItems,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": [key],
    ...more,
  };
}

export function text(maxLength: number, more: Schema = {}): Schema {
  return { type: "string", minLength: 1, maxLength, ...more };
}

export function oneOf(...values: string[]): Schema {
  return { type: "string", enum: values };
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
export const objectName = text(253);
export const namespace = text(63, { pattern: `^${label}$` });
export const sectionName = text(253, { pattern: `^${label}(\\.${label})*$` });
export const hostname = text(253, { pattern: `^(\\*\\.)?${label}(\\.${label})*$` });
export const group: Schema = { type: "string", maxLength: 253, pattern: `^$|^${label}(\\.${label})*$` };
export const kind = text(63, { pattern: "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$" });
export const port: Schema = { type: "integer", format: "int32", minimum: 1, maximum: 65_535 };

const condition = object(
  {
    type: { type: "string", maxLength: 316 },
    status: oneOf("True", "False", "Unknown"),
    reason: text(1_024),
    message: { type: "string", maxLength: 32_768 },
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
  },
  ["type", "status", "reason", "message", "lastTransitionTime"],
);

export const conditions = mapList(condition, "type", 8);

/** Conditions that say that nobody has looked at it yet. */
export function notSeenYet(...types: string[]): object[] {
  return types.map((type) => ({
    type,
    status: "Unknown",
    reason: "Pending",
    message: "Waiting for controller",
    lastTransitionTime: "1970-01-01T00:00:00Z",
  }));
}

export const gatewayGroupDefault = { ...group, default: "gateway.networking.k8s.io" };

const parentReference = object(
  { group: gatewayGroupDefault, kind: { ...kind, default: "Gateway" }, namespace, name: objectName, sectionName, port },
  ["name"],
);

export const parentRefs = list(parentReference, 32);

export const backendRef = {
  group: { ...group, default: "" },
  kind: { ...kind, default: "Service" },
  namespace,
  name: objectName,
  port,
  weight: { type: "integer", format: "int32", minimum: 0, maximum: 1_000_000, default: 1 },
};

/** A Service has many doors. */
export const needsPort = {
  "x-kubernetes-validations": [
    {
      rule: "size(self.group) == 0 && self.kind == 'Service' ? has(self.port) : true",
      message: "a reference to a Service needs a port",
    },
  ],
};

const parentStatus = object(
  { parentRef: parentReference, controllerName: text(253), conditions: { ...conditions, minItems: 1 } },
  ["parentRef", "controllerName", "conditions"],
);

export const routeStatus = object({ parents: list(parentStatus, 32) }, ["parents"]);
