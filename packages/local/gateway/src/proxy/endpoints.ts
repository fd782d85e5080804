/** The pods behind a Service. Those that are ready are looked up when they are needed, and always the latest. */
import type { Informer, Random } from "@berg/kube";
import { type EndpointSlice, serviceNameLabel } from "../kinds.ts";
import type { Backend, Backends, ServicePort } from "../routing/table.ts";

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export type EndpointsOf = (port: ServicePort, protocol?: string) => readonly Endpoint[];

const byService = "service";

export function endpointsFrom(slices: Pick<Informer<EndpointSlice>, "ensureIndex" | "byIndex">): EndpointsOf {
  slices.ensureIndex(byService, ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[serviceNameLabel]}`]);
  return ({ service, portName }, protocol = "TCP") =>
    slices.byIndex(byService, service).flatMap(({ addressType, ports, endpoints }) => {
      // Names lead out of the cluster, or back into this machine.
      if (addressType === "FQDN") return [];
      const port = ports?.find((each) => (each.name ?? "") === portName && (each.protocol ?? "TCP") === protocol)?.port;
      if (port === undefined) return [];
      // Unset means unknown, which counts as ready.
      const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
      return ready.flatMap(({ addresses }) => addresses.slice(0, 1).map((address) => ({ address, port })));
    });
}

/** One by weight; undefined where there is none to draw from. */
export function drawBackend(backends: Backends, random: Random): Backend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * total;
  for (const backend of backends) {
    left -= backend.weight;
    if (left < 0) return backend;
  }
  return undefined;
}

/** All of them, from one drawn at random onwards. */
export function inTurn<T>(all: readonly T[], random: Random): T[] {
  const first = Math.floor(random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
