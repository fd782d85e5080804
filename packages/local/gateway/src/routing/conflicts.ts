/**
 * Listeners that stand in each other's way. Of two in one Gateway neither is served, since nobody could say which was
 * meant. Between Gateways a port belongs to the older one.
 */
import type { Listener } from "../kinds.ts";
import type { Verdict } from "../vocabulary.ts";

export function conflictOf(listener: Listener, listeners: readonly Listener[]): Verdict | undefined {
  const others = listeners.filter((other) => other !== listener && other.port === listener.port);
  const otherProtocol = others.find((other) => isSecure(other) !== isSecure(listener));
  if (otherProtocol) {
    const message = `port ${listener.port} cannot be both: the listener ${otherProtocol.name} has protocol ${otherProtocol.protocol}`;
    return { reason: "ProtocolConflict", message };
  }
  const sameName = others.find((other) => (other.hostname || "") === (listener.hostname || ""));
  if (!sameName) return undefined;
  const hostname = listener.hostname ? `hostname ${listener.hostname}` : "every hostname";
  const message = `the listener ${sameName.name} has ${hostname} on port ${listener.port}, too`;
  return { reason: "HostnameConflict", message };
}

/** Clients of both begin with TLS, and what they ask for is told by its server name. */
export function isSecure({ protocol }: Pick<Listener, "protocol">): boolean {
  return protocol === "HTTPS" || protocol === "TLS";
}
