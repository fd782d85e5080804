/** Names that only these kinds have, and Kubernetes' own words where it does not take one. Empty: all is well. */

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
