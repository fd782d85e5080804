/** Which names of resources stand where, in Kubernetes' words. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { qualifiedNameProblems } from "../../schema/metadata/names.ts";

const forContainers = ["cpu", "memory", "ephemeral-storage"];
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const requested = ["requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage"];
const limited = ["limits.cpu", "limits.memory", "limits.ephemeral-storage"];
const forQuotas = new Set([...forContainers, ...requested, ...limited, ...counted]);
const standard = new Set([...forQuotas, "storage"]);

export function isForQuotas(name: string): boolean {
  return forQuotas.has(name) || isHugePages(name);
}

/** Measured in whole numbers: objects, and devices such as `example.com/gpu`. */
export function isCounted(name: string): boolean {
  if (!isExtended(name)) return counted.includes(name);
  return true;
}

/** Requests and limits of these may differ. */
export function allowsOvercommit(name: string): boolean {
  return isNative(name) && !name.startsWith("hugepages-");
}

export function resourceNameErrors(field: string, name: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(field, name, problem));
  if (name.includes("/") || standard.has(name) || isHugePages(name)) return [];
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

export function containerResourceErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (!name.includes("/")) {
    if (!forContainers.includes(name) && !name.startsWith("hugepages-"))
      errors.push(invalid(field, name, "must be a standard resource for containers"));
  } else if (!isNative(name) && !isExtended(name))
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  return errors;
}

export function quotaResourceErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (!name.includes("/") && !isForQuotas(name))
    errors.push(invalid(field, name, "must be a standard resource for quota"));
  return errors;
}

/** Not below zero, and whole where it is counted. */
export function amountErrors(field: string, name: string, value: string): FieldError[] {
  const amount = readQuantity(value);
  const errors: FieldError[] = [];
  if (amount.nanos < 0n) errors.push(invalid(field, value, "must be greater than or equal to 0"));
  if (isCounted(name) && amount.milliValue() % 1000n !== 0n) errors.push(invalid(field, value, "must be an integer"));
  return errors;
}

/** What cannot be read was refused when it was decoded. */
export function readQuantity(value: string): Quantity {
  try {
    return parseQuantity(value);
  } catch {
    return parseQuantity("0");
  }
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}
