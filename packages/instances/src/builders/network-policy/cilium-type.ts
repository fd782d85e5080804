/** CiliumNetworkPolicy, as far as we write it. Cilium says which peers and ports it takes: one kind of peer to a rule. */
import { defineResource, type KubeObject } from "@berg/apimachinery";

export interface CiliumNetworkPolicy extends KubeObject {
  spec: {
    endpointSelector: EndpointSelector;
    ingress: CiliumIngressRule[];
    egress: CiliumEgressRule[];
  };
}

export type CiliumIngressRule = { toPorts?: PortRule[] } & (
  | { fromEndpoints: EndpointSelector[] }
  | { fromEntities: Entity[] }
);

export type CiliumEgressRule = { toPorts?: PortRule[] } & (
  | { toEndpoints: EndpointSelector[] }
  | { toEntities: Entity[] }
  | { toCIDRSet: { cidr: string; except?: string[] }[] }
);

/** Without a label for the namespace it selects in the namespace of the policy alone. */
export interface EndpointSelector {
  matchLabels?: Record<string, string>;
}

export type Entity = "world" | "host" | "remote-node" | "ingress";

export interface PortRule {
  ports: { port: string; protocol: "TCP" | "UDP" }[];
  rules?: { dns: DnsName[] };
}

/** `*` stands for one part of a name, or some of it: `*.example.com.` is no name below `a.example.com.`. */
export type DnsName = { matchName: string } | { matchPattern: string };

export const CiliumNetworkPolicies = defineResource<CiliumNetworkPolicy>({
  group: "cilium.io",
  version: "v2",
  resource: "ciliumnetworkpolicies",
  kind: "CiliumNetworkPolicy",
  namespaced: true,
});
