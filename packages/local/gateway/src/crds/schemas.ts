/**
 * What an object of each kind may say: what the real ones take as well, as far as it can be served here. Fields that
 * are known and not served are kept, so that a condition can say so; a field that is misspelt is refused or dropped.
 * Long, because it is a list: four schemas, each piece used once, by the next.
 */
import {
  anything,
  backendRef,
  conditions,
  gatewayGroupDefault,
  group,
  hostname,
  kind,
  list,
  mapList,
  namespace,
  needsPort,
  notSeenYet,
  object,
  objectName,
  oneOf,
  parentRefs,
  port,
  routeStatus,
  type Schema,
  sectionName,
  text,
} from "./schema-parts.ts";

export const gatewayClassSchema = object(
  {
    spec: object(
      {
        controllerName: text(253, {
          pattern:
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+$",
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "the controller of a class never changes" }],
        }),
        description: { type: "string", maxLength: 64 },
        parametersRef: anything,
      },
      ["controllerName"],
    ),
    status: object({ conditions }, [], { default: { conditions: notSeenYet("Accepted") } }),
  },
  ["spec"],
);

const tls = object({
  mode: { ...oneOf("Terminate", "Passthrough"), default: "Terminate" },
  certificateRefs: list(
    object({ group: { ...group, default: "" }, kind: { ...kind, default: "Secret" }, namespace, name: objectName }, [
      "name",
    ]),
    64,
  ),
  options: { type: "object", maxProperties: 16, additionalProperties: { type: "string", maxLength: 4_096 } },
});

const labelSelector = object({
  matchLabels: { type: "object", additionalProperties: { type: "string" } },
  matchExpressions: list(
    object({ key: { type: "string" }, operator: { type: "string" }, values: list({ type: "string" }, 64) }, [
      "key",
      "operator",
    ]),
    64,
  ),
});

const listener = object(
  {
    name: sectionName,
    hostname,
    port,
    protocol: text(255),
    tls,
    allowedRoutes: object(
      {
        namespaces: object(
          { from: { ...oneOf("All", "Selector", "Same"), default: "Same" }, selector: labelSelector },
          [],
          { default: { from: "Same" } },
        ),
        kinds: list(object({ group: gatewayGroupDefault, kind }, ["kind"]), 8),
      },
      [],
      { default: { namespaces: { from: "Same" } } },
    ),
  },
  ["name", "port", "protocol"],
);

const listenerRules: Schema = {
  minItems: 1,
  "x-kubernetes-validations": [
    {
      rule: "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
      message: "tls is for protocols HTTPS and TLS",
    },
    {
      rule: "self.all(l, l.protocol == 'HTTPS' && has(l.tls) ? l.tls.mode == 'Terminate' : true)",
      message: "protocol HTTPS needs tls mode Terminate",
    },
    { rule: "self.all(l, l.protocol == 'TLS' ? has(l.tls) : true)", message: "protocol TLS needs a tls mode" },
  ],
};

const listenerStatus = object(
  {
    name: sectionName,
    supportedKinds: list(object({ group: gatewayGroupDefault, kind }, ["kind"]), 8),
    attachedRoutes: { type: "integer", format: "int32" },
    conditions,
  },
  ["name", "attachedRoutes", "conditions"],
);

const address = object({ type: { type: "string", default: "IPAddress" }, value: { type: "string", maxLength: 253 } });

export const gatewaySchema = object(
  {
    spec: object(
      {
        gatewayClassName: objectName,
        listeners: mapList(listener, "name", 64, listenerRules),
        addresses: list(address, 16),
        infrastructure: anything,
        tls: anything,
      },
      ["gatewayClassName", "listeners"],
    ),
    status: object(
      {
        addresses: list(address, 16),
        conditions: { ...conditions, default: notSeenYet("Accepted", "Programmed") },
        listeners: mapList(listenerStatus, "name", 64),
      },
      [],
      { default: { conditions: notSeenYet("Accepted", "Programmed") } },
    ),
  },
  ["spec"],
);

const anyPath = { type: "PathPrefix", value: "/" };

/** Expressions are known, and not served. */
const valueMatch = object(
  { type: { ...oneOf("Exact", "RegularExpression"), default: "Exact" }, name: text(256), value: text(4_096) },
  ["name", "value"],
);

const match = object({
  path: object(
    {
      type: { ...oneOf("Exact", "PathPrefix", "RegularExpression"), default: anyPath.type },
      value: { type: "string", maxLength: 1_024, default: anyPath.value },
    },
    [],
    {
      default: anyPath,
      "x-kubernetes-validations": [
        {
          rule: "self.type in ['Exact', 'PathPrefix'] ? self.value.startsWith('/') : true",
          message: "a path begins with a slash",
        },
      ],
    },
  ),
  method: oneOf("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"),
  headers: mapList(valueMatch, "name", 16),
  queryParams: mapList(valueMatch, "name", 16),
});

const filters = list({ ...anything, properties: { type: { type: "string" } }, required: ["type"] }, 16);

const httpRule = object({
  name: sectionName,
  matches: list(match, 64, { default: [{ path: anyPath }] }),
  filters,
  backendRefs: list(object({ ...backendRef, filters }, ["name"], needsPort), 16),
  timeouts: anything,
  retry: anything,
  sessionPersistence: anything,
});

export const httpRouteSchema = object(
  {
    spec: object({
      parentRefs,
      hostnames: list(hostname, 16),
      rules: list(httpRule, 16, { minItems: 1, default: [{ matches: [{ path: anyPath }] }] }),
    }),
    status: routeStatus,
  },
  ["spec"],
);

const tlsRule = object(
  { name: sectionName, backendRefs: list(object(backendRef, ["name"], needsPort), 16, { minItems: 1 }) },
  ["backendRefs"],
);

export const tlsRouteSchema = object(
  {
    spec: object(
      {
        parentRefs,
        hostnames: list(hostname, 1_024, { minItems: 1 }),
        rules: list(tlsRule, 1, { minItems: 1 }),
      },
      ["hostnames", "rules"],
    ),
    status: routeStatus,
  },
  ["spec"],
);
