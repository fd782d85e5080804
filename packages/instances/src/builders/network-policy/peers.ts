/** Who reaches an instance and what it reaches, said once for both kinds of policy. */
import { transportProtocol } from "@berg/resources";
import type { GatewaySettings, NetworkSettings } from "../../settings/settings.ts";
import type { Workload } from "../blueprint.ts";

export interface Port {
  port: number;
  protocol: "TCP" | "UDP";
}

type PortType = Workload["containers"][number]["ports"][number]["type"];

/** Where the gateway brings the players in. */
export function routedPorts(workload: Workload): Port[] {
  return portsOf(workload, ["publicHttpRoute", "publicTlsRoute"]);
}

/** Where players come in by themselves, at a port of the nodes. */
export function publicPorts(workload: Workload): Port[] {
  return portsOf(workload, ["publicPort"]);
}

function portsOf({ containers }: Workload, types: PortType[]): Port[] {
  const wanted = containers.flatMap(({ ports }) => ports.filter(({ type }) => types.includes(type)));
  return distinct(wanted.map(({ port, protocol }) => ({ port, protocol: transportProtocol(protocol) })));
}

/** Where an instance finds its own routes, as a sign-in that comes back to the challenge has to. */
export function gatewayPorts({ httpPort, tlsPort }: GatewaySettings): Port[] {
  return distinct([httpPort, tlsPort].map((port) => ({ port, protocol: "TCP" })));
}

/** An answer that is too long for UDP is asked for again over TCP. */
export const dnsPorts: readonly Port[] = [
  { port: 53, protocol: "UDP" },
  { port: 53, protocol: "TCP" },
];

/** The namespace and the label of the cluster's name server, whichever it is. */
export const nameServer = { namespace: "kube-system", label: "k8s-app", value: "kube-dns" } as const;

/** Every address but the denied ones. A range is left out of one of its own family only, or the policy is refused. */
export function internet({ denyCidrs }: NetworkSettings): { cidr: string; except?: string[] }[] {
  const isSix = (cidr: string) => cidr.includes(":");
  return ["0.0.0.0/0", "::/0"].map((cidr) => {
    const except = denyCidrs.filter((denied) => isSix(denied) === isSix(cidr));
    return { cidr, ...(except.length > 0 && { except }) };
  });
}

function distinct(ports: Port[]): Port[] {
  return [...new Map(ports.map((port) => [`${port.port}/${port.protocol}`, port])).values()];
}
