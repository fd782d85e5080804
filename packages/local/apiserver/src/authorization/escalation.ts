/**
 * Prevents privilege escalation: a user who writes a role must hold every permission in it, and a user who binds one every
 * permission of the role, unless they may `escalate` or `bind`.
 */
import type { Admission, AdmissionRequest } from "../admission/admission.ts";
import { mastersGroup } from "../authentication/user.ts";
import { goQuote } from "../errors/go-text.ts";
import { forbidden, notFound } from "../errors/refusals.ts";
import type { AnyObject } from "../registry/resource.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import type { Rbac } from "./rbac.ts";
import { compareRules, type Permission } from "./rule-coverage.ts";
import type { PolicyRule } from "./rules.ts";

const group = "rbac.authorization.k8s.io";

interface RoleRef {
  kind: string;
  name: string;
}

type Role = AnyObject & { rules?: PolicyRule[] | null; aggregationRule?: { clusterRoleSelectors?: object[] } };
type Binding = AnyObject & { roleRef?: RoleRef };

const everything: PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export function escalationAdmission(rbac: Rbac): Admission {
  return {
    name: "Escalation",
    check(request) {
      const { resource, user, draft, verb } = request;
      if (resource.group !== group || verb === "delete" || !draft || user.groups.includes(mastersGroup)) return;
      if (resource.kind.endsWith("Binding")) checkBinding(rbac, request, draft);
      else checkRole(rbac, request, draft);
    },
  };
}

function checkRole(rbac: Rbac, request: AdmissionRequest, role: Role): void {
  const { resource, namespace, user } = request;
  if (may(rbac, request, "escalate", resource.resource, namespace, role.metadata.name)) return;
  const held = rbac.rulesFor(user, namespace);
  refuseMissing(request, held, role.rules ?? []);
  // An aggregated role may collect any permission later.
  if (!isAggregated(role) && !isAggregated(request.old)) return;
  const { missing, isTooLarge } = compareRules(held, everything);
  if (missing.length > 0 || isTooLarge)
    throw forbidden(
      { group, resource: resource.resource, name: role.metadata.name },
      "must have cluster-admin privileges to use the aggregationRule",
    );
}

function isAggregated(role: Role | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

function checkBinding(rbac: Rbac, request: AdmissionRequest, { roleRef }: Binding): void {
  const { namespace, user } = request;
  // Validation has found it to be there.
  const { kind, name } = roleRef as RoleRef;
  const roles = kind === "ClusterRole" ? "clusterroles" : "roles";
  if (may(rbac, request, "bind", roles, namespace, name)) return;
  const rules = rbac.rulesOfRole({ kind, name }, namespace);
  if (!rules) throw notFound({ group, resource: roles, name });
  refuseMissing(request, rbac.rulesFor(user, namespace), rules);
}

function may(
  rbac: Rbac,
  { user }: AdmissionRequest,
  verb: "escalate" | "bind",
  resource: string,
  namespace: string,
  name: string,
): boolean {
  const info = { isResource: true, verb, group, version: "v1", namespace, resource, name, subresource: "" };
  // These two are no verbs of requests, only of rules.
  return rbac.authorize(user, info as unknown as ResourceRequest).allowed;
}

function refuseMissing(
  { resource, user, name }: AdmissionRequest,
  held: readonly PolicyRule[],
  granted: readonly PolicyRule[],
): void {
  const { missing, isCut, isTooLarge } = compareRules(held, granted);
  const subject = { group: resource.group, resource: resource.resource, name };
  const who = `user ${goQuote(user.name)} (groups=[${user.groups.map(goQuote).join(" ")}])`;
  if (isTooLarge)
    throw forbidden(
      subject,
      `its rules have too many combinations of verbs, API groups, resources and names to be compared with what ${who} may do; split it into smaller ones`,
    );
  if (missing.length === 0) return;
  const lines = [...new Set(compacted(missing).map(described))].sort();
  if (isCut) lines.push("… and more");
  throw forbidden(subject, `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`);
}

/** Permissions on the same resource that differ by their verb become one rule. */
function compacted(permissions: readonly Permission[]): PolicyRule[] {
  const rules = new Map<unknown, PolicyRule & { verbs: string[] }>();
  for (const permission of permissions) {
    const { verb, apiGroup, resource, resourceName, nonResourceURL } = permission;
    if (apiGroup === undefined || resource === undefined) {
      rules.set(permission, { nonResourceURLs: [nonResourceURL ?? ""], verbs: [verb] });
      continue;
    }
    const key = JSON.stringify([apiGroup, resource, resourceName]);
    const rule = rules.get(key);
    if (rule) rule.verbs.push(verb);
    else {
      const resourceNames = resourceName === undefined ? [] : [resourceName];
      rules.set(key, { apiGroups: [apiGroup], resources: [resource], resourceNames, verbs: [verb] });
    }
  }
  return [...rules.values()];
}

function described({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const shown = Object.entries(parts).flatMap(([name, values]) =>
    values?.length ? `${name}:[${values.map(goQuote).join(" ")}]` : [],
  );
  return `{${shown.join(", ")}}`;
}
