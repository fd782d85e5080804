/** What containers and pods ask for, and may use at most. */

import { parseQuantity, type Quantity } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../../errors/field-error.ts";
import { qualifiedNameProblems } from "../../../../schema/metadata/names.ts";
import { each, own } from "../../../checks/field-rules.ts";
import type { PodSpec, ResourceList, ResourceRequirements } from "../../types.ts";
import { containerRequests } from "../container-requests.ts";
import { usedClaims } from "./resource-claims.ts";

type NameRule = (path: string, name: string) => FieldError[];

export function containerResources(path: string, requirements: ResourceRequirements, spec: PodSpec): FieldError[] {
  return resources(path, requirements, spec, containerResourceName);
}

/** Of the pod as a whole. */
export function podResources(path: string, spec: PodSpec): FieldError[] {
  if (!spec.resources) return [];
  if (spec.os?.name === "windows") return [forbidden(path, "may not be set for a windows pod")];
  const claims = spec.resources.claims
    ? [forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")]
    : [];
  return [
    ...claims,
    ...resources(path, spec.resources, spec, podResourceName),
    ...enoughForContainers(path, spec, spec.resources.requests ?? {}),
    ...withinPodLimits(path, spec, spec.resources.limits ?? {}),
  ];
}

function resources(
  path: string,
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  spec: PodSpec,
  nameRule: NameRule,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, text] of Object.entries(limits))
    errors.push(...amount(`${path}.limits[${name}]`, name, text, nameRule));
  for (const [name, text] of Object.entries(requests)) {
    errors.push(...amount(`${path}.requests[${name}]`, name, text, nameRule));
    errors.push(...withinLimit(path, name, text, own(limits, name)));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory"))
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  return [...errors, ...usedClaims(`${path}.claims`, claims, spec)];
}

function amount(path: string, name: string, text: string, nameRule: NameRule): FieldError[] {
  const quantity = parseQuantity(text);
  const errors = [...nameRule(path, name), ...validQuantity(path, name, quantity)];
  if (isHugePages(name) && !isWholePages(name, quantity))
    errors.push(invalid(path, text, `${text} is not positive integer multiple of ${name}`));
  return errors;
}

export function validQuantity(path: string, name: string, quantity: Quantity): FieldError[] {
  const errors: FieldError[] = [];
  if (quantity.nanos < 0n) errors.push(invalid(path, quantity.toString(), "must be greater than or equal to 0"));
  if (isCounted(name) && quantity.milliValue() % 1000n !== 0n)
    errors.push(invalid(path, quantity.toString(), "must be an integer"));
  return errors;
}

function withinLimit(path: string, name: string, text: string, limit: string | undefined): FieldError[] {
  if (limit === undefined)
    return isOvercommitAllowed(name)
      ? []
      : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  const difference = parseQuantity(text).compare(parseQuantity(limit));
  if (difference !== 0 && !isOvercommitAllowed(name))
    return [invalid(`${path}.requests`, text, `must be equal to ${name} limit of ${limit}`)];
  if (difference > 0)
    return [invalid(`${path}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`)];
  return [];
}

function enoughForContainers(path: string, spec: PodSpec, requests: ResourceList): FieldError[] {
  return [...containerRequests(spec)].flatMap(([name, sum]) => {
    const asked = own(requests, name);
    if (asked === undefined || sum.compare(parseQuantity(asked)) <= 0) return [];
    const text = `must be greater than or equal to aggregate container requests of ${sum}`;
    return [invalid(`${path}.requests[${name}]`, asked, text)];
  });
}

function withinPodLimits(path: string, spec: PodSpec, limits: ResourceList): FieldError[] {
  return (spec.containers ?? []).flatMap(({ resources }, index) =>
    Object.entries(resources?.limits ?? {}).flatMap(([name, text]) => {
      const most = own(limits, name);
      if (most === undefined || parseQuantity(text).compare(parseQuantity(most)) <= 0) return [];
      const at = `${path}.containers[${index}][${name}].limits`;
      return [invalid(at, text, `must be less than or equal to pod limits of ${most}`)];
    }),
  );
}

const ofContainers = ["cpu", "memory", "ephemeral-storage"];
const countedThings = [
  ...["pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"],
  ...["persistentvolumeclaims", "services.nodeports", "services.loadbalancers"],
];
const standard = new Set([
  ...ofContainers.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...[...countedThings, "storage", "requests.storage"],
]);

function resourceName(path: string, name: string): FieldError[] {
  const errors = each(path, name, qualifiedNameProblems(name));
  if (errors.length > 0 || name.includes("/") || standard.has(name) || isHugePages(name)) return errors;
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
}

function containerResourceName(path: string, name: string): FieldError[] {
  const errors = resourceName(path, name);
  if (!name.includes("/"))
    return ofContainers.includes(name) || isHugePages(name)
      ? errors
      : [...errors, invalid(path, name, "must be a standard resource for containers")];
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}

function podResourceName(path: string, name: string): FieldError[] {
  const errors = resourceName(path, name);
  if (errors.length > 0 || name === "cpu" || name === "memory" || isHugePages(name)) return errors;
  return [notSupported(path, name, ["cpu", "hugepages-", "memory"])];
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isWholePages(name: string, quantity: Quantity): boolean {
  const size = /^\d+(?:[kMGTPE]|[KMGTPE]i)?$/.exec(name.slice("hugepages-".length));
  const bytes = size ? parseQuantity(size[0]).value() : 0n;
  return bytes > 0n && quantity.value() % bytes === 0n;
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && qualifiedNameProblems(`requests.${name}`).length === 0;
}

function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** Things rather than amounts. */
function isCounted(name: string): boolean {
  return isExtended(name) || countedThings.includes(name);
}
