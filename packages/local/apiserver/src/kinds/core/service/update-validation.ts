/** What may not change once a Service has it. */
import { type FieldError, forbidden, invalid } from "../../../errors/field-error.ts";
import { isHeadless, needsClusterIP, needsHealthCheck, type ServiceSpec } from "./shape.ts";

export function changeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const errors = needsClusterIP(spec) && needsClusterIP(old) ? addressErrors(spec, old) : [];
  if (spec.type === "LoadBalancer" && old.type === "LoadBalancer" && spec.loadBalancerClass !== old.loadBalancerClass)
    errors.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"));
  if (needsHealthCheck(spec) && needsHealthCheck(old) && spec.healthCheckNodePort !== old.healthCheckNodePort)
    errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  return errors;
}

/** Families of a headless Service may change; who has an address keeps it. */
function addressErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const { clusterIPs: oldIPs = [], ipFamilies: oldFamilies = [] } = old;
  if (isHeadless(spec) && isHeadless(old)) return [];
  const errors: FieldError[] = [];
  if (clusterIPs.length === 0 && oldIPs.length > 0)
    errors.push(invalid("spec.clusterIPs[0]", null, "primary clusterIP can not be unset"));
  else if (oldIPs.length > 0 && clusterIPs[0] !== oldIPs[0])
    errors.push(invalid("spec.clusterIPs[0]", clusterIPs, "may not change once set"));
  if (isHeadless(spec) === isHeadless(old) && oldFamilies.length > 0 && ipFamilies[0] !== oldFamilies[0])
    errors.push(invalid("spec.ipFamilies[0]", ipFamilies, "may not change once set"));
  return errors;
}
