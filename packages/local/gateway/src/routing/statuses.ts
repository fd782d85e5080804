/** What the status of each object should say. Times are added where it is written. */
import { keyOf } from "@berg/apimachinery";
import type { WantedCondition } from "@berg/kube";
import type { ParentReference, RouteKind } from "../kinds.ts";
import { isFalse, isTrue, type Verdict } from "../vocabulary.ts";
import { classProblem, isOurs, type JudgedGateway } from "./gateways.ts";
import type { JudgedListener } from "./listeners.ts";
import type { JudgedRoute } from "./routing.ts";
import type { JudgedRules } from "./rules.ts";
import type { RoutingState } from "./state.ts";

/** By key. Of what is not here nothing is known, and its status stays as it is. */
export interface WantedStatuses {
  readonly classes: ReadonlyMap<string, WantedClassStatus>;
  readonly gateways: ReadonlyMap<string, WantedGatewayStatus>;
  readonly httpRoutes: ReadonlyMap<string, WantedRouteStatus>;
  readonly tlsRoutes: ReadonlyMap<string, WantedRouteStatus>;
}

interface Wanted {
  /** Of the object that was looked at. It may have changed since, and then this is not about it any more. */
  readonly generation: number | undefined;
}

export interface WantedClassStatus extends Wanted {
  readonly conditions: readonly WantedCondition[];
}

export interface WantedRouteStatus extends Wanted {
  /** None where a route has nothing to do with us: whatever we once said about it goes. */
  readonly parents: readonly WantedParent[];
}

export interface WantedGatewayStatus extends Wanted {
  readonly conditions: readonly WantedCondition[];
  readonly address: string;
  readonly listeners: readonly WantedListenerStatus[];
}

export interface WantedListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly RouteKind[];
  readonly attachedRoutes: number;
  readonly conditions: readonly WantedCondition[];
}

export interface WantedParent {
  readonly parentRef: ParentReference;
  readonly conditions: readonly WantedCondition[];
}

export function statusesOf(
  state: RoutingState,
  gateways: ReadonlyMap<string, JudgedGateway>,
  routes: readonly JudgedRoute[],
): WantedStatuses {
  const attached = countAttached(routes);
  const ofKind = (kind: JudgedRoute["kind"]) =>
    new Map(
      routes
        .filter((each) => each.kind === kind)
        .map((each) => {
          const { generation } = each.route.metadata;
          return [keyOf(each.route), { generation, parents: parentStatuses(each, state) }];
        }),
    );
  return {
    classes: new Map(
      state.classes.filter(isOurs).map((each) => {
        const problem = classProblem(each);
        const conditions = [problem ? isFalse("Accepted", problem) : isTrue("Accepted", "Accepted")];
        return [each.metadata.name, { generation: each.metadata.generation, conditions }];
      }),
    ),
    gateways: new Map([...gateways].map(([key, gateway]) => [key, gatewayStatus(gateway, state.host, attached)])),
    httpRoutes: ofKind("HTTPRoute"),
    tlsRoutes: ofKind("TLSRoute"),
  };
}

function countAttached(routes: readonly JudgedRoute[]): Map<JudgedListener, number> {
  const counts = new Map<JudgedListener, number>();
  for (const { parents } of routes) {
    // A route may name one listener by two of its parents, and is one route.
    const listeners = new Set(parents.flatMap(({ attachments }) => attachments.map(({ listener }) => listener)));
    for (const listener of listeners) counts.set(listener, (counts.get(listener) ?? 0) + 1);
  }
  return counts;
}

function gatewayStatus(
  { gateway, refused, listeners }: JudgedGateway,
  address: string,
  attached: ReadonlyMap<JudgedListener, number>,
): WantedGatewayStatus {
  const statuses = listeners.map((judged) => ({
    name: judged.listener.name,
    supportedKinds: judged.supportedKinds,
    attachedRoutes: attached.get(judged) ?? 0,
    conditions: listenerConditions(judged),
  }));
  const { generation } = gateway.metadata;
  return { generation, address, conditions: gatewayConditions(refused, listeners), listeners: statuses };
}

function gatewayConditions(
  refused: JudgedGateway["refused"],
  listeners: readonly JudgedListener[],
): readonly WantedCondition[] {
  if (refused) return [isFalse("Accepted", refused), isFalse("Programmed", { ...refused, reason: "Invalid" })];
  const invalid = listeners.filter(({ refused, unresolved }) => refused ?? unresolved);
  const message = invalid.map(({ listener, refused, unresolved }) => {
    return `listener ${listener.name}: ${(refused ?? unresolved)?.message}`;
  });
  const notValid = { reason: "ListenersNotValid", message: message.join("; ") };
  const accepted = invalid.length === 0 ? isTrue("Accepted", "Accepted") : isTrue("Accepted", ...textOf(notValid));
  if (listeners.some(({ served }) => served)) return [accepted, isTrue("Programmed", "Programmed")];
  return [isFalse("Accepted", notValid), isFalse("Programmed", { ...notValid, reason: "Invalid" })];
}

function textOf({ reason, message }: { reason: string; message: string }): [string, string] {
  return [reason, message];
}

function listenerConditions(judged: JudgedListener): WantedCondition[] {
  const { conflict, refused, unresolved, served, overlapping } = judged;
  const problem = refused ?? unresolved;
  return [
    refused ? isFalse("Accepted", refused) : isTrue("Accepted", "Accepted"),
    served || !problem
      ? isTrue("Programmed", "Programmed")
      : isFalse("Programmed", { reason: "Invalid", message: problem.message }),
    unresolved ? isFalse("ResolvedRefs", unresolved) : isTrue("ResolvedRefs", "ResolvedRefs"),
    conflict
      ? isTrue("Conflicted", conflict.reason, conflict.message)
      : isFalse("Conflicted", { reason: "NoConflicts", message: "" }),
    ...(overlapping.length > 0
      ? [isTrue("OverlappingTLSConfig", "OverlappingHostnames", `as for ${overlapping.join(", ")}`)]
      : []),
  ];
}

/**
 * `Programmed` is an addition to the conditions of the Gateway API, for routes that are accepted: True where the first
 * request is answered by a pod. EndpointSlices follow the readiness of pods, so that a route is accepted before that.
 */
function parentStatuses({ parents, rules }: JudgedRoute, state: RoutingState): WantedParent[] {
  const { dropped, unresolved } = rules;
  const unready = withoutEndpoints(rules, state);
  return parents.map(({ parentRef, refused }) => ({
    parentRef,
    conditions: [
      refused ? isFalse("Accepted", refused) : isTrue("Accepted", "Accepted"),
      unresolved ? isFalse("ResolvedRefs", unresolved) : isTrue("ResolvedRefs", "ResolvedRefs"),
      ...(refused || unresolved ? [] : [unready ? isFalse("Programmed", unready) : isTrue("Programmed", "Programmed")]),
      ...(!refused && dropped.length > 0
        ? [isTrue("PartiallyInvalid", "UnsupportedValue", `Dropped Rule: ${dropped.join("; ")}`)]
        : []),
    ],
  }));
}

function withoutEndpoints({ http, tls = [] }: JudgedRules, state: RoutingState): Verdict | undefined {
  const backends = [...http.flatMap((rule) => rule.backends), ...tls];
  const unready = backends.find(({ service, weight }) => service && weight > 0 && !state.hasEndpoints(service));
  if (!unready?.service) return undefined;
  return { reason: "NoReadyEndpoints", message: `the Service ${unready.service.service} has no ready pod` };
}
