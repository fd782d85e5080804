import type { KubeObject } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { beforeEach, expect, test } from "vitest";
import type { AdmissionRequest } from "../admission/admission.ts";
import { clusterRoleBindings, roleBindings } from "../kinds/rbac/bindings.ts";
import { clusterRoles, roles } from "../kinds/rbac/roles.ts";
import type { ServedResource } from "../registry/resource.ts";
import { openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/table.ts";
import { escalationAdmission } from "./escalation.ts";
import { Rbac } from "./rbac.ts";

const group = "rbac.authorization.k8s.io";
const jane = { name: "jane", groups: ["system:authenticated"] };
const rule = (verbs: string[], resources: string[], more: object = {}) => ({
  verbs,
  apiGroups: [""],
  resources,
  ...more,
});
let store: Store;

beforeEach(async () => {
  store = await openStore({ file: ":memory:", clock: new FakeClock() });
});

const put = (resource: string, object: object) => store.table(`${resource}.${group}`).put(object as KubeObject);

async function janeHas(...rules: object[]): Promise<void> {
  await put("roles", { metadata: { name: "jane", namespace: "ctf" }, rules });
  const roleRef = { kind: "Role", name: "jane" };
  await put("rolebindings", {
    metadata: { name: "jane", namespace: "ctf" },
    subjects: [{ kind: "User", name: "jane" }],
    roleRef,
  });
}

/** What she is told; undefined where she may. */
function write(resource: ServedResource, more: object, request: object = {}): string | undefined {
  const draft = { apiVersion: `${group}/v1`, kind: resource.kind, metadata: { name: "new" }, ...more };
  const namespace = resource.namespaced ? "ctf" : "";
  const asked = { verb: "create", resource, subresource: "", namespace, name: "new", user: jane, draft, ...request };
  try {
    escalationAdmission(new Rbac(store)).check?.(asked as unknown as AdmissionRequest);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test("a role of what one has can be given, and nothing more", async () => {
  await janeHas(rule(["get", "list"], ["pods"]), rule(["get"], ["secrets"], { resourceNames: ["a", "b"] }));
  expect(write(roles, { rules: [rule(["list", "get"], ["pods"])] })).toBeUndefined();
  expect(write(roles, { rules: [rule(["get"], ["secrets"], { resourceNames: ["b"] })] })).toBeUndefined();
  expect(write(roles, { rules: null })).toBeUndefined();
  expect(write(roles, { rules: [rule(["get", "delete"], ["pods", "pods/log"])] })).toBe(
    `roles.${group} "new" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}
{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "delete"]}`,
  );
  expect(write(roles, { rules: [rule(["get"], ["secrets"])] })).toContain(
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  );
  expect(write(roles, { rules: [rule(["*"], ["pods"])] })).toContain('Verbs:["*"]');
  expect(write(clusterRoles, { rules: [rule(["get"], ["pods"])] })).toContain("not currently held");
  expect(write(clusterRoles, { rules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }] })).toContain(
    'NonResourceURLs:["/metrics"]',
  );
});

test("a role can be bound by who has all of it, or may bind it", async () => {
  await put("clusterroles", { metadata: { name: "reader" }, rules: [rule(["get"], ["pods"])] });
  const bind = { roleRef: { kind: "ClusterRole", name: "reader" } };
  await janeHas();
  expect(write(roleBindings, bind)).toContain("not currently held");
  expect(write(roleBindings, { roleRef: { kind: "Role", name: "none" } })).toBe(`roles.${group} "none" not found`);
  await janeHas({ verbs: ["bind"], apiGroups: [group], resources: ["clusterroles"], resourceNames: ["reader"] });
  expect(write(roleBindings, bind)).toBeUndefined();
  expect(write(clusterRoleBindings, bind)).toContain("not currently held");
  await janeHas(rule(["get"], ["*"]));
  expect(write(roleBindings, bind)).toBeUndefined();
});

test("who may escalate, the masters, and who deletes are not asked", async () => {
  const rules = [rule(["*"], ["*"])];
  await janeHas({ verbs: ["escalate"], apiGroups: [group], resources: ["roles"] });
  expect(write(roles, { rules })).toBeUndefined();
  expect(write(clusterRoles, { rules })).toContain("not currently held");
  expect(write(clusterRoles, { rules }, { user: { name: "admin", groups: ["system:masters"] } })).toBeUndefined();
  expect(write(clusterRoles, { rules }, { verb: "delete" })).toBeUndefined();
});

test("what gathers the rules of others is for those who may do everything", async () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const refused =
    'clusterroles.rbac.authorization.k8s.io "new" is forbidden: must have cluster-admin privileges to use the aggregationRule';
  expect(write(clusterRoles, { aggregationRule })).toBe(refused);
  expect(write(clusterRoles, {}, { verb: "update", old: { metadata: { name: "new" }, aggregationRule } })).toBe(
    refused,
  );
  expect(write(clusterRoles, { aggregationRule: { clusterRoleSelectors: [] } })).toBeUndefined();
  const subjects = [{ kind: "User", name: "jane" }];
  const some = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  await put("clusterroles", { metadata: { name: "all" }, rules: some });
  const roleRef = { kind: "ClusterRole", name: "all" };
  await put("clusterrolebindings", { metadata: { name: "all" }, subjects, roleRef });
  // She may escalate by that, and so is asked nothing.
  expect(write(clusterRoles, { aggregationRule })).toBeUndefined();
});

test("a role of 7 kB with 200 million combinations is refused with a short message", async () => {
  await janeHas(rule(["get"], ["pods"]));
  const values = Array.from({ length: 583 }, (_, i) => i.toString(36));
  const message = write(roles, { rules: [{ verbs: values, apiGroups: values, resources: values }] }) ?? "";
  expect(message).toContain("not currently held");
  expect(message).toMatch(/… and more$/);
  expect(message.length).toBeLessThan(100_000);
});
