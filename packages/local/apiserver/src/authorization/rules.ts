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

/** Whether one of these rules allows all that a rule of one verb on one thing allows. */
export function covers(rules: readonly PolicyRule[], wanted: PolicyRule): boolean {
  const [verb = ""] = wanted.verbs ?? [];
  const [url] = wanted.nonResourceURLs ?? [];
  return rules.some((rule) => {
    if (!includes(rule.verbs, verb)) return false;
    if (url !== undefined) return (rule.nonResourceURLs ?? []).some((known) => matchesPath(known, url));
    const [apiGroup = ""] = wanted.apiGroups ?? [];
    const [resource = "", subresource = ""] = (wanted.resources?.[0] ?? "").split("/");
    const [name] = wanted.resourceNames ?? [];
    return (
      includes(rule.apiGroups, apiGroup) &&
      (rule.resources ?? []).some((known) => matchesResource(known, resource, subresource)) &&
      // One that is for some names only is less than one for all.
      (!rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name)))
    );
  });
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

function matchesPath(known: string, path: string): boolean {
  return known === "*" || known === path || (known.endsWith("*") && path.startsWith(known.replace(/\*+$/, "")));
}
