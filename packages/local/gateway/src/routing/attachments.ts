/** Which listeners a route is served by, and what each of the Gateways that it names says to it. */
import type { Stored } from "@berg/apimachinery";
import { narrower } from "../hostnames/hostname.ts";
import { gatewayGroup, type ParentReference, type Route } from "../kinds.ts";
import type { Verdict } from "../vocabulary.ts";
import type { JudgedListener } from "./listeners.ts";
import type { JudgedRules } from "./rules.ts";

export interface Attachment {
  readonly listener: JudgedListener;
  /** Those of the route as far as the listener's own allows; undefined stands for all. */
  readonly hostnames: readonly (string | undefined)[];
}

export interface ParentVerdict {
  readonly parentRef: ParentReference;
  readonly refused: Verdict | undefined;
  readonly attachments: readonly Attachment[];
}

/** Undefined where the parent is none of ours. */
export function judgeParent(
  route: Stored<Route>,
  kind: "HTTPRoute" | "TLSRoute",
  rules: JudgedRules,
  parentRef: ParentReference,
  gateways: ReadonlyMap<string, readonly JudgedListener[]>,
): ParentVerdict | undefined {
  const { group = gatewayGroup, kind: parentKind = "Gateway", name } = parentRef;
  const own = route.metadata.namespace ?? "";
  const listeners = gateways.get(`${parentRef.namespace ?? own}/${name}`);
  if (group !== gatewayGroup || parentKind !== "Gateway" || !listeners) return undefined;
  const refuse = (reason: string, message: string): ParentVerdict => {
    return { parentRef, refused: { reason, message }, attachments: [] };
  };

  const named = listeners.filter(({ listener }) => isNamed(parentRef, listener));
  if (named.length === 0) return refuse("NoMatchingParent", `no listener of the Gateway has ${askedFor(parentRef)}`);
  if (kind === "TLSRoute" && !named.some(({ listener }) => listener.protocol === "TLS")) {
    return refuse("UnsupportedValue", "TLSRoutes need a listener with protocol TLS");
  }
  const allowing = named.filter(
    ({ supportedKinds, allowsNamespace }) =>
      supportedKinds.some((supported) => supported.kind === kind) && allowsNamespace(own),
  );
  if (allowing.length === 0) {
    return refuse("NotAllowedByListeners", `no listener takes routes of kind ${kind} from the namespace ${own}`);
  }
  const attachments = allowing.flatMap((listener) => {
    const hostnames = sharedHostnames(route.spec.hostnames ?? [], listener.listener.hostname);
    return hostnames.length === 0 ? [] : { listener, hostnames };
  });
  if (attachments.length === 0) {
    return refuse("NoMatchingListenerHostname", "no hostname of the route is one of a listener's");
  }
  if (!rules.anyLeft) return refuse("UnsupportedValue", rules.dropped.join("; ") || "the route has no rule");
  return { parentRef, refused: notServed(attachments), attachments };
}

/** A route that no open port leads to is not accepted: whoever waits for that would send players to it. */
function notServed(attachments: readonly Attachment[]): Verdict | undefined {
  if (attachments.some(({ listener }) => listener.served)) return undefined;
  const [first] = attachments;
  return first?.listener.refused ?? first?.listener.unresolved;
}

function isNamed({ sectionName, port }: ParentReference, listener: { name: string; port: number }): boolean {
  return (!sectionName || sectionName === listener.name) && (!port || port === listener.port);
}

function askedFor({ sectionName, port }: ParentReference): string {
  return [...(sectionName ? [`the name ${sectionName}`] : []), ...(port ? [`port ${port}`] : [])].join(" and ");
}

function sharedHostnames(hostnames: readonly string[], listener: string | undefined): (string | undefined)[] {
  if (hostnames.length === 0) return [listener || undefined];
  const shared = hostnames.map((hostname) => narrower(hostname.toLowerCase(), listener));
  return [...new Set(shared.filter((hostname) => hostname !== false))];
}
