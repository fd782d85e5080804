/** What becomes of each listener of a Gateway: whether it is served, which routes it takes, and what stands in the way. */
import { compileLabelSelector, type LabelMatcher, type Stored, selectNothing } from "@berg/apimachinery";
import { narrower } from "../hostnames/hostname.ts";
import { type Gateway, gatewayGroup, type Listener, type RouteKind } from "../kinds.ts";
import { certificateOption, issuedHere, type Verdict } from "../vocabulary.ts";
import { certificateOf, describeKind } from "./certificates.ts";
import { conflictOf, isSecure } from "./conflicts.ts";
import type { RoutingState } from "./state.ts";
import type { Certificate } from "./table.ts";

export interface JudgedListener {
  readonly listener: Listener;
  readonly gateway: Stored<Gateway>;
  readonly supportedKinds: readonly RouteKind[];
  readonly certificate: Certificate | undefined;
  /** Each undefined where all is well. */
  readonly conflict: Verdict | undefined;
  readonly refused: Verdict | undefined;
  readonly unresolved: Verdict | undefined;
  /** Whether requests to it are answered. */
  readonly served: boolean;
  /** Others on the port with a hostname that is partly its own. */
  readonly overlapping: readonly string[];
  allowsNamespace(name: string): boolean;
}

/** `taken` holds the ports of older Gateways, by port. */
export function judgeListeners(
  gateway: Stored<Gateway>,
  state: RoutingState,
  taken: ReadonlyMap<number, string>,
): JudgedListener[] {
  const { listeners } = gateway.spec;
  return listeners.map((listener) => {
    const { metadata } = gateway;
    const namespace = metadata.namespace ?? "";
    const conflict = isKnownProtocol(listener) ? conflictOf(listener, listeners.filter(isKnownProtocol)) : undefined;
    const refused = refusalOf(listener, state, taken) ?? conflict;
    const kinds = judgeKinds(listener);
    const found = endsTls(listener) ? certificateOf(listener.tls, namespace, state) : undefined;
    const certificate = found && "certificate" in found ? found.certificate : undefined;
    const certificateProblem = found && "problem" in found ? found.problem : undefined;
    return {
      listener,
      gateway,
      supportedKinds: kinds.supported,
      certificate,
      conflict,
      refused,
      unresolved: certificateProblem ?? kinds.problem,
      served: !refused && !certificateProblem,
      overlapping: isSecure(listener) ? overlapping(listener, listeners) : [],
      allowsNamespace: namespaceRule(listener, namespace, state),
    };
  });
}

export function endsTls({ protocol, tls }: Listener): boolean {
  return protocol === "HTTPS" || (protocol === "TLS" && tls?.mode !== "Passthrough");
}

function isKnownProtocol({ protocol }: Listener): boolean {
  return protocol === "HTTP" || protocol === "HTTPS" || protocol === "TLS";
}

function refusalOf(listener: Listener, state: RoutingState, taken: ReadonlyMap<number, string>): Verdict | undefined {
  const { port, protocol, tls } = listener;
  if (!isKnownProtocol(listener)) {
    const message = `protocol ${protocol} is not supported: HTTP, HTTPS and TLS are`;
    return { reason: "UnsupportedProtocol", message };
  }
  const unsupported = unsupportedTls(protocol, tls);
  if (unsupported) return { reason: "UnsupportedValue", message: unsupported };
  const owner = taken.get(port);
  if (owner)
    return { reason: "PortUnavailable", message: `port ${port} belongs to the Gateway ${owner}, which is older` };
  const problem = state.unavailablePorts.get(port);
  return problem === undefined ? undefined : { reason: "PortUnavailable", message: problem };
}

function unsupportedTls(protocol: string, tls: Listener["tls"]): string | undefined {
  if (protocol === "HTTP") return tls && "tls is not for protocol HTTP";
  if (!tls) return `protocol ${protocol} needs tls`;
  const { mode = "Terminate", options = {} } = tls;
  if (mode !== "Terminate" && mode !== "Passthrough") return `tls mode ${mode} is not supported`;
  if (protocol === "HTTPS" && mode === "Passthrough") return "protocol HTTPS needs tls mode Terminate";
  for (const [name, value] of Object.entries(options)) {
    if (name !== certificateOption) return `the tls option ${name} is not supported`;
    if (value !== issuedHere) return `the tls option ${name} must be "${issuedHere}"`;
  }
  return undefined;
}

function judgeKinds({ protocol, allowedRoutes }: Listener): { supported: RouteKind[]; problem?: Verdict } {
  const group = gatewayGroup;
  if (protocol !== "TLS" && protocol !== "HTTP" && protocol !== "HTTPS") return { supported: [] };
  const fitting = protocol === "TLS" ? "TLSRoute" : "HTTPRoute";
  const asked = allowedRoutes?.kinds ?? [];
  if (asked.length === 0) return { supported: [{ group, kind: fitting }] };
  const fits = (asked: RouteKind) => (asked.group ?? group) === group && asked.kind === fitting;
  const supported = asked.some(fits) ? [{ group, kind: fitting }] : [];
  const other = asked.find((kind) => !fits(kind));
  if (!other) return { supported };
  const message = `routes of kind ${describeKind(other)} are not for protocol ${protocol}`;
  return { supported, problem: { reason: "InvalidRouteKinds", message } };
}

function namespaceRule({ allowedRoutes }: Listener, own: string, state: RoutingState): (name: string) => boolean {
  const { from = "Same", selector } = allowedRoutes?.namespaces ?? {};
  if (from === "All") return () => true;
  if (from === "Same") return (name) => name === own;
  if (from !== "Selector") return () => false;
  const matcher = compileOrNothing(selector);
  return (name) => {
    const labels = state.labelsOfNamespace(name);
    return labels !== undefined && matcher.matches(labels);
  };
}

function compileOrNothing(selector: Parameters<typeof compileLabelSelector>[0]): LabelMatcher {
  try {
    return compileLabelSelector(selector);
  } catch {
    return selectNothing;
  }
}

function overlapping(listener: Listener, listeners: readonly Listener[]): string[] {
  const others = listeners.filter((other) => other !== listener && other.port === listener.port && isSecure(other));
  const overlap = others.filter((other) => narrower(other.hostname, listener.hostname) !== false);
  return overlap.map(({ name }) => name);
}
