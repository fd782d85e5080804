import { components } from "@berg/resources";
import type { GatewayPeer } from "../../settings/settings.ts";
import type { Blueprint, Child } from "../blueprint.ts";
import { marks } from "../marks.ts";
import { instanceNamespaceName, networkPolicyName } from "../names.ts";
import {
  type CiliumEgressRule,
  type CiliumIngressRule,
  CiliumNetworkPolicies,
  type CiliumNetworkPolicy,
  type EndpointSelector,
  type Entity,
  type PortRule,
} from "./cilium-type.ts";
import { allowedDnsNames } from "./dns-names.ts";
import { dnsPorts, gatewayPorts, internet, nameServer, type Port, publicPorts, routedPorts } from "./peers.ts";

/** What Cilium allows to and from all pods of the instance. What no rule names is denied, both ways. */
export function ciliumNetworkPolicy(blueprint: Blueprint): Child<CiliumNetworkPolicy> {
  return {
    type: CiliumNetworkPolicies,
    manifest: {
      metadata: {
        name: networkPolicyName,
        namespace: instanceNamespaceName(blueprint.instance.ownerId),
        ...marks(blueprint, components.networkPolicy),
      },
      spec: { endpointSelector: {}, ingress: ingress(blueprint), egress: egress(blueprint) },
    },
  };
}

function ingress({ workload, settings }: Blueprint): CiliumIngressRule[] {
  const rules: CiliumIngressRule[] = [{ fromEndpoints: [{}] }];
  const routed = routedPorts(workload);
  if (routed.length > 0) rules.push({ ...fromGateway(settings.gateway.peer), toPorts: portRules(routed) });
  const open = publicPorts(workload);
  if (open.length > 0) rules.push({ fromEntities: ["world", ...nodes], toPorts: portRules(open) });
  return rules;
}

function egress(blueprint: Blueprint): CiliumEgressRule[] {
  const { workload, settings } = blueprint;
  const { peer } = settings.gateway;
  const toPorts = portRules(gatewayPorts(settings.gateway));
  const rules: CiliumEgressRule[] = [
    dns(blueprint),
    { toEndpoints: [{}] },
    { toEntities: peer.from === "ingress" ? [...nodes, "ingress"] : nodes, toPorts },
  ];
  if (peer.from === "pods") rules.push({ toEndpoints: [podsOf(peer.namespace, peer.matchLabels)], toPorts });
  // To Cilium these ranges are outside the cluster, whatever is denied: no pod and no node is an address in one of them.
  if (workload.allowOutboundTraffic) rules.push({ toCIDRSet: internet(settings.network) });
  return rules;
}

/** The node of a pod is `host` to it; all others are `remote-node`. */
const nodes: Entity[] = ["host", "remote-node"];

function fromGateway(peer: GatewayPeer): CiliumIngressRule {
  switch (peer.from) {
    case "ingress":
      return { fromEntities: ["ingress"] };
    case "host":
      return { fromEntities: nodes };
    case "pods":
      return { fromEndpoints: [podsOf(peer.namespace, peer.matchLabels)] };
  }
}

function dns(blueprint: Blueprint): CiliumEgressRule {
  const { namespace, label, value } = nameServer;
  const isOpen = blueprint.workload.allowOutboundTraffic;
  const toPorts = portRules(dnsPorts).map((rule) =>
    isOpen ? rule : { ...rule, rules: { dns: allowedDnsNames(blueprint) } },
  );
  return { toEndpoints: [podsOf(namespace, { [label]: value })], toPorts };
}

/** Cilium knows labels of many origins: with `k8s:` only those of the pod itself count. */
function podsOf(namespace: string, matchLabels: Record<string, string>): EndpointSelector {
  const ofPod = Object.entries(matchLabels).map(([label, value]) => [`k8s:${label}`, value]);
  return { matchLabels: { "k8s:io.kubernetes.pod.namespace": namespace, ...Object.fromEntries(ofPod) } };
}

/** More ports than this are refused in one list; several lists add up. */
const mostPorts = 40;

function portRules(ports: readonly Port[]): PortRule[] {
  const texts = ports.map(({ port, protocol }) => ({ port: String(port), protocol }));
  return Array.from({ length: Math.ceil(texts.length / mostPorts) }, (_, part) => ({
    ports: texts.slice(part * mostPorts, (part + 1) * mostPorts),
  }));
}
