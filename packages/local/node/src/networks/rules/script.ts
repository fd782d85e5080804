/**
 * All rules of this node as one nftables script, which puts the whole table in place of the old one at once.
 *
 * What holds, whatever else is on the host:
 * - Nothing from a pod reaches the host, but questions to our DNS and answers to what the host itself asked.
 * - Nothing passes between the bridges of two namespaces, nor from outside to a pod. The host reaches every pod.
 * - A pod sends under its own address alone, and IPv4 alone.
 * - NetworkPolicies decide about the rest: pod to world, and pod to pod of one namespace. The latter is switched rather
 *   than routed and comes by here only because its bridge is told so (bridge.ts).
 * - Addresses of Services lead to their pods, for the pods of the same namespace. The pod behind sees the bridge's
 *   address rather than that of the pod that asks: answers have to come back this way.
 *
 * A packet that another table drops stays dropped: a firewall of the host may close what is open here.
 */
import { type Range, writeRange } from "../addresses.ts";
import { type Direction, type Opening, openingsOf, type PortRange } from "../policies/openings.ts";
import { type ServicePort, servicePorts } from "../services/service-ports.ts";
import { dnsAddress, type NetworkPod, type NetworkState, serviceRange } from "../state.ts";
import { Chains, chain, collection } from "./parts.ts";

export interface RuleSettings {
  readonly table: string;
  /** Where our DNS listens, on every address of the host. */
  readonly dnsPort: number;
}

/** A pod that asks for names without end must not keep this process busy. */
const dnsLimit = "limit rate over 200/second burst 400 packets";
const protocols = new Set(["TCP", "UDP", "SCTP"]);

export function rulesScript(state: NetworkState, { table, dnsPort }: RuleSettings): string {
  const bridgeOf = new Map(state.bridges.map(({ namespace, bridge }) => [namespace, bridge]));
  const pods = podsOnBridges(state, bridgeOf);
  const chains = new Chains();
  const policed = { ...state, pods: pods.map(({ pod }) => pod) };
  const verdicts = (direction: Direction) =>
    pods.flatMap(({ pod }) => {
      const openings = openingsOf(pod, direction, policed);
      return openings ? [`${pod.address} : goto ${chains.of(direction, openingLines(openings, direction))}`] : [];
    });
  const senders = verdicts("egress");
  const receivers = verdicts("ingress");
  const services = serviceEntries(state, bridgeOf).map(
    ([key, port]) => `${key} : goto ${chains.of("service", [targetLine(port)])}`,
  );
  const names = [...bridgeOf.values()].sort().map((bridge) => `"${bridge}"`);
  const isDns = `meta l4proto { tcp, udp } th dport ${dnsPort}`;

  return [
    // The first line is for the second, which refuses where there is nothing to delete.
    `table inet ${table} {}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    ...collection("set bridges", "type ifname", names),
    ...collection(
      "set within",
      "type ifname . ifname",
      names.map((name) => `${name} . ${name}`),
    ),
    ...collection(
      "set pods",
      "type ifname . ipv4_addr",
      pods.map(({ bridge, pod }) => `"${bridge}" . ${pod.address}`),
    ),
    ...collection(
      "set selves",
      "type ipv4_addr . ipv4_addr",
      pods.map(({ pod }) => `${pod.address} . ${pod.address}`),
    ),
    ...collection("map senders", "type ipv4_addr : verdict", senders),
    ...collection("map receivers", "type ipv4_addr : verdict", receivers),
    ...collection("map services", "type ifname . ipv4_addr . inet_proto . inet_service : verdict", services),
    ...collection("set askers", "type ipv4_addr; flags dynamic, timeout; timeout 10s; size 65535", []),
    ...chains.lines(),
    ...chain("arriving", "type filter hook prerouting priority raw; policy accept;", [
      "iifname @bridges meta nfproto ipv6 drop",
      "iifname @bridges iifname . ip saddr != @pods drop",
    ]),
    ...chain("redirecting", "type nat hook prerouting priority dstnat - 5; policy accept;", [
      `iifname @bridges ip daddr ${dnsAddress} meta l4proto { tcp, udp } th dport 53 redirect to :${dnsPort}`,
      "iifname . ip daddr . meta l4proto . th dport vmap @services",
    ]),
    ...chain("to-host", "type filter hook input priority filter; policy accept;", [
      `iifname != @bridges iifname != "lo" ${isDns} drop`,
      "iifname != @bridges accept",
      // Before the next line: a question from the same port as the last one counts as part of a conversation.
      `${isDns} update @askers { ip saddr ${dnsLimit} } drop`,
      "ct state established,related accept",
      `${isDns} accept`,
      "drop",
    ]),
    ...chain("through-host", "type filter hook forward priority filter; policy accept;", [
      "iifname != @bridges oifname != @bridges accept",
      "ct state established,related accept",
      // From another bridge, or from outside.
      "oifname @bridges iifname . oifname != @within drop",
      // Nobody stands behind it, or it is another namespace's. As kube-proxy answers.
      `ip daddr ${serviceRange} reject`,
      "ip saddr . ip daddr @selves accept",
      "jump leaving",
      "oifname @bridges jump entering",
    ]),
    ...chain("leaving", "", ["ip saddr vmap @senders"]),
    ...chain("entering", "", ["ip daddr vmap @receivers"]),
    ...chain("answering", "type nat hook postrouting priority srcnat - 5; policy accept;", [
      "oifname @bridges ct status dnat masquerade",
    ]),
    "}",
    "",
  ].join("\n");
}

/** Each address once: the engine may have given that of a pod which is about to be forgotten to the next. */
function podsOnBridges(state: NetworkState, bridgeOf: ReadonlyMap<string, string>) {
  const byAddress = new Map<string, { pod: NetworkPod; bridge: string }>();
  for (const pod of state.pods) {
    const bridge = bridgeOf.get(pod.namespace);
    if (bridge !== undefined) byAddress.set(pod.address, { pod, bridge });
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
