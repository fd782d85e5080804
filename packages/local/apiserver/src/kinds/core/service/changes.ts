/**
 * What an update of a Service means, beyond what it says. Who sends a Service without what the server gave it keeps
 * that; and who changes its type gets rid of what only the former type had, unless they changed that, too.
 */
import { jsonEqual } from "@berg/apimachinery";
import { nodePortsOf } from "./node-ports.ts";
import {
  isOpenOnNodes,
  isReachableFromOutside,
  needsClusterIP,
  needsHealthCheck,
  type Service,
  type ServiceSpec,
} from "./shape.ts";

/** Puts back what was given out and is not mentioned. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (spec.clusterIP === undefined && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if (spec.clusterIPs === undefined && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  }
  if (hasAllocatedPorts(old) && hasAllocatedPorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheck(old) && needsHealthCheck(spec) && old.healthCheckNodePort !== undefined)
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
}

function hasAllocatedPorts(spec: ServiceSpec): boolean {
  return isOpenOnNodes(spec) && !(spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false);
}

/** By the names of the ports, as everything else about them may have changed. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const byName = new Map((old.ports ?? []).map(({ name, nodePort }) => [name, nodePort]));
  const mentioned = new Set(nodePortsOf(spec));
  for (const port of spec.ports ?? []) {
    const before = byName.get(port.name);
    if (port.nodePort === undefined && before !== undefined && !mentioned.has(before)) port.nodePort = before;
  }
}

/** Clients set one of clusterIP and clusterIPs; the other one follows. */
export function matchClusterIPs(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (!old) {
    if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
    return;
  }
  if (old.clusterIPs && spec.clusterIPs === undefined && old.clusterIP === spec.clusterIP)
    spec.clusterIPs = [...old.clusterIPs];
  if (old.clusterIP === spec.clusterIP || !jsonEqual(old.clusterIPs, spec.clusterIPs)) return;
  if (spec.clusterIP === undefined) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP];
}

/** Drops what the new type has no use for. */
export function dropUnused(service: Service, old: ServiceSpec): void {
  const { spec, status } = service;
  const isSame = (field: keyof ServiceSpec) => jsonEqual(spec[field] ?? null, old[field] ?? null);
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (isSame("clusterIP") && isSame("clusterIPs")) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isSame("ipFamilies")) delete spec.ipFamilies;
    if (isSame("ipFamilyPolicy")) delete spec.ipFamilyPolicy;
  }
  const had = new Set(nodePortsOf(old));
  if (isOpenOnNodes(old) && !isOpenOnNodes(spec) && nodePortsOf(spec).every((port) => had.has(port)))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && isSame("healthCheckNodePort"))
    delete spec.healthCheckNodePort;
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (isSame("allocateLoadBalancerNodePorts")) delete spec.allocateLoadBalancerNodePorts;
    if (isSame("loadBalancerClass")) delete spec.loadBalancerClass;
  }
  if (isReachableFromOutside(old) && !isReachableFromOutside(spec) && isSame("externalTrafficPolicy"))
    delete spec.externalTrafficPolicy;
  if (spec.type !== "LoadBalancer") status.loadBalancer = {};
}
