/**
 * What the names below `cluster.local` stand for, to a pod of one namespace. The answers are CoreDNS's, with one
 * difference: names of other namespaces do not exist, because whoever else plays is nobody's business, and their pods
 * cannot be reached anyway. Only `kubernetes.default`, which every cluster has, is known everywhere.
 */
import type { Service } from "@berg/kube";
import { isInRange, readAddress, readRange } from "@berg/local-engine";
import type { Endpoint, EndpointSlice } from "../kinds.ts";
import { isReady, slicesOf } from "../services/ready-endpoints.ts";
import { serviceRange } from "../state.ts";
import { type DnsRecord, type Question, recordTypes } from "./message.ts";

export const clusterDomain = "cluster.local";
export const reverseDomain = "in-addr.arpa";

/** What is known of the namespace of the pod that asks. */
export interface NamesInReach {
  readonly namespace: string;
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  /** `kubernetes` of the namespace `default`. */
  readonly apiServer: Service | undefined;
  /** Whether an address is one of a pod's network, so that nobody outside is asked for its name. */
  isPodAddress(address: string): boolean;
}

export type Finding =
  /** Maybe none: the name exists and has no such record. */
  | { readonly records: readonly DnsRecord[]; readonly additional?: readonly DnsRecord[]; readonly zone: string }
  /** Another name for this one. */
  | { readonly alias: string; readonly zone: string }
  | { readonly noSuchNameIn: string }
  | "not of this cluster";

export function findName({ labels, type }: Pick<Question, "labels" | "type">, reach: NamesInReach): Finding {
  if (endsWith(labels, reverseDomain)) return findAddress(labels, type, reach);
  if (!endsWith(labels, clusterDomain)) return "not of this cluster";
  // A dot within a label would make another name of it.
  const plain = labels.every((label) => !label.includes("."));
  const found = plain ? findInCluster(labels.slice(0, -2), labels.join("."), type, reach) : undefined;
  if (found === undefined) return { noSuchNameIn: clusterDomain };
  return "alias" in found ? { ...found, zone: clusterDomain } : { ...found, zone: clusterDomain };
}

type Found = { alias: string } | { records: DnsRecord[]; additional?: DnsRecord[] };

function findInCluster(labels: readonly string[], name: string, type: number, reach: NamesInReach): Found | undefined {
  const [kind, namespace, ...rest] = labels.toReversed();
  const nothing = { records: [] };
  if (kind === undefined) return nothing;
  if (kind !== "svc" && kind !== "pod") return undefined;
  if (namespace === undefined) return nothing;
  if (kind === "pod") return namespace === reach.namespace ? findPod(rest, name, type) : undefined;
  const [service, ...below] = rest;
  const known = service === undefined ? undefined : serviceOf(service, namespace, reach);
  if (known) return findService(known, below, name, type, reach.slices);
  return service === undefined && namespace === reach.namespace ? nothing : undefined;
}

function serviceOf(name: string, namespace: string, reach: NamesInReach): Service | undefined {
  if (namespace === reach.namespace) return reach.services.find(({ metadata }) => metadata.name === name);
  return namespace === "default" && name === "kubernetes" ? reach.apiServer : undefined;
}

/** `10-202-3-4.<namespace>.pod`: the address that is in the name, whether or not a pod has it. */
function findPod(labels: readonly string[], name: string, type: number): Found | undefined {
  if (labels.length === 0) return { records: [] };
  const address = labels[0]?.replaceAll("-", ".") ?? "";
  if (labels.length > 1 || readAddress(address) === undefined) return undefined;
  return { records: asks(type, "A") ? [{ name, type: "A", address }] : [] };
}

