/**
 * The same for clusters without Cilium, as near as Kubernetes' own kind of policy comes to it:
 *
 * - It knows pods and addresses, but no nodes and no gateway of Cilium's. So where the gateway is no pod, the routed
 *   ports are open to all who can route to a pod; other instances cannot, by their own egress rules. And with outbound
 *   traffic off a challenge reaches its own routes only if the gateway is a pod.
 * - It knows no names: with outbound traffic off every name can be looked up, and so data be carried out by DNS.
 * - Traffic between a pod and the node it runs on is always allowed.
 */
import { NetworkPolicies, type NetworkPolicy } from "@berg/kube";
import { components } from "@berg/resources";
import type { GatewayPeer } from "../../settings/settings.ts";
import type { Blueprint, Child } from "../blueprint.ts";
import { marks } from "../marks.ts";
import { instanceNamespaceName, networkPolicyName } from "../names.ts";
import { dnsPorts, gatewayPorts, internet, nameServer, publicPorts, routedPorts } from "./peers.ts";

type Spec = NonNullable<NetworkPolicy["spec"]>;
type IngressRule = NonNullable<Spec["ingress"]>[number];
type EgressRule = NonNullable<Spec["egress"]>[number];
type Peer = NonNullable<EgressRule["to"]>[number];

export function kubernetesNetworkPolicy(blueprint: Blueprint): Child<NetworkPolicy> {
  return {
    type: NetworkPolicies,
    manifest: {
      metadata: {
        name: networkPolicyName,
        namespace: instanceNamespaceName(blueprint.instance.ownerId),
        ...marks(blueprint, components.networkPolicy),
      },
      spec: {
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        ingress: ingress(blueprint),
        egress: egress(blueprint),
      },
    },
  };
}

const sameNamespace: Peer = { podSelector: {} };

function ingress({ workload, settings }: Blueprint): IngressRule[] {
  const rules: IngressRule[] = [{ from: [sameNamespace] }];
  const routed = routedPorts(workload);
  const gateway = gatewayPods(settings.gateway.peer);
  // A rule without `from` is for everybody.
  if (routed.length > 0) rules.push({ ...(gateway && { from: [gateway] }), ports: routed });
  const open = publicPorts(workload);
  if (open.length > 0) rules.push({ ports: open });
  return rules;
}

function egress({ workload, settings }: Blueprint): EgressRule[] {
  const { namespace, label, value } = nameServer;
  const rules: EgressRule[] = [
    { to: [podsOf(namespace, { [label]: value })], ports: [...dnsPorts] },
    { to: [sameNamespace] },
  ];
  const gateway = gatewayPods(settings.gateway.peer);
  if (gateway) rules.push({ to: [gateway], ports: gatewayPorts(settings.gateway) });
  if (workload.allowOutboundTraffic) rules.push({ to: internet(settings.network).map((ipBlock) => ({ ipBlock })) });
  return rules;
}

function gatewayPods(peer: GatewayPeer): Peer | undefined {
  return peer.from === "pods" ? podsOf(peer.namespace, peer.matchLabels) : undefined;
}

function podsOf(namespace: string, matchLabels: Record<string, string>): Peer {
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    podSelector: { matchLabels },
  };
}
