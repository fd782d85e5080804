/** Where players connect to, and with what. */
import type { Challenge, InstanceService } from "@berg/resources";
import { printable } from "./printable.ts";

export interface Address {
  /** Of the port, as the Challenge has it. */
  name: string;
  hostname: string;
  port: number;
  protocol: "TCP" | "UDP";
  tls: boolean;
  /** For a browser. */
  url?: string;
  /** For a shell, where it is nothing for a browser. */
  command?: string;
}

/** The names of the ports that are reached with a browser; a service does not say so itself where its author did not. */
export function webPorts({ spec }: Pick<Challenge, "spec">): Set<string> {
  const ports = spec.containers.flatMap(({ hostname, ports }) => ports.map((port) => ({ hostname, ...port })));
  return new Set(
    ports
      .filter(({ type }) => type === "publicHttpRoute")
      .map(({ name, hostname, port }) => name || `${hostname}-${port}`),
  );
}

export function addressOf(service: InstanceService, web: ReadonlySet<string>): Address {
  const { port, protocol = "TCP", tls = false, appProtocol = "" } = service;
  const hostname = printable(service.hostname);
  const known = { name: printable(service.name), hostname, port, protocol, tls };
  const isWeb = protocol === "TCP" && (web.has(service.name) || /^https?$/i.test(appProtocol));
  if (!isWeb) return { ...known, command: commandFor(known, appProtocol) };
  const scheme = tls ? "https" : "http";
  const isUsual = port === (tls ? 443 : 80);
  return { ...known, url: `${scheme}://${hostname}${isUsual ? "" : `:${port}`}/` };
}

function commandFor({ hostname, port, protocol, tls }: Omit<Address, "name">, appProtocol: string): string {
  if (protocol === "UDP") return `nc -u ${hostname} ${port}`;
  if (tls) return `ncat --ssl ${hostname} ${port}`;
  return /^ssh$/i.test(appProtocol) ? `ssh -p ${port} ${hostname}` : `nc ${hostname} ${port}`;
}
