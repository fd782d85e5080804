/**
 * What Kubernetes accepts as a name of a sort that only some kinds have, and its own words where it does not. Empty: all
 * is well. Names that every object has are in schema/metadata.
 */

const looseLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const looseSubdomain = `${looseLabel}(\\.${looseLabel})*`;
const configKey = "[-._a-zA-Z0-9]+";
const percent = "[0-9]+%";
const headerName = "[-A-Za-z0-9]+";

const compiled = new Map<string, RegExp>();

function matches(pattern: string, value: string): boolean {
  const known = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`);
  compiled.set(pattern, known);
  return known.test(value);
}

function longest(most: number, value: string): string[] {
  return Buffer.byteLength(value) > most ? [`must be no more than ${most} characters`] : [];
}

function mismatch(rule: string, pattern: string, ...examples: string[]): string {
  const shown = `e.g. ${examples.map((example) => `'${example}', `).join(" or ")}`;
  return `${rule} (${shown}regex used for validation is '${pattern}')`;
}

/** A search path of DNS, which may have underscores. */
export function searchPathProblems(value: string): string[] {
  if (matches(looseSubdomain, value)) return longest(253, value);
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...longest(253, value), mismatch(rule, looseSubdomain, "example.com")];
}

/** Of a container's port: what SRV records allow. */
export function portNameProblems(value: string): string[] {
  const problems = longest(15, value);
  if (!/^[-a-z0-9]+$/.test(value))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function portNumberProblems(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [between(1, 65535)];
}

export function environmentNameProblems(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Of a config map or a secret. */
export function configKeyProblems(value: string): string[] {
  const problems = longest(253, value);
  const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  if (!matches(configKey, value)) problems.push(mismatch(rule, configKey, "key.name", "KEY_NAME", "key-name"));
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function percentProblems(value: string): string[] {
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return matches(percent, value) ? [] : [mismatch(rule, percent, "1%", "93%")];
}

export function headerNameProblems(value: string): string[] {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return matches(headerName, value) ? [] : [mismatch(rule, headerName, "X-Header-Name")];
}

export function between(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const wildcard = `\\*\\.${subdomain}`;
const wildcardPattern = new RegExp(`^${wildcard}$`);
const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPathPattern = new RegExp(`^${httpPath}$`);

/** `*.example.com` */
export function wildcardProblems(value: string): string[] {
  const problems = Buffer.byteLength(value) > 253 ? ["must be no more than 253 characters"] : [];
  if (wildcardPattern.test(value)) return problems;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...problems, `${rule} (e.g. '*.example.com', regex used for validation is '${wildcard}')`];
}

/** What stands after the domain in `example.com/some/path`. */
export function httpPathProblems(value: string): string[] {
  return httpPathPattern.test(value) ? [] : [`Invalid path (regex used for validation is '${httpPath}')`];
}
