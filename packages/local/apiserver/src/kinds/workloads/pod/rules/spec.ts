/** All that must hold for the spec of a pod or of a template, in the order in which Kubernetes says it. */

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../../errors/field-error.ts";
import { labelProblems, qualifiedNameProblems, subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each, labels, oneOf, requiredOneOf } from "../../../checks/field-rules.ts";
import { between } from "../../../checks/names.ts";
import type { PodSpec } from "../../types.ts";
import { containers, ephemeralContainers, initContainers } from "./containers.ts";
import { dns, hostAliases, hostnameOverride, portsOfNode } from "./network.ts";
import { resourceClaims } from "./resource-claims.ts";
import { containerResources, podResources } from "./resources.ts";
import { affinity, spreading } from "./scheduling.ts";
import { ownUsers, podSecurity } from "./security.ts";
import { tolerations } from "./tolerations.ts";
import { type VolumesOwner, volumes } from "./volumes.ts";

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

export function podSpec(path: string, spec: PodSpec, owner: VolumesOwner): FieldError[] {
  const mountable = volumes(`${path}.volumes`, spec, owner);
  return [
    ...mountable.errors,
    ...resourceClaims(`${path}.resourceClaims`, spec),
    ...containers(`${path}.containers`, spec, mountable.usable),
    ...initContainers(`${path}.initContainers`, spec, mountable.usable),
    ...ephemeralContainers(`${path}.ephemeralContainers`, spec, mountable.usable),
    ...podResources(`${path}.resources`, spec),
    ...portsOfNode(`${path}.containers`, spec, owner),
    ...requiredOneOf(`${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]),
    ...requiredOneOf(`${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies),
    ...labels(`${path}.nodeSelector`, spec.nodeSelector),
    ...podSecurity(`${path}.securityContext`, spec),
    ...affinity(`${path}.affinity`, spec.affinity ?? {}),
    ...dns(`${path}.dnsConfig`, spec),
    ...readinessGates(`${path}.readinessGates`, spec),
    ...schedulingGates(`${path}.schedulingGates`, spec),
    ...spreading(`${path}.topologySpreadConstraints`, spec.topologySpreadConstraints ?? []),
    ...ownUsers(path, spec),
    ...hostnameOverride(`${path}.hostnameOverride`, spec),
    ...names(path, spec),
    ...tolerations(`${path}.tolerations`, spec.tolerations ?? []),
    ...hostAliases(`${path}.hostAliases`, spec),
    ...classes(path, spec),
    ...(spec.overhead ? containerResources(`${path}.overhead`, { limits: spec.overhead }, spec) : []),
    ...operatingSystem(path, spec),
    ...variablesFromFiles(path, spec),
  ];
}

function readinessGates(path: string, { readinessGates: gates = [] }: PodSpec): FieldError[] {
  return gates.flatMap(({ conditionType }, index) =>
    each(`${path}[${index}].conditionType`, conditionType, qualifiedNameProblems(conditionType)),
  );
}

function schedulingGates(path: string, { schedulingGates: gates = [] }: PodSpec): FieldError[] {
  return gates.flatMap(({ name }, index) => [
    ...each(`${path}[${index}]`, name, qualifiedNameProblems(name)),
    ...(gates.findIndex((other) => other.name === name) < index ? [duplicate(`${path}[${index}]`, name)] : []),
  ]);
}

const longestDeadline = 2 ** 31 - 1;

function names(path: string, spec: PodSpec): FieldError[] {
  const { serviceAccountName, nodeName, activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  const named = (field: string, value: string | undefined, problems: (value: string) => string[]) =>
    value ? each(`${path}.${field}`, value, problems(value)) : [];
  const isShort = deadline !== undefined && (deadline < 1 || deadline > longestDeadline);
  return [
    ...named("serviceAccountName", serviceAccountName, subdomainProblems),
    ...named("nodeName", nodeName, subdomainProblems),
    ...(isShort ? [invalid(`${path}.activeDeadlineSeconds`, deadline, between(1, longestDeadline))] : []),
    ...named("hostname", hostname, labelProblems),
    ...named("subdomain", subdomain, labelProblems),
  ];
}

function classes(path: string, { priorityClassName, runtimeClassName, preemptionPolicy }: PodSpec): FieldError[] {
  const errors = priorityClassName
    ? each(`${path}.priorityClassName`, priorityClassName, subdomainProblems(priorityClassName))
    : [];
  if (runtimeClassName !== undefined)
    errors.push(...each(`${path}.runtimeClassName`, runtimeClassName, subdomainProblems(runtimeClassName)));
  if (preemptionPolicy !== undefined)
    errors.push(...requiredOneOf(`${path}.preemptionPolicy`, preemptionPolicy, ["PreemptLowerPriority", "Never"]));
  return errors;
}

function operatingSystem(path: string, spec: PodSpec): FieldError[] {
  if (!spec.os) return [];
  if (spec.os.name === "") return [required(`${path}.os.name`)];
  const errors = oneOf(`${path}.os`, spec.os.name, ["linux", "windows"]);
  if (errors.length > 0) return errors;
  // No node of ours runs Windows: better refused here than waiting for ever.
  if (spec.os.name === "windows") return [notSupported(`${path}.os`, spec.os.name, ["linux"])];
  const text = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions) errors.push(forbidden(`${path}.securityContext.windowsOptions`, text));
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const [index, { securityContext }] of (spec[list] ?? []).entries())
      if (securityContext?.windowsOptions)
        errors.push(forbidden(`${path}.${list}[${index}].securityContext.windowsOptions`, text));
  return errors;
}

function variablesFromFiles(path: string, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const [index, { env = [] }] of (spec[list] ?? []).entries())
      for (const [number, { valueFrom }] of env.entries()) {
        const name = valueFrom?.fileKeyRef?.volumeName;
        if (name === undefined) continue;
        const at = `${path}.${list}[${index}].env[${number}].valueFrom.fileKeyRef.volumeName`;
        const volume = spec.volumes?.find((volume) => volume.name === name);
        if (!volume) errors.push(notFound(at, name));
        else if (!volume.emptyDir) errors.push(invalid(at, name, "referenced volume must be of type emptyDir"));
      }
  return errors;
}
