/**
 * The families of a Service's addresses, and how they go with the addresses that it asks for. One family is offered,
 * IPv4: what asks for two is refused as a single-stack Kubernetes refuses it.
 */
import { jsonEqual } from "@berg/apimachinery";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../errors/field-error.ts";
import { familyOf, type IPFamily } from "../../checks/addresses.ts";
import { ipAddress } from "../../checks/field-rules.ts";
import { refuse } from "./refuse.ts";
import { needsClusterIP, type Service, type ServiceSpec } from "./shape.ts";

/** Fills in the families, and says what is wrong with them. */
export function settleFamilies(service: Service, old: ServiceSpec | undefined): void {
  const { spec } = service;
  if (!needsClusterIP(spec)) return;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isWithoutSelector(spec) ? "RequireDualStack" : "SingleStack");
  refuse(service, clusterIPErrors(spec));
  if (old && spec.ipFamilyPolicy === "SingleStack" && jsonEqual(old.ipFamilies, spec.ipFamilies))
    spec.ipFamilies = spec.ipFamilies?.slice(0, 1) ?? [];
  refuse(service, policyErrors(spec, old));
  spec.ipFamilies ??= [];
  if (spec.ipFamilies.length === 0) spec.ipFamilies = ["IPv4"];
  if (isWithoutSelector(spec)) {
    // Nobody here makes its endpoints, so they may have any family.
    const [first] = spec.ipFamilies;
    if (spec.ipFamilies.length === 1 && spec.ipFamilyPolicy !== "SingleStack")
      spec.ipFamilies = first === "IPv4" ? ["IPv4", "IPv6"] : ["IPv6", "IPv4"];
    return;
  }
  refuse(service, unavailableErrors(spec));
}

/** Headless, and somebody else says where it leads. */
function isWithoutSelector(spec: ServiceSpec): boolean {
  return spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
}

function policyErrors(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const field = "spec.ipFamilyPolicy";
  const reduced = (after: readonly string[], before: readonly string[] = []) =>
    after.length > 0 && after.length < before.length;
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === "SingleStack") {
    const rule = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (clusterIPs.length === 2) errors.push(invalid(field, ipFamilyPolicy, `${rule} cluster IPs are specified`));
    if (ipFamilies.length === 2) errors.push(invalid(field, ipFamilyPolicy, `${rule} IP families are specified`));
  } else if (reduced(ipFamilies, old?.ipFamilies))
    errors.push(invalid(field, ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"));
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip === "None") break;
    if (i < ipFamilies.length) continue;
    if (familyOf(ip) === "IPv4") spec.ipFamilies = [...ipFamilies, "IPv4"];
    else errors.push(invalid(`spec.clusterIPs[${i}]`, clusterIPs, "IPv6 is not configured on this cluster"));
  }
  return errors;
}

function unavailableErrors({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === "RequireDualStack")
    errors.push(
      invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "this cluster is not configured for dual-stack services"),
    );
  for (const [i, family] of ipFamilies.entries())
    if (family !== "IPv4") errors.push(invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster"));
  return errors;
}

/** How clusterIP, clusterIPs and ipFamilies go together. */
export function clusterIPErrors(spec: ServiceSpec): FieldError[] {
  if (!needsClusterIP(spec)) return [];
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const field = "spec.clusterIPs";
  const errors: FieldError[] = [];
  if (clusterIP !== "" && clusterIPs.length === 0) errors.push(required(field));
  else if (clusterIP !== "" && clusterIPs[0] !== clusterIP)
    errors.push(invalid(field, clusterIPs, "first value must match `clusterIP`"));
  else if (clusterIP === "" && clusterIPs.length > 0)
    errors.push(invalid(field, clusterIPs, "must be empty when `clusterIP` is not specified"));
  for (const [i, family] of ipFamilies.entries()) {
    if (family !== "IPv4" && family !== "IPv6")
      errors.push(notSupported(`spec.ipFamilies[${i}]`, family, ["IPv4", "IPv6"]));
    if (ipFamilies.indexOf(family) < i) errors.push(duplicate(`spec.ipFamilies[${i}]`, family));
  }
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies));
  const unreadable: FieldError[] = [];
  for (const [i, ip] of clusterIPs.entries()) {
    if (i > 0 || ip !== "None") unreadable.push(...ipAddress(`${field}[${i}]`, ip));
    else if (clusterIPs.length > 1)
      unreadable.push(invalid(field, clusterIPs, "'None' must be the first and only value"));
  }
  errors.push(...unreadable);
  if (clusterIPs.length > 2) errors.push(invalid(field, clusterIPs, "may only hold up to 2 values"));
  if (unreadable.length > 0) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size === 1)
    errors.push(invalid(field, clusterIPs, "may specify no more than one IP for each IP family"));
  return [...errors, ...familyErrors(clusterIPs, ipFamilies)];
}

function familyErrors(clusterIPs: string[], ipFamilies: IPFamily[]): FieldError[] {
  if (clusterIPs[0] === "None") return [];
  return clusterIPs.flatMap((ip, i) => {
    const family = ipFamilies[i];
    if ((family !== "IPv4" && family !== "IPv6") || family === familyOf(ip)) return [];
    return [invalid(`spec.clusterIPs[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)];
  });
}
