/**
 * Nobody gives what they do not have: who writes a role must have all of it already, and who binds one all that is in
 * it, unless they may `escalate` or `bind`. Else whoever may write roles might as well be given everything.
 */
import type { Admission, AdmissionRequest } from "../admission/admission.ts";
import { mastersGroup } from "../authentication/user.ts";
import { forbidden, notFound } from "../errors/refusals.ts";
import type { AnyObject } from "../registry/resource.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import type { Rbac } from "./rbac.ts";
import { covers, type PolicyRule } from "./rules.ts";

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
  const has = rbac.rulesFor(user, namespace);
  refuseMissing(request, has, role.rules ?? []);
  // It may gather anything, and keep others from taking it away.
  if (!isAggregated(role) && !isAggregated(request.old)) return;
  if (!everything.every((rule) => covers(has, rule)))
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
  has: PolicyRule[],
  gives: readonly PolicyRule[],
): void {
  const missing = gives.flatMap(simplified).filter((rule) => !covers(has, rule));
  if (missing.length === 0) return;
  const groups = user.groups.map((one) => JSON.stringify(one)).join(" ");
  const told = [...new Set(missing.map(described))].sort().join("\n");
  const why = `user "${user.name}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${told}`;
  throw forbidden({ group: resource.group, resource: resource.resource, name }, why);
}

/** One verb on one resource of one group each, so that what is had in several rules counts together. */
function simplified(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] } = rule;
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((one) =>
      resources.flatMap((resource) => {
        const plain = { verbs: [verb], apiGroups: [one], resources: [resource] };
        return resourceNames?.length ? resourceNames.map((name) => ({ ...plain, resourceNames: [name] })) : [plain];
      }),
    ),
    ...nonResourceURLs.map((url) => ({ verbs: [verb], nonResourceURLs: [url] })),
  ]);
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
    values?.length ? `${name}:[${values.map((value) => JSON.stringify(value)).join(" ")}]` : [],
  );
  return `{${shown.join(", ")}}`;
}
