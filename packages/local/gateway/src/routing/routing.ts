/**
 * The heart of the gateway, and pure: from everything that is known to where requests go, and to what each object's
 * status should say about it.
 *
 *     state → Gateways and their listeners → routes and the listeners that take them → table, statuses
 */
import { keyOf, type Stored } from "@berg/apimachinery";
import { HostnameIndex } from "../hostnames/hostname-index.ts";
import type { Route } from "../kinds.ts";
import { judgeParent, type ParentVerdict } from "./attachments.ts";
import { isSecure } from "./conflicts.ts";
import { type JudgedGateway, judgeGateways } from "./gateways.ts";
import { endsTls, type JudgedListener } from "./listeners.ts";
import { byPrecedence } from "./request-match.ts";
import { type JudgedRules, judgeHttpRules, judgeTlsRules } from "./rules.ts";
import { byAge, type RoutingState } from "./state.ts";
import { statusesOf, type WantedStatuses } from "./statuses.ts";
import type { Backends, HttpRule, PortTable, RoutingTable, ServedListener } from "./table.ts";

export interface JudgedRoute {
  readonly route: Stored<Route>;
  readonly kind: "HTTPRoute" | "TLSRoute";
  readonly rules: JudgedRules;
  readonly parents: readonly ParentVerdict[];
}

export interface Routing {
  readonly table: RoutingTable;
  readonly statuses: WantedStatuses;
}

export function routingOf(state: RoutingState): Routing {
  const gateways = judgeGateways(state);
  const listenersOf = new Map([...gateways].map(([key, { listeners }]) => [key, listeners]));
  const judge = (route: Stored<Route>, kind: JudgedRoute["kind"], rules: JudgedRules): JudgedRoute => {
    const parents = (route.spec.parentRefs ?? []).flatMap(
      (parentRef) => judgeParent(route, kind, rules, parentRef, listenersOf) ?? [],
    );
    return { route, kind, rules, parents };
  };
  const routes = [
    ...state.httpRoutes.map((route) => judge(route, "HTTPRoute", judgeHttpRules(route, state))),
    ...state.tlsRoutes.map((route) => judge(route, "TLSRoute", judgeTlsRules(route, state))),
  ].sort((a, b) => byAge(a.route, b.route));
  return { table: tableOf(gateways, routes), statuses: statusesOf(state, gateways, routes) };
}

/** What is attached to a listener, the oldest route first. */
type Attached = Map<JudgedListener, { hostnames: readonly (string | undefined)[]; rules: JudgedRules }[]>;

function tableOf(gateways: ReadonlyMap<string, JudgedGateway>, routes: readonly JudgedRoute[]): RoutingTable {
  const attached: Attached = new Map();
  for (const { rules, parents } of routes) {
    for (const { listener, hostnames } of parents.flatMap(({ attachments }) => attachments)) {
      const known = attached.get(listener);
      if (known) known.push({ hostnames, rules });
      else attached.set(listener, [{ hostnames, rules }]);
    }
  }
  const ports = new Map<number, PortTable>();
  for (const judged of [...gateways.values()].flatMap(({ listeners }) => listeners)) {
    if (!judged.served) continue;
    const { port, hostname } = judged.listener;
    const table = ports.get(port) ?? { secure: isSecure(judged.listener), listeners: new HostnameIndex() };
    ports.set(port, table);
    table.listeners.add(hostname || undefined, servedListener(judged, attached));
  }
  return { ports };
}

function servedListener(judged: JudgedListener, attached: Attached): ServedListener {
  const { gateway, listener, certificate } = judged;
  const routes = attached.get(judged) ?? [];
  const common = { id: `${keyOf(gateway)}/${listener.name}`, hostname: listener.hostname || undefined };
  if (listener.protocol === "HTTP") return { ...common, kind: "http", rules: httpRules(routes) };
  if (!endsTls(listener)) return { ...common, kind: "passthrough", routes: tlsRoutes(routes) };
  // One without is not served.
  if (!certificate) throw new TypeError(`the listener ${common.id} has no certificate`);
  if (listener.protocol === "HTTPS") return { ...common, kind: "https", rules: httpRules(routes), certificate };
  return { ...common, kind: "terminate", routes: tlsRoutes(routes), certificate };
}

type AttachedRoutes = readonly { hostnames: readonly (string | undefined)[]; rules: JudgedRules }[];

function httpRules(routes: AttachedRoutes): HostnameIndex<HttpRule> {
  const rules = routes.flatMap(({ hostnames, rules }) =>
    rules.http.flatMap((rule) => hostnames.map((hostname) => ({ hostname, rule }))),
  );
  // A stable sort: what is equal stays in the order of age, and within a route in its own.
  rules.sort((a, b) => byPrecedence(a.rule.match, b.rule.match));
  const index = new HostnameIndex<HttpRule>();
  for (const { hostname, rule } of rules) index.add(hostname, rule);
  return index;
}

function tlsRoutes(routes: AttachedRoutes): HostnameIndex<Backends> {
  const index = new HostnameIndex<Backends>();
  for (const { hostnames, rules } of routes) {
    for (const hostname of hostnames) if (rules.tls) index.add(hostname, rules.tls);
  }
  return index;
}
