/**
 * The ports that a Service has on every node: given out from one range, kept over updates, free again when no stored
 * Service has them.
 */
import { invalid } from "../../../errors/field-error.ts";
import { internalError } from "../../../errors/refusals.ts";
import type { AnyStoredObject } from "../../../registry/resource.ts";
import { refuse } from "./refuse.ts";
import { isOpenOnNodes, needsHealthCheck, type Service, type ServiceSpec } from "./shape.ts";

export interface PortRange {
  first: number;
  last: number;
}

/** One decision on ports: what is given out in it is taken for the rest of it. */
export class NodePorts {
  readonly #range: PortRange;
  readonly #taken = new Set<number>();
  readonly #random: () => number;

  /** `stored`: all Services, also the one that is decided on: what it gives up is free with the next decision. */
  constructor(range: PortRange, stored: Iterable<AnyStoredObject>, random: () => number) {
    this.#range = range;
    this.#random = random;
    for (const service of stored)
      for (const port of portsOf((service as unknown as Service).spec)) this.#taken.add(port);
  }

  /** Undefined where it was free, and else what is wrong with it. */
  take(port: number): string | undefined {
    const { first, last } = this.#range;
    if (port < first || port > last)
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    if (this.#taken.has(port)) return "provided port is already allocated";
    this.#taken.add(port);
    return undefined;
  }

  /** From the upper part first: the lower one is for those who choose their port themselves. */
  takeAny(what: string): number {
    const { first, last } = this.#range;
    const count = last - first + 1;
    const reserved = Math.min(Math.max(16, Math.floor(count / 32)), 128, count);
    const port = this.#freeIn(first + reserved, last) ?? this.#freeIn(first, first + reserved - 1);
    if (port === undefined) throw internalError(`failed to allocate a ${what}: range is full`);
    this.#taken.add(port);
    return port;
  }

  #freeIn(first: number, last: number): number | undefined {
    const count = last - first + 1;
    const start = Math.floor(this.#random() * count);
    for (let i = 0; i < count; i++) {
      const port = first + ((start + i) % count);
      if (!this.#taken.has(port)) return port;
    }
    return undefined;
  }
}

/** Gives a port to each port of the Service that has none. */
export function allocateNodePorts(service: Service, old: ServiceSpec | undefined, ports: NodePorts): void {
  const { spec } = service;
  if (isOpenOnNodes(spec)) {
    if (old) updatePorts(service, old, ports);
    else createPorts(service, ports);
  }
  if (!needsHealthCheck(spec) || (old && needsHealthCheck(old))) return;
  const wanted = spec.healthCheckNodePort;
  if (wanted === undefined) {
    spec.healthCheckNodePort = ports.takeAny("HealthCheck NodePort 0");
    return;
  }
  const problem = ports.take(wanted);
  if (problem) throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`);
}

/** One number serves all protocols of a port: DNS is reached at the same one by TCP and by UDP. */
function createPorts(service: Service, ports: NodePorts): void {
  const { spec } = service;
  const byPort = new Map<number, number>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort === undefined && spec.allocateLoadBalancerNodePorts === false) continue;
    const known = byPort.get(port.port);
    const wanted = known
      ? port.nodePort
      : spec.ports?.find((other) => other.port === port.port && other.nodePort !== undefined)?.nodePort;
    if (wanted !== undefined && wanted !== known) takeOrRefuse(service, i, wanted, ports);
    port.nodePort = wanted ?? known ?? ports.takeAny("nodePort");
    if (!known) byPort.set(port.port, port.nodePort);
  }
}

function updatePorts(service: Service, old: ServiceSpec, ports: NodePorts): void {
  const { spec } = service;
  const own = new Set(nodePortsOf(old));
  const used = new Set<string>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort === undefined && spec.allocateLoadBalancerNodePorts === false) continue;
    if (port.nodePort !== undefined && !own.has(port.nodePort)) {
      takeOrRefuse(service, i, port.nodePort, ports);
      own.add(port.nodePort);
    }
    port.nodePort ??= ports.takeAny("nodePort");
    const key = `${port.protocol} ${port.nodePort}`;
    if (used.has(key)) throw internalError(`duplicate nodePort: {${key}}`);
    used.add(key);
  }
}

function takeOrRefuse(service: Service, index: number, port: number, ports: NodePorts): void {
  const problem = ports.take(port);
  if (problem) refuse(service, [invalid(`spec.ports[${index}].nodePort`, port, problem)]);
}

/** An ExternalName may mention a port, and does not have it. */
function portsOf(spec: ServiceSpec): number[] {
  if (!isOpenOnNodes(spec)) return [];
  const { healthCheckNodePort } = spec;
  return healthCheckNodePort === undefined ? nodePortsOf(spec) : [...nodePortsOf(spec), healthCheckNodePort];
}

export function nodePortsOf({ ports = [] }: ServiceSpec): number[] {
  return ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]));
}
