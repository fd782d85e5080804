/** What Kubernetes accepts as a name of one sort or another, and its own words where it does not. Empty: all is well. */

const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;
const looseLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const looseSubdomain = `${looseLabel}(\\.${looseLabel})*`;
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelKey})?`;
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

/** A container, a volume, a hostname. */
export function dnsLabelProblems(value: string): string[] {
  const problems = longest(63, value);
  if (matches(dnsLabel, value)) return problems;
  if (matches(dnsSubdomain, value)) return [...problems, "must not contain dots"];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, mismatch(rule, dnsLabel, "my-name", "123-abc")];
}

/** Most objects. */
export function dnsSubdomainProblems(value: string): string[] {
  if (matches(dnsSubdomain, value)) return longest(253, value);
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...longest(253, value), mismatch(rule, dnsSubdomain, "example.com")];
}

/** A search path of DNS, which may have underscores. */
export function searchPathProblems(value: string): string[] {
  if (matches(looseSubdomain, value)) return longest(253, value);
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...longest(253, value), mismatch(rule, looseSubdomain, "example.com")];
}

/** `name` or `example.com/name`: a label key, a condition type, a resource. */
export function qualifiedNameProblems(value: string): string[] {
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const shape = mismatch(rule, labelKey, "MyName", "my.name", "123-abc");
  const parts = value.split("/");
  if (parts.length > 2)
    return [`a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix, name = ""] = parts.length === 2 ? parts : [undefined, value];
  const problems: string[] = [];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    problems.push(...dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...longest(63, name).map((problem) => `name part ${problem}`));
  if (!matches(labelKey, name)) problems.push(`name part ${shape}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  if (matches(labelValue, value)) return longest(63, value);
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...longest(63, value), mismatch(rule, labelValue, "MyValue", "my_value", "12345")];
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
