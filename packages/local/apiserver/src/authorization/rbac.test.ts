import type { KubeObject } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { beforeEach, expect, test } from "vitest";
import type { ResourceRequest } from "../requests/request-info.ts";
import { openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/table.ts";
import { Rbac } from "./rbac.ts";
import { refused } from "./refused.ts";

const group = "rbac.authorization.k8s.io";
let store: Store;
let rbac: Rbac;

beforeEach(async () => {
  store = await openStore({ file: ":memory:", clock: new FakeClock() });
  rbac = new Rbac(store);
  await put("clusterroles", { metadata: { name: "reader" }, rules: [rule(["get", "list"], ["pods", "pods/log"])] });
  await put("roles", { metadata: { name: "writer", namespace: "ctf" }, rules: [rule(["*"], ["configmaps"])] });
});

const put = (resource: string, object: object) => store.table(`${resource}.${group}`).put(object as KubeObject);
const rule = (verbs: string[], resources: string[], more: object = {}) => ({
  verbs,
  apiGroups: [""],
  resources,
  ...more,
});
const jane = { name: "jane", groups: ["system:authenticated"] };
const account = { name: "system:serviceaccount:ctf:bot", groups: ["system:serviceaccounts"] };

function ask(verb: ResourceRequest["verb"], path: string, namespace = ""): ResourceRequest {
  const [resource = "", subresource = ""] = path.split("/");
  return { isResource: true, verb, group: "", version: "v1", namespace, resource, name: "", subresource };
}

test("nothing is allowed that no binding allows, but to the masters", () => {
  expect(rbac.authorize(jane, ask("get", "pods", "ctf"))).toEqual({ allowed: false, reason: "" });
  expect(rbac.authorize({ ...jane, groups: ["system:masters"] }, ask("get", "pods"))).toMatchObject({ allowed: true });
});

test("a binding of the cluster holds everywhere, one of a namespace only there", async () => {
  const subjects = [{ kind: "User", name: "jane" }];
  await put("clusterrolebindings", {
    metadata: { name: "all" },
    subjects,
    roleRef: { kind: "ClusterRole", name: "reader" },
  });
  const roleRef = { kind: "Role", name: "writer" };
  await put("rolebindings", { metadata: { name: "some", namespace: "ctf" }, subjects, roleRef });
  expect(rbac.authorize(jane, ask("list", "pods"))).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to User "jane"',
  });
  expect(rbac.authorize(jane, ask("get", "pods/log", "ctf")).allowed).toBe(true);
  expect(rbac.authorize(jane, ask("get", "pods/exec", "ctf")).allowed).toBe(false);
  expect(rbac.authorize(jane, ask("delete", "pods")).allowed).toBe(false);
  expect(rbac.authorize(jane, ask("create", "configmaps", "ctf"))).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "some/ctf" of Role "writer" to User "jane"',
  });
  expect(rbac.authorize(jane, ask("create", "configmaps", "other")).allowed).toBe(false);
  expect(rbac.authorize(jane, ask("create", "configmaps")).allowed).toBe(false);
});

test("a service account without a namespace is meant in the binding's own", async () => {
  const roleRef = { kind: "Role", name: "writer" };
  const subjects = [{ kind: "ServiceAccount", name: "bot" }];
  await put("rolebindings", { metadata: { name: "bots", namespace: "ctf" }, subjects, roleRef });
  expect(rbac.authorize(account, ask("get", "configmaps", "ctf"))).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "bots/ctf" of Role "writer" to ServiceAccount "bot/ctf"',
  });
});

test("what is bound, and what a role says, counts from the moment it is written", async () => {
  const subjects = [{ kind: "Group", name: "system:authenticated" }];
  const roleRef = { kind: "ClusterRole", name: "late" };
  const binding = await put("clusterrolebindings", { metadata: { name: "all" }, subjects, roleRef });
  const question = ask("get", "pods");
  expect(rbac.authorize(jane, question)).toEqual({
    allowed: false,
    reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "late" not found',
  });
  await put("clusterroles", { metadata: { name: "late" }, rules: [rule(["get"], ["*"])] });
  expect(rbac.authorize(jane, question).allowed).toBe(true);
  await put("clusterroles", { metadata: { name: "late" }, rules: null });
  expect(rbac.authorize(jane, question).allowed).toBe(false);
  await put("clusterroles", { metadata: { name: "late" }, rules: [rule(["get"], ["pods"])] });
  await store.table(`clusterrolebindings.${group}`).remove("all", binding);
  expect(rbac.authorize(jane, question).allowed).toBe(false);
});

test.each([
  { rule: rule(["get"], ["*"]), wants: ask("get", "pods/log"), want: true },
  { rule: rule(["get"], ["*/log"]), wants: ask("get", "pods/log"), want: true },
  { rule: rule(["get"], ["*/log"]), wants: ask("get", "pods"), want: false },
  { rule: rule(["get"], ["pods"]), wants: ask("get", "pods/log"), want: false },
  { rule: { ...rule(["get"], ["pods"]), apiGroups: ["apps"] }, wants: ask("get", "pods"), want: false },
  { rule: { ...rule(["get"], ["pods"]), apiGroups: ["*"] }, wants: ask("get", "pods"), want: true },
  {
    rule: rule(["get"], ["pods"], { resourceNames: ["web"] }),
    wants: { ...ask("get", "pods"), name: "web" },
    want: true,
  },
  {
    rule: rule(["get"], ["pods"], { resourceNames: ["web"] }),
    wants: { ...ask("get", "pods"), name: "db" },
    want: false,
  },
  { rule: rule(["get"], ["pods"], { resourceNames: ["web"] }), wants: ask("get", "pods"), want: false },
  { rule: { verbs: ["get"], nonResourceURLs: ["/api*"] }, wants: path("get", "/apis/apps"), want: true },
  { rule: { verbs: ["get"], nonResourceURLs: ["/api/"] }, wants: path("get", "/api"), want: false },
  { rule: { verbs: ["*"], nonResourceURLs: ["*"] }, wants: path("post", "/x"), want: true },
  { rule: rule(["*"], ["*"]), wants: path("get", "/version"), want: false },
])("$rule says $want of $wants", async ({ rule: one, wants, want }) => {
  await put("clusterroles", { metadata: { name: "one" }, rules: [one] });
  const roleRef = { kind: "ClusterRole", name: "one" };
  await put("clusterrolebindings", { metadata: { name: "b" }, subjects: [{ kind: "User", name: "jane" }], roleRef });
  expect(rbac.authorize(jane, wants).allowed).toBe(want);
});

function path(verb: string, at: string) {
  return { isResource: false as const, verb, path: at };
}

test("who is refused is told what, where and why", () => {
  const text = (info: Parameters<typeof refused>[1], reason = "") => refused(jane, info, reason).message;
  expect(text(ask("list", "pods", "ctf"))).toBe(
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "ctf"',
  );
  expect(text({ ...ask("get", "pods/log"), name: "web" }, "RBAC: none")).toBe(
    'pods "web" is forbidden: User "jane" cannot get resource "pods/log" in API group "" at the cluster scope: RBAC: none',
  );
  expect(text(path("get", "/metrics"))).toBe('forbidden: User "jane" cannot get path "/metrics"');
});
