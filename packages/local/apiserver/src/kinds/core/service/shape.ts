/** What a Service is made of. */
import type { AnyObject } from "../../../registry/resource.ts";
import type { IPFamily } from "../../checks/addresses.ts";
import {
  always,
  atomicMapOf,
  bool,
  choice,
  int32,
  intOrString,
  kept,
  list,
  listMap,
  object,
  text,
} from "../../shapes.ts";
import { condition } from "../../workloads/shapes/meta.ts";

export type ServiceType = "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";

export interface ServicePort {
  name?: string;
  protocol: string;
  appProtocol?: string;
  port: number;
  targetPort: number | string;
  nodePort?: number;
}

export interface ServiceSpec {
  type: ServiceType;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  trafficDistribution?: string;
  healthCheckNodePort?: number;
  ipFamilies?: IPFamily[];
  ipFamilyPolicy?: string;
  sessionAffinity: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  loadBalancerIP?: string;
  loadBalancerClass?: string;
  loadBalancerSourceRanges?: string[];
  allocateLoadBalancerNodePorts?: boolean;
}

export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ipMode?: string;
}

export type Service = AnyObject & {
  spec: ServiceSpec;
  status: { loadBalancer: { ingress?: LoadBalancerIngress[] } };
};

const port = object(
  {
    name: text(),
    protocol: text({ enum: ["SCTP", "TCP", "UDP"], default: "TCP" }),
    appProtocol: kept(text()),
    port: always(int32()),
    targetPort: always(intOrString()),
    nodePort: int32(),
  },
  ["port"],
);

const spec = object({
  ports: listMap(["port", "protocol"], port, "port"),
  selector: atomicMapOf(text()),
  clusterIP: text(),
  clusterIPs: list(text()),
  type: choice("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
  externalIPs: list(text()),
  sessionAffinity: choice("ClientIP", "None"),
  loadBalancerIP: text(),
  loadBalancerSourceRanges: list(text()),
  externalName: text(),
  externalTrafficPolicy: choice("Cluster", "Local"),
  healthCheckNodePort: int32(),
  publishNotReadyAddresses: bool(),
  sessionAffinityConfig: object({ clientIP: object({ timeoutSeconds: kept(int32()) }) }),
  ipFamilies: list(choice("", "IPv4", "IPv6")),
  ipFamilyPolicy: kept(choice("PreferDualStack", "RequireDualStack", "SingleStack")),
  allocateLoadBalancerNodePorts: kept(bool()),
  loadBalancerClass: kept(text()),
  internalTrafficPolicy: kept(choice("Cluster", "Local")),
  trafficDistribution: kept(text()),
});

const portStatus = object(
  { port: always(int32()), protocol: always(choice("SCTP", "TCP", "UDP")), error: kept(text()) },
  ["port", "protocol"],
);

const loadBalancerIngress = object({
  ip: text(),
  hostname: text(),
  ipMode: kept(text()),
  ports: list(portStatus),
});

export const serviceShape = object({
  spec: always(spec),
  status: always(
    object({
      loadBalancer: always(object({ ingress: list(loadBalancerIngress) })),
      conditions: listMap(["type"], condition, "type"),
    }),
  ),
});

// What the rules of a Service turn on.

/** Without an address of its own: its name leads to its pods. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

export function needsClusterIP({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

export function isOpenOnNodes({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

export function isReachableFromOutside(spec: ServiceSpec): boolean {
  return isOpenOnNodes(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
}

export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}
