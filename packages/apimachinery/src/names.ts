/**
 * What Kubernetes accepts as a name, a label key and a label value.
 *
 * Each `…Problem` answers with the rule that a text breaks, ready to stand in an error, or with nothing where it is fine.
 */
import { quoted } from "./parse-error.ts";

const dnsLabel = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const dnsLabelPattern = new RegExp(`^${dnsLabel}$`);
const dnsSubdomainPattern = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const labelPartPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const longestLabel = 63;
const longestSubdomain = 253;

const labelPartRule = `1-${longestLabel} of A-Z, a-z, 0-9, "-", "_" and ".", starting and ending with a letter or digit`;

/** The name of a namespace, a container, a port of a Service: one part of a host name. */
export function isDNS1123Label(value: string): boolean {
  return value.length <= longestLabel && dnsLabelPattern.test(value);
}

/** The name of most objects: DNS labels joined by dots. */
export function isDNS1123Subdomain(value: string): boolean {
  return value.length <= longestSubdomain && dnsSubdomainPattern.test(value);
}

/**
 * A label key, a finalizer, a condition type: `name` or `example.com/name`. An annotation key may have capitals in its
 * prefix besides.
 */
export function isQualifiedName(value: string): boolean {
  return qualifiedNameProblem(value) === undefined;
}

export function isLabelValue(value: string): boolean {
  return value === "" || isLabelPart(value);
}

export function dns1123LabelProblem(value: string): string | undefined {
  if (isDNS1123Label(value)) return undefined;
  return `${quoted(value)} is not a DNS label: use 1-${longestLabel} of a-z, 0-9 and "-", starting and ending with a letter or digit`;
}

export function dns1123SubdomainProblem(value: string): string | undefined {
  if (isDNS1123Subdomain(value)) return undefined;
  return `${quoted(value)} is not a DNS subdomain: use at most ${longestSubdomain} of a-z, 0-9, "-" and ".", each part between dots starting and ending with a letter or digit`;
}

export function qualifiedNameProblem(value: string): string | undefined {
  const parts = value.split("/");
  const [prefix, name] = parts.length === 1 ? [undefined, value] : parts;
  if (parts.length > 2 || name === undefined)
    return `${quoted(value)} is not a key: it has more than one "/" (example.com/name)`;
  if (prefix !== undefined && !isDNS1123Subdomain(prefix))
    return `${quoted(value)} is not a key: before the "/", ${dns1123SubdomainProblem(prefix)}`;
  if (!isLabelPart(name)) return `${quoted(value)} is not a key: its name must be ${labelPartRule}`;
  return undefined;
}

export function labelValueProblem(value: string): string | undefined {
  if (isLabelValue(value)) return undefined;
  return `${quoted(value)} is not a label value: leave it empty or use ${labelPartRule}`;
}

function isLabelPart(value: string): boolean {
  return value.length <= longestLabel && labelPartPattern.test(value);
}
