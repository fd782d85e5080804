/** What somebody who is acted for in a narrow way may have in `extra`: `acme.com/project` and a value. */
import { formatFieldError, invalid } from "../errors/field-error.ts";
import { goQuote } from "../errors/go-text.ts";
import { subdomainProblems } from "../schema/metadata/names.ts";

const path = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const wholePath = new RegExp(`^${path}$`);

export function extraProblem(key: string, value: string): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const [problem] = keyProblems(key).map(formatFieldError);
  if (problem !== undefined) return `impersonating an invalid key in extra is not allowed: ${problem}`;
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  return value === "" ? "impersonating the empty string value in extra is not allowed" : undefined;
}

function keyProblems(key: string) {
  const field = "extra.key";
  const [domain = "", ...rest] = key.split("/");
  const after = rest.join("/");
  if (domain === "" || after === "")
    return [invalid(field, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...subdomainProblems(domain).map((why) => invalid(field, domain, why)),
    ...(wholePath.test(after) ? [] : [invalid(field, after, `Invalid path (regex used for validation is '${path}')`)]),
  ];
}
