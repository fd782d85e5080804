/** The rules of a route, those left out that cannot be served here. */
import type { Stored } from "@berg/apimachinery";
import type { HttpRoute, HttpRouteRule, Route } from "../kinds.ts";
import type { Verdict } from "../vocabulary.ts";
import { resolveBackends } from "./backends.ts";
import { compileMatch, type RequestMatch } from "./request-match.ts";
import type { RoutingState } from "./state.ts";
import type { Backends } from "./table.ts";

export interface JudgedRules {
  /** Of an HTTPRoute, in the order of the route. */
  readonly http: readonly { match: RequestMatch; backends: Backends }[];
  /** Of a TLSRoute, which has one rule. */
  readonly tls: Backends | undefined;
  /** Why rules were left out, and whether any is left. */
  readonly dropped: readonly string[];
  readonly anyLeft: boolean;
  readonly unresolved: Verdict | undefined;
}

export function judgeHttpRules({ metadata, spec }: Stored<HttpRoute>, state: RoutingState): JudgedRules {
  const rules = spec.rules ?? [{}];
  const dropped: string[] = [];
  const problems: Verdict[] = [];
  const http = rules.flatMap((rule, place) => {
    const unsupported = unsupportedIn(rule);
    const matches = (rule.matches?.length ? rule.matches : [{}]).map(compileMatch);
    const why = unsupported ?? matches.find((match) => typeof match === "string");
    if (typeof why === "string") {
      dropped.push(`rule ${place}: ${why}`);
      return [];
    }
    const found = resolveBackends(rule.backendRefs, metadata.namespace ?? "", state);
    problems.push(...found.problems);
    return matches.flatMap((match) => (typeof match === "string" ? [] : { match, backends: found.backends }));
  });
  const anyLeft = dropped.length < rules.length;
  return { http, tls: undefined, dropped, anyLeft, unresolved: problems[0] };
}

export function judgeTlsRules({ metadata, spec }: Stored<Route>, state: RoutingState): JudgedRules {
  const [rule, ...others] = spec.rules ?? [];
  const { backends, problems } = resolveBackends(rule?.backendRefs, metadata.namespace ?? "", state);
  const dropped = others.map((_, place) => `rule ${place + 1}: a TLSRoute has one rule`);
  return { http: [], tls: backends, dropped, anyLeft: rule !== undefined, unresolved: problems[0] };
}

function unsupportedIn({ filters = [], backendRefs = [], ...rule }: HttpRouteRule): string | undefined {
  const filter = [...filters, ...backendRefs.flatMap(({ filters = [] }) => filters)][0];
  if (filter) return `filters of type ${filter.type} are not supported`;
  const field = (["timeouts", "retry", "sessionPersistence"] as const).find((name) => rule[name] !== undefined);
  return field && `${field} are not supported`;
}
