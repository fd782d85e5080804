/** The status to write, from what there is and what is wanted; undefined where nothing has to be written. Pure. */
import { type Condition, jsonEqual } from "@berg/apimachinery";
import { setCondition, type WantedCondition } from "@berg/kube";
import type { Gateway, GatewayClass, ParentReference, Route, RouteParentStatus } from "../kinds.ts";
import type { WantedClassStatus, WantedGatewayStatus, WantedRouteStatus } from "../routing/statuses.ts";
import { controllerName } from "../vocabulary.ts";

type Status<T extends { status?: object }> = NonNullable<T["status"]>;

export function classStatus(
  { status = {} }: GatewayClass,
  wanted: WantedClassStatus,
  now: string,
): Status<GatewayClass> | undefined {
  const conditions = withConditions(status.conditions, wanted.conditions, wanted.generation, now);
  return changed(status, { ...status, conditions });
}

export function gatewayStatus(
  { status = {} }: Gateway,
  wanted: WantedGatewayStatus,
  now: string,
): Status<Gateway> | undefined {
  const listeners = wanted.listeners.map(({ name, supportedKinds, attachedRoutes, conditions }) => {
    const old = status.listeners?.find((listener) => listener.name === name)?.conditions;
    // What is true only sometimes is not there at other times.
    const kept = old?.filter(({ type }) => type !== "OverlappingTLSConfig" || conditions.some((c) => c.type === type));
    const next = withConditions(kept, conditions, wanted.generation, now);
    return { name, supportedKinds: [...supportedKinds], attachedRoutes, conditions: next };
  });
  return changed(status, {
    ...status,
    addresses: [{ type: "IPAddress", value: wanted.address }],
    conditions: withConditions(status.conditions, wanted.conditions, wanted.generation, now),
    listeners,
  });
}

/** Conditions of a route that are removed where they do not apply. */
const notAlways = new Set(["PartiallyInvalid", "Programmed"]);

/** What other controllers say stays as it is. */
export function routeStatus({ status }: Route, wanted: WantedRouteStatus, now: string): Status<Route> | undefined {
  const parents = status?.parents ?? [];
  const others = parents.filter((parent) => parent.controllerName !== controllerName);
  const ours = wanted.parents.map(({ parentRef, conditions }): RouteParentStatus => {
    const old = parents.find((p) => p.controllerName === controllerName && isSameRef(p.parentRef, parentRef));
    const kept = old?.conditions?.filter(
      ({ type }) => !notAlways.has(type) || conditions.some((condition) => condition.type === type),
    );
    return { parentRef, controllerName, conditions: withConditions(kept, conditions, wanted.generation, now) };
  });
  return changed(status ?? { parents: [] }, { ...status, parents: [...others, ...ours] });
}

function withConditions(
  old: Condition[] | undefined,
  wanted: readonly WantedCondition[],
  observedGeneration: number | undefined,
  now: string,
): Condition[] {
  return wanted.reduce<Condition[]>(
    (conditions, condition) => setCondition(conditions, { ...condition, observedGeneration }, now),
    old ?? [],
  );
}

/** The server fills in what a reference leaves out. */
function isSameRef(a: ParentReference, b: ParentReference): boolean {
  const fields = ["namespace", "name", "sectionName", "port"] as const;
  return fields.every((field) => a[field] === b[field]);
}

function changed<S extends object>(old: S, next: S): S | undefined {
  return jsonEqual(old, next) ? undefined : next;
}
