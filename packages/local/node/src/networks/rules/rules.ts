/**
 * What follows from the state: which elements the table's sets and maps have, and the chains that they lead to. Only this
 * changes while a node runs; script.ts has the rest.
 */
import { createHash } from "node:crypto";
import { type Range, writeRange } from "@berg/local-engine";
import { type Direction, type Opening, openingsOf, type PortRange } from "../policies/openings.ts";
import { type ServicePort, servicePorts } from "../services/service-ports.ts";
import type { NetworkPod, NetworkState } from "../state.ts";

export interface Rules {
  /** By the name of the set or map: what each key leads to; nothing in a set. */
  readonly elements: Readonly<Record<Collection, ReadonlyMap<string, string>>>;
  /** Named by what is in them, so that one of a name never changes. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

export type Collection = "bridges" | "within" | "members" | "guests" | "selves" | "senders" | "receivers" | "services";

const protocols = new Set(["TCP", "UDP", "SCTP"]);

export function rulesOf(state: NetworkState): Rules {
  const bridgeOf = new Map(state.bridges.map(({ namespace, bridge }) => [namespace, bridge]));
  const pods = podsOnBridges(state, bridgeOf);
  const chains = new Map<string, readonly string[]>();
  const goto = (kind: string, lines: readonly string[]) => {
    const name = `${kind}-${createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16)}`;
    chains.set(name, lines);
    return `goto ${name}`;
  };
  const policed = { ...state, pods: pods.map(({ pod }) => pod) };
  const verdicts = (direction: Direction) =>
    pods.flatMap(({ pod }): [string, string][] => {
      const openings = openingsOf(pod, direction, policed);
      return openings ? [[pod.address, goto(direction, openingLines(openings, direction))]] : [];
    });
  const names = [...bridgeOf.values()].sort().map((bridge) => `"${bridge}"`);
  const guests = guestPlaces(state, bridgeOf);
  const elements = {
    bridges: asSet(names),
    within: asSet(names.map((name) => `${name} . ${name}`)),
    members: asSet([...pods.map(({ bridge, pod }) => placeOf(bridge, pod.address)), ...guests]),
    guests: asSet(guests),
    selves: asSet(pods.map(({ pod }) => `${pod.address} . ${pod.address}`)),
    senders: new Map(verdicts("egress")),
    receivers: new Map(verdicts("ingress")),
    services: new Map(serviceEntries(state, bridgeOf).map(([key, port]) => [key, goto("service", [targetLine(port)])])),
  };
  return { elements, chains };
}

function asSet(keys: readonly string[]): Map<string, string> {
  return new Map(keys.map((key) => [key, ""]));
}

function placeOf(bridge: string, address: string): string {
  return `"${bridge}" . ${address}`;
}

function guestPlaces({ guests }: NetworkState, bridgeOf: ReadonlyMap<string, string>): string[] {
  const places = guests.flatMap(({ namespace, address }) => {
    const bridge = bridgeOf.get(namespace);
    return bridge === undefined ? [] : [placeOf(bridge, address)];
  });
  return places.sort(compare);
}

/** Each address once: the engine may have given that of a pod which is about to be forgotten to the next, or a guest. */
function podsOnBridges(state: NetworkState, bridgeOf: ReadonlyMap<string, string>) {
  const taken = new Set(state.guests.map(({ address }) => address));
  const byAddress = new Map<string, { pod: NetworkPod; bridge: string }>();
  for (const pod of state.pods) {
    const bridge = bridgeOf.get(pod.namespace);
    if (bridge !== undefined && !taken.has(pod.address)) byAddress.set(pod.address, { pod, bridge });
  }
  return [...byAddress.values()].sort((a, b) => compare(a.pod.address, b.pod.address));
}

function serviceEntries(state: NetworkState, bridgeOf: ReadonlyMap<string, string>): [string, ServicePort][] {
  const entries = new Map<string, ServicePort>();
  for (const service of state.services) {
    const bridge = bridgeOf.get(service.metadata.namespace ?? "");
    if (bridge === undefined) continue;
    for (const port of servicePorts(service, state.slices)) {
      if (port.targets.length === 0 || !isPossible({ protocol: port.protocol, from: port.port })) continue;
      entries.set(`"${bridge}" . ${port.address} . ${port.protocol.toLowerCase()} . ${port.port}`, port);
    }
  }
  return [...entries].sort(([a], [b]) => compare(a, b));
}

function targetLine({ protocol, targets, isSticky }: ServicePort): string {
  const choice = isSticky ? "jhash ip saddr" : "numgen random";
  const [only] = targets;
  const target =
    targets.length === 1 && only
      ? `${only.address}:${only.port}`
      : `${choice} mod ${targets.length} map { ${targets.map(({ address, port }, i) => `${i} : ${address} . ${port}`).join(", ")} }`;
  return `meta l4proto ${protocol.toLowerCase()} dnat ip to ${target}`;
}

function openingLines(openings: readonly Opening[], direction: Direction): string[] {
  const side = direction === "egress" ? "ip daddr" : "ip saddr";
  const lines = openings.flatMap((opening) => openingLine(opening, side) ?? []);
  return [...[...new Set(lines)].sort(), "drop"];
}

function openingLine({ peers, port }: Opening, side: string): string | undefined {
  if (port && !isPossible(port)) return undefined;
  const parts: string[] = [];
  if (peers && !peers.ranges.some(({ bits }) => bits === 0)) parts.push(`${side} ${oneOf(peers.ranges)}`);
  // One by one: a list of ranges that overlap is refused.
  for (const range of peers?.except ?? []) parts.push(`${side} != ${writeRange(range)}`);
  if (port) parts.push(`meta l4proto ${port.protocol.toLowerCase()}`);
  if (port?.from !== undefined) parts.push(`th dport ${portText(port.from, port.to)}`);
  return [...parts, "return"].join(" ");
}

/** The server lets in no other; one line that nft refuses would be in the way of all. */
function isPossible({ protocol, from = 1, to = from }: PortRange): boolean {
  return protocols.has(protocol) && isPort(from) && isPort(to) && from <= to;
}

function isPort(number: number): boolean {
  return number >= 1 && number <= 65_535;
}

function portText(from: number, to = from): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

/** More than one are always addresses of pods, each its own. */
function oneOf(ranges: readonly Range[]): string {
  const texts = [...new Set(ranges.map(writeRange))].sort();
  return texts.length === 1 ? `${texts[0]}` : `{ ${texts.join(", ")} }`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