/** One way to reach a Service: each address at each port. */
interface Place {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** `below`, from the Service downwards: nothing, an endpoint, or a protocol and a port. */
function findService(
  service: Service,
  below: readonly string[],
  name: string,
  type: number,
  slices: readonly EndpointSlice[],
): Found | undefined {
  const { spec, metadata } = service;
  const [first, second] = below;
  if (spec?.type === "ExternalName") return below.length === 0 ? { alias: lastDotLess(spec.externalName) } : undefined;
  if (below.length > 2) return undefined;
  const isPort = second !== undefined;
  const wanted = { protocol: isPort ? first : undefined, port: second, endpoint: isPort ? undefined : first };
  const full = `${metadata.name}.${metadata.namespace}.svc.${clusterDomain}`;
  const isHeadless = spec?.clusterIP === "None" || wanted.endpoint !== undefined;
  const places = isHeadless
    ? endpointPlaces(slicesOf(metadata, slices), full, wanted)
    : addressPlaces(service, full, wanted);
  if (places.length === 0) return undefined;
  const distinct = new Map(places.map((place) => [`${place.host}/${place.address}`, place]));
  const addresses = (of: (place: Place) => string): DnsRecord[] =>
    [...distinct.values()].map((place) => ({ name: of(place), type: "A", address: place.address }));
  if (asks(type, "SRV")) {
    const weight = Math.max(1, Math.floor(100 / places.length));
    const records = places
      .filter(({ port }) => port >= 0)
      .map(({ host, port }) => ({ name, type: "SRV" as const, port, weight, target: host }));
    return { records, additional: addresses(({ host }) => host) };
  }
  const distinctAddresses = new Map(addresses(() => name).map((record) => [JSON.stringify(record), record]));
  return { records: asks(type, "A") ? [...distinctAddresses.values()] : [] };
}

interface Wanted {
  readonly endpoint: string | undefined;
  readonly protocol: string | undefined;
  readonly port: string | undefined;
}

function addressPlaces({ spec }: Service, host: string, wanted: Wanted): Place[] {
  const address = spec?.clusterIP ?? "";
  if (readAddress(address) === undefined) return [];
  return (spec?.ports ?? []).filter((port) => isWanted(port, wanted)).map(({ port }) => ({ host, address, port }));
}

function endpointPlaces(slices: readonly EndpointSlice[], service: string, wanted: Wanted): Place[] {
  return slices.flatMap(({ endpoints, ports }) => {
    // A headless Service need not name a port to have addresses.
    const named = ports?.length ? ports.filter((port) => isWanted(port, wanted)) : wanted.port ? [] : [{ port: -1 }];
    return (endpoints ?? []).filter(isReady).flatMap((endpoint) => {
      const [address = ""] = endpoint.addresses;
      const hostname = endpointHostname(endpoint);
      if (readAddress(address) === undefined || (wanted.endpoint ?? hostname) !== hostname) return [];
      return named.map(({ port }) => ({ host: `${hostname}.${service}`, address, port: port ?? -1 }));
    });
  });
}

function isWanted(port: { name?: string | null; protocol?: string | null }, wanted: Wanted): boolean {
  if (wanted.port === undefined) return true;
  return wanted.port === `_${port.name ?? ""}` && wanted.protocol === `_${(port.protocol ?? "TCP").toLowerCase()}`;
}

function endpointHostname({ hostname, addresses: [address = ""] }: Endpoint): string {
  return hostname || address.replaceAll(".", "-");
}

/** `4.3.202.10.in-addr.arpa` → the Service or the endpoint of a headless one that has this address. */
function findAddress(labels: readonly string[], type: number, reach: NamesInReach): Finding {
  const address = labels.slice(0, -2).toReversed().join(".");
  const number = readAddress(address);
  const range = readRange(serviceRange);
  const isOurs = number !== undefined && ((range && isInRange(number, range)) || reach.isPodAddress(address));
  if (!isOurs) return "not of this cluster";
  const target = nameOfAddress(address, reach);
  if (target === undefined) return { noSuchNameIn: reverseDomain };
  const records: DnsRecord[] = asks(type, "PTR") ? [{ name: labels.join("."), type: "PTR", target }] : [];
  return { records, zone: reverseDomain };
}

function nameOfAddress(address: string, { services, slices, apiServer }: NamesInReach): string | undefined {
  for (const { metadata, spec } of apiServer ? [...services, apiServer] : services) {
    const full = `${metadata.name}.${metadata.namespace}.svc.${clusterDomain}`;
    if (spec?.clusterIP === address) return full;
    const endpoint = slicesOf(metadata, slices)
      .flatMap(({ endpoints }) => (endpoints ?? []).filter(isReady))
      .find(({ addresses }) => addresses[0] === address);
    if (endpoint && spec?.clusterIP === "None") return `${endpointHostname(endpoint)}.${full}`;
  }
  return undefined;
}

function asks(type: number, record: "A" | "SRV" | "PTR"): boolean {
  return type === recordTypes[record] || (type === recordTypes.ANY && record !== "SRV");
}

function endsWith(labels: readonly string[], domain: string): boolean {
  return labels.slice(-2).join(".") === domain;
}

function lastDotLess(name = ""): string {
  return name.replace(/\.$/, "").toLowerCase();
}
