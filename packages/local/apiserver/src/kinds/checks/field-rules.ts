/** Rules that many fields share. Each returns what is wrong; nothing where all is well. */
import { isIPv4, isIPv6 } from "node:net";
import { jsonEqual, type LabelSelector } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import { labelValueProblems, qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { percentProblems } from "./names.ts";

/** Each problem of a value, as an error of the field. */
export function each(path: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(path, value, problem));
}

/** What a map has under a key that anyone may have chosen: `toString` and `__proto__` are no more special than others. */
export function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}

export function notNegative(path: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

export function positive(path: string, value: number): FieldError[] {
  return value <= 0 ? [invalid(path, value, "must be greater than zero")] : [];
}

export function unchanged(path: string, value: unknown, old: unknown): FieldError[] {
  return jsonEqual(value, old) ? [] : [invalid(path, value, "field is immutable")];
}

export function oneOf(path: string, value: string, choices: readonly string[]): FieldError[] {
  return choices.includes(value) ? [] : [notSupported(path, value, choices)];
}

/** As `oneOf`; but nothing at all is said to be missing. */
export function requiredOneOf(path: string, value: string | undefined, choices: readonly string[]): FieldError[] {
  return value === undefined || value === "" ? [required(path)] : oneOf(path, value, choices);
}

export function labels(path: string, values: Record<string, string> | undefined): FieldError[] {
  return Object.entries(values ?? {}).flatMap(([key, value]) => [
    ...each(path, key, qualifiedNameProblems(key)),
    ...each(path, value, labelValueProblems(value)),
  ]);
}

export function labelSelector(path: string, selector: LabelSelector | undefined): FieldError[] {
  if (!selector) return [];
  const errors = labels(`${path}.matchLabels`, selector.matchLabels);
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    errors.push(...selectorValues(at, operator, values), ...each(`${at}.key`, key, qualifiedNameProblems(key)));
    for (const [number, value] of values.entries())
      errors.push(...each(`${at}.values[${number}]`, value, labelValueProblems(value)));
  }
  return errors;
}

/** In the order in which Kubernetes writes it, whatever the order in which it was sent. */
export function selectorAsShown(selector: LabelSelector | undefined): LabelSelector | null {
  if (!selector) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels && { matchLabels: labelsAsShown(matchLabels) }),
    ...(matchExpressions && {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values && { values }),
      })),
    }),
  };
}

export function labelsAsShown(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function selectorValues(path: string, operator: string, values: readonly string[]): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

export type IntOrPercent = number | string;

export function intOrPercent(path: string, value: IntOrPercent): FieldError[] {
  return typeof value === "string" ? each(path, value, percentProblems(value)) : notNegative(path, value);
}

export function atMostAll(path: string, value: IntOrPercent): FieldError[] {
  const share = typeof value === "string" && percentProblems(value).length === 0 ? Number(value.slice(0, -1)) : 0;
  return share > 100 ? [invalid(path, value, "must not be greater than 100%")] : [];
}

/** Leading zeros and IPv4 addresses in IPv6 clothes were accepted once, and are no more. */
export function ipAddress(path: string, value: string): FieldError[] {
  if (isIPv4(value)) return [];
  if (isIPv6(value) && !value.includes("%")) {
    if (!isMappedIPv4(value)) return [];
    return [invalid(path, value, "must not be an IPv4-mapped IPv6 address")];
  }
  if (isIPv4(value.replace(/(^|\.)0+(?=\d)/g, "$1"))) return [invalid(path, value, "must not have leading 0s")];
  return [invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
}

function isMappedIPv4(address: string): boolean {
  return new URL(`http://[${address}]/`).hostname.startsWith("[::ffff:");
}

/** Relative, and never upwards. */
export function pathDownwards(path: string, value: string): FieldError[] {
  const absolute = value.startsWith("/") ? [invalid(path, value, "must be a relative path")] : [];
  return [...absolute, ...pathWithoutBacksteps(path, value)];
}

export function pathWithoutBacksteps(path: string, value: string): FieldError[] {
  return value.split("/").includes("..") ? [invalid(path, value, "must not contain '..'")] : [];
}
