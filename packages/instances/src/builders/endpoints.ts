/** Where each port is found: by the containers of the instance, in their environment, and by players. */
import {
  type ChallengeContainer,
  type ChallengePort,
  type InstanceService,
  statusLimits,
  transportProtocol,
} from "@berg/resources";
import type { EnvVar } from "../flags/flag-env.ts";
import type { Blueprint } from "./blueprint.ts";
import { nodePortServiceName, routeId, serviceName } from "./names.ts";

interface Address {
  host: string;
  port: number;
}

/** The number that the cluster gave to a port of a NodePort Service; undefined as long as that is not known. */
export type NodePortLookup = (serviceName: string, port: number, protocol: "TCP" | "UDP") => number | undefined;

/**
 * `WEB_ENDPOINT=web:80` for every named port of every container, in their order. A name that occurs twice is given
 * twice: the last one wins, as everywhere in the environment.
 */
export function endpointEnv(blueprint: Blueprint): EnvVar[] {
  return everyPort(blueprint).flatMap(({ container, port }) => {
    if (port.name === undefined || port.name === "") return [];
    const { host, port: number } = routeAddress(blueprint, container, port) ?? {
      host: serviceName(container.hostname),
      port: port.port,
    };
    return { name: endpointVariable(port.name), value: `${host}:${number}` };
  });
}

/** What players are shown, as far as it is known: a port whose number is not there yet is left out. */
export function publicServices(blueprint: Blueprint, nodePorts: NodePortLookup): InstanceService[] {
  const services = everyPort(blueprint).flatMap(({ container, port }) => {
    if (port.type === "internalPort") return [];
    const address = routeAddress(blueprint, container, port) ?? nodeAddress(blueprint, container, port, nodePorts);
    return address ? instanceService(blueprint, container, port, address) : [];
  });
  return services.slice(0, statusLimits.services);
}

function everyPort({ workload }: Blueprint): { container: ChallengeContainer; port: ChallengePort }[] {
  return workload.containers.flatMap((container) => container.ports.map((port) => ({ container, port })));
}

/** Undefined for a port without a route. */
function routeAddress(
  { instance, settings }: Blueprint,
  { hostname }: ChallengeContainer,
  { type, port, protocol }: ChallengePort,
): Address | undefined {
  if (type !== "publicHttpRoute" && type !== "publicTlsRoute") return undefined;
  const id = routeId(instance.uid, hostname, port, transportProtocol(protocol));
  const { httpPort, tlsPort } = settings.gateway;
  return { host: `${id}.${settings.domain}`, port: type === "publicHttpRoute" ? httpPort : tlsPort };
}

function nodeAddress(
  { settings }: Blueprint,
  { hostname }: ChallengeContainer,
  { port, protocol }: ChallengePort,
  nodePorts: NodePortLookup,
): Address | undefined {
  const number = nodePorts(nodePortServiceName(hostname), port, transportProtocol(protocol));
  return number === undefined ? undefined : { host: settings.domain, port: number };
}

function instanceService(
  { settings }: Blueprint,
  { hostname }: ChallengeContainer,
  { name, port, protocol, appProtocol, type }: ChallengePort,
  address: Address,
): InstanceService {
  return {
    name: name || `${hostname}-${port}`,
    hostname: address.host,
    port: address.port,
    protocol: transportProtocol(protocol),
    ...(appProtocol && { appProtocol }),
    tls: type === "publicTlsRoute" || (type === "publicHttpRoute" && settings.gateway.httpTls),
  };
}

/** `endpointVariable("admin-panel")` is `"ADMIN_PANEL_ENDPOINT"`. */
export function endpointVariable(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_ENDPOINT`;
}
