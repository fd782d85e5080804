/** Where a pod may run: affinity and spreading. */

import type { LabelSelector } from "@berg/apimachinery";
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../../errors/field-error.ts";
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from "../../../../schema/metadata/names.ts";
import { each, labelSelector, oneOf, positive } from "../../../checks/field-rules.ts";
import type {
  Affinity,
  NodeRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from "../../types.ts";

const needed = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

export function affinity(path: string, { nodeAffinity, podAffinity, podAntiAffinity }: Affinity): FieldError[] {
  const errors: FieldError[] = [];
  const terms = nodeAffinity?.[needed];
  if (terms)
    errors.push(...nodeTerms(`${path}.nodeAffinity.${needed}.nodeSelectorTerms`, terms.nodeSelectorTerms ?? []));
  for (const [index, { weight, preference }] of (nodeAffinity?.[preferred] ?? []).entries()) {
    const at = `${path}.nodeAffinity.${preferred}[${index}]`;
    errors.push(...inRange(`${at}.weight`, weight), ...nodeTerm(`${at}.preference`, preference, { isLoose: true }));
  }
  if (podAffinity) errors.push(...podTerms(`${path}.podAffinity`, podAffinity));
  if (podAntiAffinity) errors.push(...podTerms(`${path}.podAntiAffinity`, podAntiAffinity));
  return errors;
}

function nodeTerms(path: string, terms: readonly NodeSelectorTerm[]): FieldError[] {
  if (terms.length === 0) return [required(path, "must have at least one node selector term")];
  return terms.flatMap((term, index) => nodeTerm(`${path}[${index}]`, term, { isLoose: false }));
}

function nodeTerm(path: string, term: NodeSelectorTerm, options: { isLoose: boolean }): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((rule, index) =>
      nodeLabel(`${path}.matchExpressions[${index}]`, rule, options),
    ),
    ...(term.matchFields ?? []).flatMap((rule, index) => nodeField(`${path}.matchFields[${index}]`, rule)),
  ];
}

/** Where it is only a wish, values that no label can have are let through, as they always were. */
function nodeLabel(
  path: string,
  { key, operator, values = [] }: NodeRequirement,
  { isLoose }: { isLoose: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1)
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
  errors.push(...each(`${path}.key`, key, qualifiedNameProblems(key)));
  if (!isLoose)
    for (const [index, value] of values.entries())
      errors.push(...each(`${path}.values[${index}]`, value, labelValueProblems(value)));
  return errors;
}

function nodeField(path: string, { key, operator, values = [] }: NodeRequirement): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  else if (values.length !== 1)
    errors.push(
      required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  if (key !== "metadata.name") return [...errors, invalid(`${path}.key`, key, "not a valid field selector key")];
  return [
    ...errors,
    ...values.flatMap((value, index) => each(`${path}.values[${index}]`, value, subdomainProblems(value))),
  ];
}

function podTerms(path: string, pods: PodAffinity): FieldError[] {
  return [
    ...(pods[needed] ?? []).flatMap((term, index) => podTerm(`${path}.${needed}[${index}]`, term)),
    ...(pods[preferred] ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
      const at = `${path}.${preferred}[${index}]`;
      return [...inRange(`${at}.weight`, weight), ...podTerm(`${at}.podAffinityTerm`, podAffinityTerm)];
    }),
  ];
}

function podTerm(path: string, term: PodAffinityTerm): FieldError[] {
  const { topologyKey, namespaces = [], matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  return [
    ...labelSelector(`${path}.labelSelector`, term.labelSelector),
    ...labelSelector(`${path}.namespaceSelector`, term.namespaceSelector),
    ...namespaces.flatMap((name) => each(`${path}.namespace`, name, labelProblems(name))),
    ...labelKeys(`${path}.matchLabelKeys`, matchLabelKeys, term.labelSelector),
    ...labelKeys(`${path}.mismatchLabelKeys`, mismatchLabelKeys, term.labelSelector),
    ...matchLabelKeys.flatMap((key, index) =>
      mismatchLabelKeys.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : [],
    ),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...each(`${path}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey)),
  ];
}

function labelKeys(path: string, keys: readonly string[], selector: LabelSelector | undefined): FieldError[] {
  if (keys.length === 0) return [];
  if (!selector) return [forbidden(path, "must not be specified when labelSelector is not set")];
  return keys.flatMap((key, index) => each(`${path}[${index}]`, key, qualifiedNameProblems(key)));
}

function inRange(path: string, weight: number): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(path, weight, "must be in the range 1-100")];
}

export function spreading(path: string, constraints: readonly TopologySpreadConstraint[]): FieldError[] {
  const keyOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint) => `${whenUnsatisfiable} ${topologyKey}`;
  const lastIndexes = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, matchLabelKeys = [] } = constraint;
    const errors = positive(`${at}.maxSkew`, maxSkew);
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    errors.push(...oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]));
    if (lastIndexes.get(keyOf(constraint)) !== index)
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    if (minDomains !== undefined) {
      errors.push(...positive(`${at}.minDomains`, minDomains));
      if (whenUnsatisfiable !== "DoNotSchedule") {
        const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        errors.push(invalid(`${at}.minDomains`, minDomains, text));
      }
    }
    for (const field of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[field];
      if (policy !== undefined) errors.push(...oneOf(`${at}.${field}`, policy, ["Honor", "Ignore"]));
    }
    errors.push(...labelKeys(`${at}.matchLabelKeys`, matchLabelKeys, constraint.labelSelector));
    return [...errors, ...labelSelector(`${at}.labelSelector`, constraint.labelSelector)];
  });
}
