/** Whether a request is one that a policy or a binding is about. */
import { compileLabelSelector, type LabelSelector } from "@berg/apimachinery";
import type { MatchResources, RuleWithOperations } from "../../kinds/admissionregistration/types.ts";
import type { ServedResource } from "../../registry/resource.ts";
import type { AdmissionRequest } from "../admission.ts";

/** What is asked beside the request itself. */
export interface Surroundings {
  /** Of the namespace that the request is in; undefined where it is in none. */
  namespaceLabels: Readonly<Record<string, string>> | undefined;
  /** Other versions and groups under which the same object is served. */
  equivalents: readonly ServedResource[];
}

/** As which resource it is meant: that of the request, or an equivalent one. Undefined where it is not meant. */
export function matchedAs(
  match: MatchResources,
  request: AdmissionRequest,
  around: Surroundings,
): ServedResource | undefined {
  if (!isInNamespace(match.namespaceSelector, around) || !hasLabels(match.objectSelector, request)) return undefined;
  const { resourceRules = [], excludeResourceRules = [] } = match;
  const named = (rules: readonly RuleWithOperations[]) => ruledAs(rules, match.matchPolicy, request, around);
  if (named(excludeResourceRules)) return undefined;
  return resourceRules.length === 0 ? request.resource : named(resourceRules);
}

function isInNamespace(selector: LabelSelector | undefined, { namespaceLabels }: Surroundings): boolean {
  return namespaceLabels === undefined || compileLabelSelector(selector ?? {}).matches(namespaceLabels);
}

/** As it is or as it was: nobody gets past a policy by taking a label away. */
function hasLabels(selector: LabelSelector | undefined, { draft, old }: AdmissionRequest): boolean {
  const compiled = compileLabelSelector(selector ?? {});
  if (compiled.toString() === "") return true;
  // What is sent to a stream has no metadata.
  return [draft, old].some((object) => object?.metadata && compiled.matches(object.metadata.labels));
}

function ruledAs(
  rules: readonly RuleWithOperations[],
  matchPolicy: string | undefined,
  request: AdmissionRequest,
  { equivalents }: Surroundings,
): ServedResource | undefined {
  const isRuledAs = (resource: ServedResource) => (rule: RuleWithOperations) => isRuled(rule, request, resource);
  if (rules.some(isRuledAs(request.resource))) return request.resource;
  if (matchPolicy === "Exact") return undefined;
  for (const rule of rules) {
    const found = equivalents.find((other) => isRuledAs(other)(rule));
    if (found) return found;
  }
  return undefined;
}

function isRuled(rule: RuleWithOperations, request: AdmissionRequest, resource: ServedResource): boolean {
  const { resourceNames = [], operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  return (
    isInScope(rule.scope, request) &&
    hasOrAll(operations, request.verb.toUpperCase()) &&
    hasOrAll(apiGroups, resource.group) &&
    hasOrAll(apiVersions, resource.version) &&
    resources.some((name) => isResource(name, resource.resource, request.subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

const hasOrAll = (values: readonly string[], value: string): boolean => values.includes("*") || values.includes(value);

/** A namespace itself is in none. */
function isInScope(scope: string | undefined, { resource, namespace }: AdmissionRequest): boolean {
  if (scope === undefined || scope === "*") return true;
  const isNamespaced = resource.storedAs !== "namespaces" && namespace !== "";
  return scope === (isNamespaced ? "Namespaced" : "Cluster");
}

/** `pods` is only the pod itself; all of its subresources are another entry. */
function isResource(name: string, resource: string, subresource: string): boolean {
  const [wanted, wantedPart = ""] = name.split(/\/(.*)/s);
  return (wanted === "*" || wanted === resource) && (wantedPart === "*" || wantedPart === subresource);
}
