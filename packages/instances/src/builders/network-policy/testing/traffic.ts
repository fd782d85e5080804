/**
 * Reads a network policy as an enforcer would: given who talks to whom, is it allowed? A second reading of the rules,
 * apart from the builders, for tests that say what holds rather than how it is written.
 */
import { BlockList, isIPv6 } from "node:net";
import type { NetworkPolicy } from "@berg/kube";
import type { Manifest } from "../../blueprint.ts";
import type { CiliumNetworkPolicy, DnsName, EndpointSelector, Entity, PortRule } from "../cilium-type.ts";

/** The other side of a connection. Everybody has an address; what else they are is for the enforcer to know. */
export type Peer = { address: string } & (
  | { is: "pod"; namespace: string; labels: Record<string, string> }
  | { is: Entity }
);

export interface Traffic {
  direction: "ingress" | "egress";
  peer: Peer;
  /** Of the side that is connected to. */
  port: number;
  protocol?: "TCP" | "UDP";
}

export function ciliumAllows(policy: Manifest<CiliumNetworkPolicy>, traffic: Traffic): boolean {
  const { direction, peer } = traffic;
  const own = policy.metadata.namespace ?? "";
  const rules = direction === "ingress" ? policy.spec.ingress : policy.spec.egress;
  return rules.some((rule) => {
    if (rule.toPorts && !rule.toPorts.some(({ ports }) => hasPort(ports, traffic))) return false;
    if ("fromEndpoints" in rule) return rule.fromEndpoints.some((selector) => isEndpoint(selector, peer, own));
    if ("toEndpoints" in rule) return rule.toEndpoints.some((selector) => isEndpoint(selector, peer, own));
    if ("fromEntities" in rule) return rule.fromEntities.some((entity) => entity === peer.is);
    if ("toEntities" in rule) return rule.toEntities.some((entity) => entity === peer.is);
    // Cilium knows pods and nodes by what they are: only what is neither has an address for it.
    return peer.is === "world" && rule.toCIDRSet.some((block) => isInBlock(block, peer.address));
  });
}

function isEndpoint({ matchLabels = {} }: EndpointSelector, peer: Peer, own: string): boolean {
  if (peer.is !== "pod") return false;
  const namespaceLabel = "k8s:io.kubernetes.pod.namespace";
  const has: Record<string, string> = { [namespaceLabel]: peer.namespace };
  for (const [label, value] of Object.entries(peer.labels)) has[`k8s:${label}`] = value;
  return Object.entries({ [namespaceLabel]: own, ...matchLabels }).every(([label, value]) => has[label] === value);
}

/** As strict networks have it: an address is an address, also that of a pod or a node. */
export function kubernetesAllows(policy: Manifest<NetworkPolicy>, traffic: Traffic): boolean {
  const { direction, peer } = traffic;
  if (peer.is === "host") return true;
  const { policyTypes = [], ingress = [], egress = [] } = policy.spec ?? {};
  if (!policyTypes.includes(direction === "ingress" ? "Ingress" : "Egress")) return true;
  const rules =
    direction === "ingress"
      ? ingress.map(({ from, ports }) => ({ peers: from, ports }))
      : egress.map(({ to, ports }) => ({ peers: to, ports }));
  return rules.some(({ peers, ports }) => {
    if (ports && !hasPort(ports, traffic)) return false;
    if (!peers) return true;
    return peers.some(({ ipBlock, namespaceSelector, podSelector }) => {
      if (ipBlock) return isInBlock(ipBlock, peer.address);
      if (peer.is !== "pod") return false;
      const namespaceLabels = { "kubernetes.io/metadata.name": peer.namespace };
      const isNamespace = namespaceSelector
        ? hasLabels(namespaceSelector.matchLabels, namespaceLabels)
        : peer.namespace === policy.metadata.namespace;
      return isNamespace && hasLabels(podSelector?.matchLabels, peer.labels);
    });
  });
}

function hasLabels(wanted: Record<string, string> = {}, found: Record<string, string>): boolean {
  return Object.entries(wanted).every(([label, value]) => found[label] === value);
}

function hasPort(
  ports: readonly { port?: number | string; protocol?: string }[],
  { port, protocol = "TCP" }: Traffic,
): boolean {
  return ports.some((allowed) => String(allowed.port) === String(port) && allowed.protocol === protocol);
}

export function isInBlock({ cidr, except = [] }: { cidr: string; except?: string[] }, address: string): boolean {
  return isIn(cidr, address) && !except.some((denied) => isIn(denied, address));
}

function isIn(cidr: string, address: string): boolean {
  const [start = "", length] = cidr.split("/");
  if (isIPv6(start) !== isIPv6(address)) return false;
  const family = isIPv6(start) ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(start, Number(length), family);
  return list.check(address, family);
}

/** Whether the name may be looked up over this protocol. Cilium's `*` is any part of a name between two dots. */
export function ciliumAllowsLookup(
  policy: Manifest<CiliumNetworkPolicy>,
  name: string,
  protocol: "TCP" | "UDP" = "UDP",
): boolean {
  const peer: Peer = { is: "pod", address: "10.0.0.10", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } };
  const traffic: Traffic = { direction: "egress", peer, port: 53, protocol };
  const rules: PortRule[] = policy.spec.egress
    .filter((rule) => "toEndpoints" in rule && rule.toEndpoints.some((selector) => isEndpoint(selector, peer, "")))
    .flatMap(({ toPorts = [] }) => toPorts);
  return rules.some(
    ({ ports, rules }) => hasPort(ports, traffic) && (!rules || rules.dns.some((dns) => isName(dns, name))),
  );
}

function isName(dns: DnsName, name: string): boolean {
  if ("matchName" in dns) return dns.matchName === name;
  const pattern = dns.matchPattern.replaceAll(".", "[.]").replaceAll("*", "[-a-z0-9_]*");
  return new RegExp(`^${pattern}$`).test(name);
}
