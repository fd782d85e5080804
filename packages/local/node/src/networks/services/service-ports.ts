/** Which address and port of a Service leads to which pods. */
import type { Service } from "@berg/kube";
import { readAddress } from "@berg/local-engine";
import type { EndpointSlice } from "../kinds.ts";
import { isLastResort, isReady, slicesOf } from "./ready-endpoints.ts";

export interface ServicePort {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
  /** Nobody is there while it is empty. */
  readonly targets: readonly Target[];
  /** One client stays with one pod. */
  readonly isSticky: boolean;
}

export interface Target {
  readonly address: string;
  readonly port: number;
}

/** None for a Service without an address of its own: headless ones, and those that are another name for a host. */
export function servicePorts(service: Service, slices: readonly EndpointSlice[]): ServicePort[] {
  const { spec, metadata } = service;
  const address = spec?.clusterIP ?? "";
  if (readAddress(address) === undefined || spec?.type === "ExternalName") return [];
  const own = slicesOf(metadata, slices);
  return (spec?.ports ?? []).map(({ name = "", protocol = "TCP", port }) => ({
    address,
    protocol,
    port,
    targets: targetsOf(own, name, protocol),
    isSticky: spec?.sessionAffinity === "ClientIP",
  }));
}

function targetsOf(slices: readonly EndpointSlice[], name: string, protocol: string): Target[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol)?.port;
    if (port === undefined || port === null) return [];
    return (endpoints ?? []).flatMap((endpoint) => {
      const [address = ""] = endpoint.addresses;
      return readAddress(address) === undefined ? [] : [{ endpoint, target: { address, port } }];
    });
  });
  const ready = all.filter(({ endpoint }) => isReady(endpoint));
  const chosen = ready.length > 0 ? ready : all.filter(({ endpoint }) => isLastResort(endpoint));
  const distinct = new Map(chosen.map(({ target }) => [`${target.address}:${target.port}`, target]));
  return [...distinct.keys()].sort().flatMap((key) => distinct.get(key) ?? []);
}
