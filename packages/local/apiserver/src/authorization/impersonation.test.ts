import { StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { User } from "../authentication/user.ts";
import type { RequestInfo, ResourceRequest } from "../requests/request-info.ts";
import { Impersonation } from "./impersonation.ts";
import { allows, type PolicyRule } from "./rules.ts";

const jane: User = { name: "jane", groups: ["system:authenticated"] };
const listPods: ResourceRequest = {
  isResource: true,
  verb: "list",
  group: "",
  version: "v1",
  namespace: "ctf",
  resource: "pods",
  name: "",
  subresource: "",
};
const authentication = "authentication.k8s.io";
const plain = (resources: string[], resourceNames: string[] = [], group = ""): PolicyRule => ({
  verbs: ["impersonate"],
  apiGroups: [group],
  resources,
  resourceNames,
});
const narrow = (way: string, resources: string[], resourceNames: string[] = []): PolicyRule[] => [
  { verbs: [`impersonate:${way}`], apiGroups: [authentication], resources, resourceNames },
  { verbs: [`impersonate-on:${way}:list`], apiGroups: [""], resources: ["pods"] },
];
const user = (name: string, more: Partial<User> = {}): User => ({ name, groups: [], ...more });

function outcome(rules: readonly PolicyRule[], wanted: User, asker = jane, info: RequestInfo = listPods) {
  const authorize = (_: User, asked: RequestInfo) => ({
    allowed: rules.some((rule) => allows(rule, asked)),
    reason: "",
  });
  try {
    return new Impersonation(authorize).userFor(asker, wanted, info);
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

describe("the plain verb", () => {
  test("for a user, and the groups that go without saying", () => {
    const rules = [plain(["users", "groups", "serviceaccounts"])];
    expect(outcome(rules, user("ada"))).toEqual({ name: "ada", groups: ["system:authenticated"] });
    expect(outcome(rules, user("ada", { groups: ["crew"] }))).toMatchObject({
      groups: ["crew", "system:authenticated"],
    });
    expect(outcome(rules, user("ada", { groups: ["system:authenticated", "crew"] }))).toMatchObject({
      groups: ["system:authenticated", "crew"],
    });
    expect(outcome(rules, user("ada", { groups: ["system:unauthenticated"] }))).toMatchObject({
      groups: ["system:unauthenticated"],
    });
    expect(outcome(rules, user("system:anonymous"))).toMatchObject({ groups: ["system:unauthenticated"] });
    expect(outcome(rules, user("system:serviceaccount:ctf:bot"))).toMatchObject({
      groups: ["system:serviceaccounts", "system:serviceaccounts:ctf", "system:authenticated"],
    });
    expect(outcome(rules, user("system:serviceaccount:ctf:bot", { groups: ["crew"] }))).toMatchObject({
      groups: ["crew", "system:authenticated"],
    });
    expect(outcome(rules, user("system:node:one"))).toMatchObject({ groups: ["system:authenticated"] });
  });

  test("needs to be allowed for each thing that is said", () => {
    const named = plain(["users"], ["ada"]);
    const wanted = user("ada", { uid: "1", groups: ["crew"], extra: { scopes: ["view"] } });
    const crew = plain(["groups"], ["crew"]);
    const uid = plain(["uids"], ["1"], authentication);
    const extra = plain(["userextras/scopes"], ["view"], authentication);
    const refused = /cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "ctf"$/;
    for (const rules of [
      [crew, uid, extra],
      [named, uid, extra],
      [named, crew, extra],
      [named, crew, uid],
    ])
      expect(outcome(rules, wanted)).toMatch(refused);
    expect(outcome([named, crew, uid, extra], wanted)).toEqual({ ...wanted, groups: ["crew", "system:authenticated"] });
    expect(outcome([named], user("bob"))).toMatch(refused);
  });

  test("for an account of a namespace", () => {
    const rules = [plain(["serviceaccounts"], ["bot"])];
    expect(outcome(rules, user("system:serviceaccount:ctf:bot"))).toMatchObject({
      name: "system:serviceaccount:ctf:bot",
    });
    expect(outcome(rules, user("system:serviceaccount:ctf:other"))).toMatch(/impersonate-on:serviceaccount:list/);
    // No account has such a name, so that it is a user as any other.
    expect(outcome(rules, user("system:serviceaccount:CTF:bot"))).toMatch(/impersonate-on:user-info:list/);
  });
});

describe("the narrow ways", () => {
  test("a user, for what the rules name", () => {
    const rules = narrow("user-info", ["users"], ["ada"]);
    expect(outcome(rules, user("ada"))).toEqual({ name: "ada", groups: ["system:authenticated"] });
    expect(outcome(rules, user("ada"), jane, { ...listPods, verb: "delete" })).toMatch(
      /cannot impersonate-on:user-info:delete resource "pods"/,
    );
    expect(outcome(rules, user("bob"))).toBe(
      'users.authentication.k8s.io "bob" is forbidden: User "jane" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(outcome(rules, user("ada"), jane, { isResource: false, verb: "get", path: "/metrics" })).toBe(
      'forbidden: User "jane" cannot impersonate-on:user-info:get path "/metrics"',
    );
  });

  test("never the masters, and nothing empty", () => {
    const rules = narrow("user-info", ["users", "groups", "userextras/acme.com/a"]);
    const of = (more: Partial<User>) => outcome(rules, user("ada", more));
    expect(of({ groups: ["system:masters"] })).toMatch(/: impersonating the system:masters group is not allowed$/);
    expect(of({ groups: [""] })).toMatch(/: impersonating the empty string group is not allowed$/);
    expect(of({ extra: { scopes: ["view"] } })).toMatch(
      /: impersonating an invalid key in extra is not allowed: extra\.key: Invalid value: "scopes": must be a domain-prefixed path \(such as "acme\.io\/foo"\)$/,
    );
    expect(of({ extra: { "acme.com/a": [""] } })).toMatch(/the empty string value in extra is not allowed$/);
    expect(of({ extra: { "": ["x"] } })).toMatch(/the empty string key in extra is not allowed$/);
    expect(of({ extra: { "acme.com/A": ["x"] } })).toMatch(
      /a non-lowercase key in extra is not allowed: "acme.com\/A"$/,
    );
    expect(of({ extra: { "acme.com/a": ["x"] } })).toMatchObject({ extra: { "acme.com/a": ["x"] } });
  });

  test("many groups, where all are allowed", () => {
    const groups = ["a", "b", "c", "d"];
    const all = [...narrow("user-info", ["users"]), ...narrow("user-info", ["groups"], ["*"])];
    expect(outcome(all, user("ada", { groups }))).toMatchObject({ groups: [...groups, "system:authenticated"] });
    expect(outcome(all, user("ada", { groups: ["a"] }))).toMatch(/cannot impersonate:user-info resource "groups"/);
  });

  test("an account, by its name alone", () => {
    const rules = narrow("serviceaccount", ["serviceaccounts"], ["bot"]);
    const name = "system:serviceaccount:ctf:bot";
    expect(outcome(rules, user(name))).toMatchObject({ groups: expect.arrayContaining(["system:serviceaccounts"]) });
    expect(outcome(rules, user(name, { uid: "1" }))).toMatch(/cannot impersonate resource "serviceaccounts"/);
  });

  test("a node, any or one's own", () => {
    const any = narrow("arbitrary-node", ["nodes"], ["one"]);
    const wanted = user("system:node:one");
    expect(outcome(any, wanted)).toEqual({ ...wanted, groups: ["system:nodes", "system:authenticated"] });
    const own = narrow("associated-node", ["nodes"], ["*"]);
    const on = (node: string) => ({
      ...user("system:serviceaccount:ctf:agent"),
      extra: { "authentication.kubernetes.io/node-name": [node] },
    });
    expect(outcome(own, wanted, on("one"))).toMatchObject({
      name: "system:node:one",
      groups: ["system:nodes", "system:authenticated"],
    });
    expect(outcome(own, wanted, on("two"))).toMatch(/cannot impersonate-on:arbitrary-node:list/);
    expect(outcome(own, wanted, { ...on("one"), name: "jane" })).toMatch(/cannot impersonate-on:arbitrary-node:list/);
  });
});

test("the way that served somebody last is tried first", () => {
  const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const impersonation = new Impersonation((_, asked) => ({
    allowed: rules.some((rule) => allows(rule, asked)),
    reason: "",
  }));
  const node = user("system:node:one");
  const groups = (asker: User) => impersonation.userFor(asker, node, listPods).groups;
  expect(groups(jane)).toEqual(["system:nodes", "system:authenticated"]);
  // Only the plain verb allows this.
  impersonation.userFor(jane, user("ada", { groups: ["system:masters"] }), listPods);
  expect(groups(jane)).toEqual(["system:authenticated"]);
  expect(groups(user("joe"))).toEqual(["system:nodes", "system:authenticated"]);
});
