/** The rules for a Service, in the order and the words of kube-apiserver. */
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../errors/field-error.ts";
import { qualifiedNameProblems, subdomainProblems } from "../../../schema/metadata/names.ts";
import { endpointAddressErrors, isAddress, rangeErrors } from "../../checks/addresses.ts";
import { ipAddress, labels, oneOf } from "../../checks/field-rules.ts";
import { portNumberProblems } from "../../checks/names.ts";
import { clusterIPErrors } from "./families.ts";
import { portErrors } from "./port-validation.ts";
import { isHeadless, isReachableFromOutside, needsHealthCheck, type Service, type ServiceSpec } from "./shape.ts";
import { changeErrors } from "./update-validation.ts";

type Annotations = Record<string, string> | undefined;

const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
const longestAffinity = 86_400;

export function serviceErrors(service: Service, old: ServiceSpec | undefined): FieldError[] {
  const { metadata, spec } = service;
  return [
    ...(old ? changeErrors(spec, old) : []),
    ...topologyErrors(metadata.annotations),
    ...typeErrors(spec),
    ...portErrors(spec),
    ...labels("spec.selector", spec.selector),
    ...affinityErrors(spec),
    ...clusterIPErrors(spec),
    ...externalAddressErrors(spec),
    ...oneOf("spec.type", spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
    ...nodePortErrors(spec),
    ...sourceRangeErrors(service),
    ...loadBalancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

function topologyErrors(annotations: Annotations = {}): FieldError[] {
  const [mode, hints] = ["service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"];
  const [isMode, isHints] = [annotations[mode], annotations[hints]];
  if (isMode === undefined || isHints === undefined || isMode === isHints) return [];
  return [invalid(`metadata.annotations[${mode}]`, isMode, `must match annotations[${hints}] when both are specified`)];
}

function typeErrors(spec: ServiceSpec): FieldError[] {
  const { type, ports = [], clusterIPs = [], externalName = "" } = spec;
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.push(required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec))
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  if (type !== "ExternalName") return errors;
  const mayNot = (field: string) => errors.push(forbidden(field, "may not be set for ExternalName services"));
  if (clusterIPs.length > 0) mayNot("spec.clusterIPs");
  if ((spec.ipFamilies ?? []).length > 0) mayNot("spec.ipFamilies");
  if (spec.ipFamilyPolicy !== undefined) mayNot("spec.ipFamilyPolicy");
  const name = externalName.replace(/\.$/, "");
  if (name === "") errors.push(required("spec.externalName"));
  else errors.push(...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem)));
  return errors;
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const errors = oneOf("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]);
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity === "ClientIP" && timeout !== undefined && (timeout <= 0 || timeout > longestAffinity))
    errors.push(invalid(field, timeout, `must be greater than 0 and less than ${longestAffinity}`));
  return errors;
}

function externalAddressErrors({ externalIPs = [] }: ServiceSpec): FieldError[] {
  return externalIPs.flatMap((ip, i) => {
    const field = `spec.externalIPs[${i}]`;
    const errors = ipAddress(field, ip);
    return errors.length > 0 ? errors : endpointAddressErrors(field, ip);
  });
}

function nodePortErrors({ type, ports = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { nodePort }] of ports.entries())
    if (type === "ClusterIP" && nodePort !== undefined)
      errors.push(forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  const nodePorts = new Set<string>();
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (nodePort === undefined) continue;
    const key = `${protocol} ${nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(`spec.ports[${i}].nodePort`, nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    const key = `${protocol} ${port}`;
    // Shown as Kubernetes writes a port of which it knows no more.
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    if (seen.has(key)) errors.push(duplicate(`spec.ports[${i}]`, shown));
    seen.add(key);
  }
  return errors;
}

function sourceRangeErrors(service: Service): FieldError[] {
  const { loadBalancerSourceRanges: ranges = [], type } = service.spec;
  const annotation = service.metadata.annotations?.[sourceRanges];
  const onlyBalanced = (field: string) =>
    type === "LoadBalancer" ? [] : [forbidden(field, "may only be used when `type` is 'LoadBalancer'")];
  if (ranges.length > 0) {
    // Kubernetes writes this one field with a capital.
    const field = "spec.LoadBalancerSourceRanges";
    return [...onlyBalanced(field), ...ranges.flatMap((range, i) => rangeErrors(`${field}[${i}]`, range.trim()))];
  }
  if (annotation === undefined) return [];
  const field = `metadata.annotations[${sourceRanges}]`;
  const values = annotation.trim() !== "" ? annotation.trim().split(",") : [];
  return [...onlyBalanced(field), ...values.flatMap((range) => rangeErrors(field, range.trim()))];
}

function loadBalancerErrors(spec: ServiceSpec): FieldError[] {
  const { type, allocateLoadBalancerNodePorts, loadBalancerClass } = spec;
  const field = "spec.loadBalancerClass";
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (type === "LoadBalancer")
    return qualifiedNameProblems(loadBalancerClass ?? "none").map((problem) =>
      invalid(field, loadBalancerClass, problem),
    );
  return [
    ...(allocateLoadBalancerNodePorts === undefined ? [] : [forbidden("spec.allocateLoadBalancerNodePorts", only)]),
    ...(loadBalancerClass === undefined ? [] : [forbidden(field, only)]),
  ];
}

function trafficErrors(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort, trafficDistribution } = spec;
  const errors: FieldError[] = [];
  if (isReachableFromOutside(spec))
    errors.push(...oneOf("spec.externalTrafficPolicy", externalTrafficPolicy ?? "", ["Cluster", "Local"]));
  else if (externalTrafficPolicy !== undefined)
    errors.push(
      invalid(
        "spec.externalTrafficPolicy",
        externalTrafficPolicy,
        "may only be set for externally-accessible services",
      ),
    );
  if (needsHealthCheck(spec)) {
    errors.push(
      ...portNumberProblems(healthCheckNodePort ?? 0).map((problem) =>
        invalid("spec.healthCheckNodePort", healthCheckNodePort, problem),
      ),
    );
  } else if (healthCheckNodePort !== undefined) {
    const rule = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid("spec.healthCheckNodePort", healthCheckNodePort, rule));
  }
  if (internalTrafficPolicy !== undefined)
    errors.push(...oneOf("spec.internalTrafficPolicy", internalTrafficPolicy, ["Cluster", "Local"]));
  if (trafficDistribution !== undefined) {
    const supported = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    errors.push(...oneOf("spec.trafficDistribution", trafficDistribution, supported));
  }
  return errors;
}

export function statusErrors({ spec, status }: Service): FieldError[] {
  const ingress = status.loadBalancer.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && ingress.length > 0)
    return [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap(({ ip, ipMode, hostname }, i) => {
    const at = `${field}[${i}]`;
    const errors = ip ? ipAddress(`${at}.ip`, ip) : [];
    if (ipMode === undefined) {
      if (ip) errors.push(required(`${at}.ipMode`, "must be specified when `ip` is set"));
    } else if (!ip) errors.push(forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set"));
    else errors.push(...oneOf(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]));
    if (hostname) errors.push(...hostErrors(`${at}.hostname`, hostname));
    return errors;
  });
}

/** A host name, and not an address. */
export function hostErrors(field: string, host: string): FieldError[] {
  const errors = subdomainProblems(host).map((problem) => invalid(field, host, problem));
  if (isAddress(host)) errors.push(invalid(field, host, "must be a DNS name, not an IP address"));
  return errors;
}
