/** What the expressions of a policy can name, and of which types that is known to be before any request comes. */
import type { Environment } from "../../schema/cel/compile.ts";
import { bool, type CelType, dyn, int, listOf, mapOf, string, typeOf } from "../../schema/cel/types.ts";

const typed = (name: string, fields: Record<string, CelType>): CelType => ({
  name: `kubernetes.${name}`,
  of: [],
  fields: new Map(Object.entries(fields)),
});

const kind = typed("GroupVersionKind", { group: string, version: string, kind: string });
const resource = typed("GroupVersionResource", { group: string, version: string, resource: string });
const userInfo = typed("UserInfo", {
  username: string,
  uid: string,
  groups: listOf(string),
  extra: mapOf(string, listOf(string)),
});

const request = typed("AdmissionRequest", {
  kind,
  resource,
  subResource: string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo,
  dryRun: bool,
  options: dyn,
});

// Kubernetes calls these times, and gives texts when an expression runs. As dyn they end in the same error then.
const time = dyn;
const labels = mapOf(string, string);

const namespace = typed("Namespace", {
  metadata: typed("NamespaceMetadata", {
    name: string,
    generateName: string,
    namespace: string,
    labels,
    annotations: labels,
    UID: string,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: time,
    generation: int,
    resourceVersion: string,
    finalizers: listOf(string),
  }),
  spec: typed("NamespaceSpec", { finalizers: listOf(string) }),
  status: typed("NamespaceStatus", {
    conditions: listOf(
      typed("NamespaceCondition", {
        status: string,
        type: string,
        lastTransitionTime: time,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});

export interface Offered {
  params: boolean;
  authorizer: boolean;
  /** Undefined where there are none. */
  variables: ReadonlyMap<string, CelType> | undefined;
}

export function environmentWith({ params, authorizer, variables }: Offered): Environment {
  return new Map([
    ["object", dyn],
    ["oldObject", dyn],
    ["namespaceObject", namespace],
    ["request", request],
    ...(params ? [["params", dyn] as const] : []),
    ...(authorizer ? authorizers : []),
    ...(variables ? [["variables", { name: "kubernetes.variables", of: [], fields: variables }] as const] : []),
  ]);
}

const authorizers = [
  ["authorizer", typeOf("kubernetes.authorization.Authorizer")],
  ["authorizer.requestResource", typeOf("kubernetes.authorization.ResourceCheck")],
] as const;

const kept = new Set(["bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"]);

/** As what a variable is known to those that use it: of an object or an optional value nothing is. */
export function variableType(type: CelType): CelType {
  if (kept.has(type.name)) return type;
  if (type.name === "list" || type.name === "map") return { name: type.name, of: type.of.map(variableType) };
  return dyn;
}
