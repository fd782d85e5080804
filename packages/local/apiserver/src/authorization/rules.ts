/** Whether one RBAC rule speaks of a request. */
import type { RequestInfo } from "../requests/request-info.ts";

export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

export function allows(rule: PolicyRule, info: RequestInfo): boolean {
  if (!includes(rule.verbs, info.verb)) return false;
  if (!info.isResource) return (rule.nonResourceURLs ?? []).some((url) => matchesPath(url, info.path));
  return (
    includes(rule.apiGroups, info.group) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, info.resource, info.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(info.name))
  );
}

function includes(known: readonly string[] | undefined, wanted: string): boolean {
  return known?.some((one) => one === "*" || one === wanted) ?? false;
}

/** `pods`, `pods/log`, `*` for everything, or `*`, a slash and a subresource. */
function matchesResource(known: string, resource: string, subresource: string): boolean {
  if (known === "*") return true;
  if (subresource === "") return known === resource;
  return known === `${resource}/${subresource}` || known === `*/${subresource}`;
}

/** `known` may end with `*`, for every path that begins with the rest of it. */
export function matchesPath(known: string, path: string): boolean {
  if (known === path) return true;
  let end = known.length;
  while (known[end - 1] === "*") end--;
  return end < known.length && path.startsWith(known.slice(0, end));
}
