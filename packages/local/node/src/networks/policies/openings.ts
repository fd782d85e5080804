/**
 * What NetworkPolicies allow one pod, in one direction: the sum of what each policy that selects it opens.
 *
 * Peers are looked for among the pods of its own namespace and the name server alone. Pods of other namespaces are on
 * other bridges, between which nothing passes whatever a policy says.
 */
import { compileLabelSelector, type LabelSelector, type Labels } from "@berg/apimachinery";
import type { NetworkPolicy } from "@berg/kube";
import { isInRange, type Range, readAddress, readRange } from "@berg/local-engine";
import { dnsAddress, type NetworkPod, type NetworkState } from "../state.ts";

export type Direction = "ingress" | "egress";

/** One way through. What is left out is not looked at. */
export interface Opening {
  readonly peers?: PeerAddresses;
  readonly port?: PortRange;
}

export interface PeerAddresses {
  readonly ranges: readonly Range[];
  readonly except: readonly Range[];
  /** Named as a range in a policy, as the world is; else addresses of pods. */
  readonly isBlock: boolean;
}

export interface PortRange {
  readonly protocol: string;
  /** All of the protocol where there is none. */
  readonly from?: number;
  readonly to?: number;
}

export type PolicyState = Pick<NetworkState, "pods" | "policies" | "namespaces">;

/** Undefined where no policy selects the pod: then all is open. */
export function openingsOf(pod: NetworkPod, direction: Direction, state: PolicyState): Opening[] | undefined {
  const policies = state.policies.filter(
    (policy) =>
      policy.metadata.namespace === pod.namespace &&
      isFor(policy, direction) &&
      selects(policy.spec?.podSelector ?? {}, pod.labels),
  );
  if (policies.length === 0) return undefined;
  const candidates = [...state.pods.filter(({ namespace }) => namespace === pod.namespace), nameServer];
  return policies.flatMap((policy) =>
    rulesOf(policy, direction).flatMap((rule) => openingsOfRule(rule, pod, direction, candidates, state)),
  );
}

/** Whether they let something pass to or from this address at this port. */
export function doAllow(openings: readonly Opening[], address: string, protocol: string, port: number): boolean {
  const number = readAddress(address);
  return openings.some(({ peers, port: ports }) => {
    if (ports && ports.protocol !== protocol) return false;
    if (ports?.from !== undefined && (port < ports.from || port > (ports.to ?? ports.from))) return false;
    if (!peers) return true;
    const isIn = (range: Range) => number !== undefined && isInRange(number, range);
    return peers.ranges.some(isIn) && !peers.except.some(isIn);
  });
}

/** Where the name server would run on a cluster: what policies call it by. */
const nameServer: NetworkPod = {
  namespace: "kube-system",
  uid: "",
  address: dnsAddress,
  labels: { "k8s-app": "kube-dns" },
  ports: [
    { name: "dns", protocol: "UDP", port: 53 },
    { name: "dns-tcp", protocol: "TCP", port: 53 },
  ],
};

interface Rule {
  readonly peers: readonly Peer[];
  readonly ports: readonly Port[];
}

type Spec = NonNullable<NetworkPolicy["spec"]>;
type Peer = NonNullable<NonNullable<Spec["egress"]>[number]["to"]>[number];
type Port = NonNullable<NonNullable<Spec["egress"]>[number]["ports"]>[number];

function isFor({ spec }: NetworkPolicy, direction: Direction): boolean {
  const types = spec?.policyTypes ?? ["Ingress", ...(spec?.egress ? ["Egress"] : [])];
  return types.includes(direction === "ingress" ? "Ingress" : "Egress");
}

function rulesOf({ spec }: NetworkPolicy, direction: Direction): Rule[] {
  return direction === "ingress"
    ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from ?? [], ports: ports ?? [] }))
    : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to ?? [], ports: ports ?? [] }));
}

function openingsOfRule(
  rule: Rule,
  pod: NetworkPod,
  direction: Direction,
  candidates: readonly NetworkPod[],
  state: PolicyState,
): Opening[] {
  const found = candidates.filter((candidate) => rule.peers.some((peer) => isPeer(candidate, peer, pod, state)));
  const places = rule.peers.length === 0 ? [{}] : [...blocksOf(rule), ...addressesOf(found)];
  if (rule.ports.length === 0) return places;
  return rule.ports.flatMap((port) => {
    if (typeof port.port !== "string") return places.map((place) => ({ ...place, port: numbered(port) }));
    // The name of a port means what the pod at which traffic arrives means by it.
    if (direction === "ingress")
      return namedPorts(pod, port).flatMap((own) => places.map((p) => ({ ...p, port: own })));
    const receivers = rule.peers.length === 0 ? candidates : found;
    return receivers.flatMap((one) => namedPorts(one, port).flatMap((its) => withPort(addressesOf([one]), its)));
  });
}

function withPort(places: Opening[], port: PortRange): Opening[] {
  return places.map((place) => ({ ...place, port }));
}

function isPeer(candidate: NetworkPod, peer: Peer, of: NetworkPod, { namespaces }: PolicyState): boolean {
  if (peer.ipBlock) return false;
  const isNear = peer.namespaceSelector
    ? selects(peer.namespaceSelector, namespaceLabels(candidate.namespace, namespaces))
    : candidate.namespace === of.namespace;
  return isNear && selects(peer.podSelector ?? {}, candidate.labels);
}

/** Every namespace has its name as a label, whatever else it has. */
function namespaceLabels(name: string, namespaces: ReadonlyMap<string, Labels>): Labels {
  return { ...namespaces.get(name), "kubernetes.io/metadata.name": name };
}

/** IPv6 is closed, so its ranges open nothing. A range that cannot be read opens nothing either. */
function blocksOf({ peers }: Rule): Opening[] {
  return peers.flatMap(({ ipBlock }) => {
    const range = ipBlock && readRange(ipBlock.cidr);
    if (!range) return [];
    const except = (ipBlock.except ?? []).flatMap((text) => readRange(text) ?? []);
    return [{ peers: { ranges: [range], except, isBlock: true } }];
  });
}

function addressesOf(pods: readonly NetworkPod[]): Opening[] {
  const ranges = pods.flatMap(({ address }) => readRange(`${address}/32`) ?? []);
  return ranges.length === 0 ? [] : [{ peers: { ranges, except: [], isBlock: false } }];
}

function numbered({ protocol, port, endPort }: Port): PortRange {
  const range = { protocol: protocol ?? "TCP" };
  return typeof port === "number" ? { ...range, from: port, to: endPort ?? port } : range;
}

function namedPorts(pod: NetworkPod, { protocol = "TCP", port }: Port): PortRange[] {
  return pod.ports
    .filter((own) => own.name === port && own.protocol === protocol)
    .map((own) => ({ protocol, from: own.port, to: own.port }));
}

/** A selector that cannot be read selects nothing: the server lets none in. */
function selects(selector: LabelSelector, labels: Labels): boolean {
  try {
    return compileLabelSelector(selector).matches(labels);
  } catch {
    return false;
  }
}
