/** What is accepted in a Service and yet better left out. */
import { addressWarnings, rangeWarnings } from "../../checks/addresses.ts";
import type { Service } from "./shape.ts";

export function serviceWarnings({ metadata, spec }: Service): string[] {
  const { clusterIPs = [], externalIPs = [], loadBalancerSourceRanges = [] } = spec;
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const warnings: string[] = [];
  if (metadata.annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined)
    warnings.push(
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
    );
  if (spec.clusterIP && spec.clusterIP !== "None")
    warnings.push(...clusterIPs.flatMap((ip, i) => addressWarnings(`spec.clusterIPs[${i}]`, ip)));
  if (isHeadless) {
    if (spec.loadBalancerIP) warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIPs.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  warnings.push(...externalIPs.flatMap((ip, i) => addressWarnings(`spec.externalIPs[${i}]`, ip)));
  if (externalIPs.length > 0 && !isHeadless && spec.type !== "ExternalName")
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (spec.loadBalancerIP) warnings.push(...addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP));
  warnings.push(
    ...loadBalancerSourceRanges.flatMap((range, i) => rangeWarnings(`spec.loadBalancerSourceRanges[${i}]`, range)),
  );
  if (spec.type === "ExternalName" && externalIPs.length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== "ExternalName" && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
