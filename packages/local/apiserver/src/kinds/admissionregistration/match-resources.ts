/** Which requests a policy or a binding is about: its shape, what it says where it says nothing, and what is wrong with it. */
import { duplicate, type FieldError, invalid, notSupported, required } from "../../errors/field-error.ts";
import { pathSegmentProblems } from "../../schema/metadata/names.ts";
import { each, labelSelector as selectorErrors } from "../checks/field-rules.ts";
import { atomicObject, choice, kept, list, text } from "../shapes.ts";
import { labelSelector } from "../workloads/shapes/meta.ts";
import type { MatchResources, RuleWithOperations } from "./types.ts";

const scopes = ["*", "Cluster", "Namespaced"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const matchPolicies = ["Equivalent", "Exact"];

const rule = atomicObject({
  resourceNames: list(text()),
  operations: list(choice(...operations)),
  apiGroups: list(text()),
  apiVersions: list(text()),
  resources: list(text()),
  scope: kept(choice(...scopes)),
});

export const matchResources = atomicObject({
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  resourceRules: list(rule),
  excludeResourceRules: list(rule),
  matchPolicy: kept(choice(...matchPolicies)),
});

export function fillInMatchResources(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const each of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) each.scope ??= "*";
}

export function matchResourcesErrors(match: MatchResources | undefined, at: string): FieldError[] {
  if (!match) return [];
  const { matchPolicy = "", resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...(matchPolicies.includes(matchPolicy) ? [] : [notSupported(`${at}.matchPolicy`, matchPolicy, matchPolicies)]),
    ...selectorErrors(`${at}.namespaceSelector`, match.namespaceSelector),
    ...selectorErrors(`${at}.objectSelector`, match.objectSelector),
    ...resourceRules.flatMap((rule, i) => ruleErrors(rule, `${at}.resourceRules[${i}]`)),
    ...excludeResourceRules.flatMap((rule, i) => ruleErrors(rule, `${at}.excludeResourceRules[${i}]`)),
  ];
}

function ruleErrors(rule: RuleWithOperations, at: string): FieldError[] {
  const { resourceNames = [], apiVersions = [], scope = "*" } = rule;
  return [
    ...resourceNames.flatMap((name, i) => [
      ...each(`${at}.resourceNames[${i}]`, name, pathSegmentProblems(name)),
      ...(resourceNames.indexOf(name) < i ? [duplicate(`${at}.resourceNames[${i}]`, name)] : []),
    ]),
    ...aloneOrSeveral(`${at}.operations`, rule.operations, "operations"),
    ...(rule.operations ?? []).flatMap((operation, i) =>
      operations.includes(operation) ? [] : [notSupported(`${at}.operations[${i}]`, operation, operations)],
    ),
    ...aloneOrSeveral(`${at}.apiGroups`, rule.apiGroups, "API groups"),
    ...aloneOrSeveral(`${at}.apiVersions`, apiVersions, "API versions"),
    ...apiVersions.flatMap((version, i) => (version === "" ? [required(`${at}.apiVersions[${i}]`)] : [])),
    ...resourcesErrors(rule.resources ?? [], `${at}.resources`),
    ...(scopes.includes(scope) ? [] : [notSupported(`${at}.scope`, scope, scopes)]),
  ];
}

/** `*`, or others, but at least one. */
function aloneOrSeveral(at: string, values: readonly string[] = [], what: string): FieldError[] {
  if (values.length === 0) return [required(at)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalid(at, values, `if '*' is present, must not specify other ${what}`)];
}

/** A resource or all of them, with a subresource, all of those, or none: nothing may be said twice. */
function resourcesErrors(resources: readonly string[], at: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(at)] : [];
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  // As in Kubernetes: the last one without a subresource decides.
  let hasPlain = false;
  for (const [i, value] of resources.entries()) {
    if (value === "") {
      errors.push(required(`${at}[${i}]`));
      continue;
    }
    const slash = value.indexOf("/");
    if (slash < 0) {
      hasPlain = value !== "*";
      continue;
    }
    const [resource, subresource] = [value.slice(0, slash), value.slice(slash + 1)];
    const refuse = (all: string) =>
      errors.push(invalid(`${at}[${i}]`, value, `if '${all}' is present, must not specify ${value}`));
    if (allOf.has(resource)) refuse(`${resource}/*`);
    if (ofAll.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === "*") allOf.add(resource);
    if (resource === "*") ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(at, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && hasPlain)
    errors.push(invalid(at, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}
