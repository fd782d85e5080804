/** Roles and cluster roles: what may be done. */
import type { LabelSelector } from "@berg/apimachinery";
import { type FieldError, invalid, required } from "../../errors/field-error.ts";
import { pathSegmentProblems } from "../../schema/metadata/names.ts";
import { builtIn } from "../built-in.ts";
import { labelSelector as selectorErrors } from "../checks/field-rules.ts";
import { createdAtColumn, nameColumn } from "../columns.ts";
import { always, list, object, text } from "../shapes.ts";
import { labelSelector } from "../workloads/shapes/meta.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

interface PolicyRule {
  verbs: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Role {
  rules: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

const rules = always(
  list(
    object(
      {
        verbs: always(list(text())),
        apiGroups: list(text()),
        resources: list(text()),
        resourceNames: list(text()),
        nonResourceURLs: list(text()),
      },
      ["verbs"],
    ),
  ),
);

export const roles = builtIn({
  group: rbacGroup,
  resource: "roles",
  kind: "Role",
  schema: object({ rules }),
  columns: [nameColumn, createdAtColumn],
  strategy: {
    createsOnUpdate: true,
    validate: (object) => rulesErrors(object as unknown as Role, true),
    nameProblems: pathSegmentProblems,
  },
});

export const clusterRoles = builtIn({
  group: rbacGroup,
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
  schema: object({ rules, aggregationRule: object({ clusterRoleSelectors: list(labelSelector) }) }),
  columns: [nameColumn, createdAtColumn],
  strategy: {
    createsOnUpdate: true,
    validate: (object) => [
      ...rulesErrors(object as unknown as Role, false),
      ...aggregationErrors(object as unknown as Role),
    ],
    nameProblems: pathSegmentProblems,
  },
});

function rulesErrors({ rules }: Role, isNamespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, i) => ruleErrors(rule, isNamespaced, `rules[${i}]`));
}

function ruleErrors(rule: PolicyRule, isNamespaced: boolean, at: string): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (!verbs?.length) errors.push(required(`${at}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const wrong = (text: string) => errors.push(invalid(`${at}.nonResourceURLs`, nonResourceURLs, text));
    if (isNamespaced) wrong("namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      wrong("rules cannot apply to both regular resources and non-resource URLs");
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0)
    errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

function aggregationErrors({ aggregationRule }: Role): FieldError[] {
  if (!aggregationRule) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, i) => {
    const at = `${field}[${i}]`;
    const errors = selectorErrors(at, selector);
    return errors.length > 0 ? [...errors, invalid(at, null, "invalid label selector.")] : [];
  });
}
