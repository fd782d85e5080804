/**
 * All rules of this node as one nftables script, which puts the whole table in place of the old one at once. While
 * it stands only elements and the chains behind them change (changes.ts).
 *
 * What holds, whatever else is on the host:
 * - Nothing from a pod reaches the host, but questions to our DNS and answers to what the host itself asked.
 * - Nothing passes between the bridges of two namespaces, nor from outside to a pod. The host reaches every pod.
 * - A pod sends under its own address alone, and IPv4 alone.
 * - A guest on a bridge (state.ts) is called by the pods of its namespace, by TCP and whatever their policies say, and
 *   answers. It begins nothing, neither there nor on its management network, which leads to nobody but the host.
 * - NetworkPolicies decide about the rest: pod to world, and pod to pod of one namespace. The latter is switched rather
 *   than routed and comes by here only because its bridge is told so (bridge.ts).
 * - Addresses of Services lead to their pods, for the pods of the same namespace. The pod behind sees the bridge's
 *   address rather than that of the pod that asks: answers have to come back this way.
 *
 * A packet that another table drops stays dropped: a firewall of the host may close what is open here.
 */
import { managementBridgePrefix } from "@berg/local-engine";
import { dnsAddress, serviceRange } from "../state.ts";
import type { Collection, Rules } from "./rules.ts";

export interface TableSettings {
  readonly table: string;
  /** Where our DNS listens, on every address of the host. */
  readonly dnsPort: number;
}

/** A pod that asks for names without end must not keep this process busy. */
const dnsLimit = "limit rate over 200/second burst 400 packets";
/** Nobody may be behind the port any more, or somebody else: it closes by itself where it is not opened again. */
const dnsOpenSeconds = 60;

const types: Record<Collection, string> = {
  bridges: "set bridges { type ifname; }",
  within: "set within { type ifname . ifname; }",
  members: "set members { type ifname . ipv4_addr; }",
  guests: "set guests { type ifname . ipv4_addr; }",
  selves: "set selves { type ipv4_addr . ipv4_addr; }",
  senders: "map senders { type ipv4_addr : verdict; }",
  receivers: "map receivers { type ipv4_addr : verdict; }",
  services: "map services { type ifname . ipv4_addr . inet_proto . inet_service : verdict; }",
};

export function wholeScript({ elements, chains }: Rules, { table, dnsPort }: TableSettings): string {
  return [
    // The first line is for the second, which refuses where there is nothing to delete.
    `table inet ${table} {}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    ...Object.values(types).map((line) => `  ${line}`),
    "  set askers { type ipv4_addr; flags dynamic, timeout; timeout 10s; size 65535; }",
    "  set names { type inet_service; flags timeout; }",
    ...[...chains].flatMap(([name, lines]) => chain(name, "", lines)),
    ...fixedChains(dnsPort),
    "}",
    ...Object.entries(elements).flatMap(([name, list]) => addElements(table, name, [...list])),
    ...openDns({ table, dnsPort }),
    "",
  ].join("\n");
}

function fixedChains(dnsPort: number): string[] {
  const isDns = "meta l4proto { tcp, udp } th dport @names";
  const isAnswer = "ct direction reply ct state established,related";
  const management = `"${managementBridgePrefix}*"`;
  return [
    ...chain("arriving", "type filter hook prerouting priority raw; policy accept;", [
      "iifname @bridges meta nfproto ipv6 drop",
      "iifname @bridges iifname . ip saddr != @members drop",
    ]),
    // As soon as conversations are known, and before anything is sent elsewhere.
    ...chain("guests-answer", "type filter hook prerouting priority mangle; policy accept;", [
      `iifname . ip saddr @guests ${isAnswer} accept`,
      "iifname . ip saddr @guests drop",
      `iifname ${management} ${isAnswer} accept`,
      `iifname ${management} drop`,
    ]),
    ...chain("redirecting", "type nat hook prerouting priority dstnat - 5; policy accept;", [
      `iifname @bridges ip daddr ${dnsAddress} meta l4proto { tcp, udp } th dport 53 redirect to :${dnsPort}`,
      "iifname . ip daddr . meta l4proto . th dport vmap @services",
    ]),
    ...chain("to-host", "type filter hook input priority filter; policy accept;", [
      `iifname != @bridges iifname != "lo" ${isDns} drop`,
      "iifname != @bridges accept",
      `${isDns} update @askers { ip saddr ${dnsLimit} } drop`,
      `${isDns} accept`,
      // Answers alone: a conversation that a pod began with our DNS may outlive it, and another be at its port.
      `${isAnswer} accept`,
      "drop",
    ]),
    ...chain("through-host", "type filter hook forward priority filter; policy accept;", [
      `oifname ${management} drop`,
      "iifname != @bridges oifname != @bridges accept",
      // Answers alone: another pod may have got the address of the one that asked, and may ask nothing.
      `${isAnswer} accept`,
      // From another bridge, or from outside.
      "oifname @bridges iifname . oifname != @within drop",
      // A guest is in another network, too: what is for its address there must not come by this one.
      "oifname @bridges meta pkttype unicast oifname . ip daddr != @members drop",
      // Nobody stands behind it, or it is another namespace's. As kube-proxy answers.
      `ip daddr ${serviceRange} reject`,
      "oifname . ip daddr @guests meta l4proto tcp accept",
      "oifname . ip daddr @guests drop",
      "ip saddr . ip daddr @selves accept",
      "jump leaving",
      "oifname @bridges jump entering",
    ]),
    ...chain("leaving", "", ["ip saddr vmap @senders"]),
    ...chain("entering", "", ["ip daddr vmap @receivers"]),
    ...chain("answering", "type nat hook postrouting priority srcnat - 5; policy accept;", [
      "oifname @bridges ct status dnat masquerade",
    ]),
  ];
}

function chain(name: string, head: string, lines: readonly string[]): string[] {
  return [`  chain ${name} {`, ...(head ? [`    ${head}`] : []), ...lines.map((line) => `    ${line}`), "  }"];
}

/** Lets pods ask for names for some time from now. Refused where the table is gone. */
export function openDns({ table, dnsPort }: TableSettings): string[] {
  const open = `add element inet ${table} names { ${dnsPort} timeout ${dnsOpenSeconds}s }`;
  // The time of one that is there already would stay as it is.
  return [open, `delete element inet ${table} names { ${dnsPort} }`, open];
}

export function closeDns(table: string): string[] {
  return [`flush set inet ${table} names`];
}

export function addElements(table: string, name: string, list: readonly (readonly [string, string])[]): string[] {
  if (list.length === 0) return [];
  const texts = list.map(([key, verdict]) => (verdict === "" ? key : `${key} : ${verdict}`));
  return [`add element inet ${table} ${name} { ${texts.join(", ")} }`];
}
