/** What a Service says where its author does not. */
import type { AnyObject } from "../../../registry/resource.ts";
import { isOpenOnNodes, isReachableFromOutside, type Service } from "./shape.ts";

const threeHours = 10_800;

export function fillInService(draft: AnyObject): void {
  const { spec, status } = draft as Service;
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: threeHours } };
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) if (port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  if (isReachableFromOutside(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "ClusterIP" || isOpenOnNodes(spec)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}
