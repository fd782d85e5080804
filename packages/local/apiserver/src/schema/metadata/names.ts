/** What names, label keys and label values must look like. Each answers with the rules that a text breaks, in Kubernetes' words. */

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const keyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${keyName})?`;

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const keyNamePattern = new RegExp(`^${keyName}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);

const keyNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Of most objects. */
export function subdomainProblems(value: string): string[] {
  return inSubdomain(value, "characters");
}

function inSubdomain(value: string, unit: string): string[] {
  const problems = longerThan(253, value, unit);
  if (!subdomainPattern.test(value))
    problems.push(
      ruleText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomain,
        "example.com",
      ),
    );
  return problems;
}

/** Of namespaces, containers, ports. */
export function labelProblems(value: string): string[] {
  const problems = longerThan(63, value, "characters");
  if (labelPattern.test(value)) return problems;
  if (subdomainPattern.test(value)) return [...problems, "must not contain dots"];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, ruleText(rule, label, "my-name", "123-abc")];
}

/** Of services. */
export function label1035Problems(value: string): string[] {
  const problems = longerThan(63, value, "characters");
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  if (!label1035Pattern.test(value)) problems.push(ruleText(rule, label1035, "my-name", "abc-123"));
  return problems;
}

/** Of what may be any part of a URL's path, such as the name of a role. */
export function pathSegmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Label keys, finalizers, condition types: `name` or `example.com/name`. */
export function qualifiedNameProblems(value: string): string[] {
  const parts = value.split("/");
  if (parts.length > 2)
    return [
      `a valid label key ${ruleText(keyNameRule, keyName, "MyName", "my.name", "123-abc")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  const name = parts.at(-1) ?? "";
  const [prefix] = parts;
  if (parts.length === 2 && prefix !== undefined) {
    const wrong = prefix === "" ? ["must be non-empty"] : inSubdomain(prefix, "bytes");
    problems.push(...wrong.map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  problems.push(...longerThan(63, name, "bytes").map((problem) => `name part ${problem}`));
  if (!keyNamePattern.test(name))
    problems.push(`name part ${ruleText(keyNameRule, keyName, "MyName", "my.name", "123-abc")}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = longerThan(63, value, "bytes");
  const rule = `a valid label must be an empty string or consist of ${keyNameRule.slice("must consist of ".length)}`;
  if (!labelValuePattern.test(value)) problems.push(ruleText(rule, labelValue, "MyValue", "my_value", "12345"));
  return problems;
}

/** It is bytes that are counted; what they are called depends on who asks. */
function longerThan(most: number, value: string, unit: string): string[] {
  return Buffer.byteLength(value) > most ? [`must be no more than ${most} ${unit}`] : [];
}

function ruleText(rule: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
