/** NodePorts on one machine: each opens that port here, and leads to the Service's ready pods. */
import {
  type Client,
  type Clock,
  createMetrics,
  type Logger,
  Manager,
  type Random,
  Services,
  systemClock,
  systemRandom,
  watchMapped,
} from "@berg/kube";
import { EndpointSlices } from "../kinds.ts";
import { endpointsFrom } from "../proxy/endpoints.ts";
import { defaultLimits, type Limits } from "../proxy/limits.ts";
import { type Running, runUntilStopped } from "../running.ts";
import { TcpPorts } from "./tcp-ports.ts";
import { UdpPorts } from "./udp-ports.ts";
import { wantedPorts } from "./wanted-ports.ts";

export interface NodePortsOptions {
  client: Client;
  log: Logger;
  /** Where ports are opened; 127.0.0.1 unless told otherwise. */
  host?: string;
  limits?: Partial<Limits>;
  clock?: Clock;
  random?: Random;
}

const everything = "ports";
/** Whoever has a port may let go of it. */
const lookAgainMs = 1_000;

/**
 *     await using nodePorts = await startNodePorts({ client, log });
 */
export async function startNodePorts(options: NodePortsOptions): Promise<Running> {
  const { client, log, host = "127.0.0.1", clock = systemClock, random = systemRandom } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const manager = new Manager({ component: "node-ports", client, log, clock, metrics: await createMetrics() });
  const services = manager.informer(Services);
  const endpointsOf = endpointsFrom(manager.informer(EndpointSlices));
  const surroundings = { host, endpointsOf, limits, random, log, clock };
  const tcp = new TcpPorts(surroundings);
  const udp = new UdpPorts(surroundings);
  const told = new Map<string, string>();

  manager.addController({
    name: "node-ports",
    watches: [watchMapped(services, () => [everything])],
    workers: 1,
    async reconcile() {
      const wanted = wantedPorts(services.list());
      const problems = { tcp: await tcp.set(wanted.tcp), udp: await udp.set(wanted.udp) };
      const unsolved = new Set<string>();
      for (const protocol of ["tcp", "udp"] as const) {
        for (const [port, problem] of problems[protocol]) {
          const key = `${protocol} ${port}`;
          unsolved.add(key);
          const service = wanted[protocol].get(port)?.service;
          if (!service || told.get(key) === problem) continue;
          told.set(key, problem);
          log.warn({ port, protocol, service: service.metadata.name }, problem);
          manager.recorder.event(service, "Warning", "NodePortUnavailable", problem);
        }
      }
      for (const key of told.keys()) if (!unsolved.has(key)) told.delete(key);
      return unsolved.size > 0 ? { requeueAfterMs: lookAgainMs } : undefined;
    },
  });

  return runUntilStopped(manager, () => Promise.all([tcp.stop(), udp.stop()]));
}
