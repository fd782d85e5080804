import { describe, expect, test } from "vitest";
import { accessNamespace } from "../../vocabulary.ts";
import { escalating, malformed } from "./problems.ts";
import type { Rule } from "./rule.ts";

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): Rule => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames && { resourceNames }),
});
const rbac = "rbac.authorization.k8s.io";

describe("refused in a clusterRole and in a role", () => {
  test.each<[string, Rule]>([
    ["everything", rule(["*"], ["*"], ["*"])],
    ["all of the core group: tokens are in it", rule([""], ["*"], ["*"])],
    ["all of RBAC", rule([rbac], ["*"], ["*"])],
    ["every verb on roles", rule([rbac], ["roles"], ["*"])],
    ["escalate", rule([rbac], ["clusterroles"], ["escalate"])],
    ["Escalate", rule([rbac], ["clusterroles"], ["Escalate"])],
    ["bind, on anything", rule(["example.com"], ["things"], ["bind"])],
    ["impersonate", rule([""], ["users"], ["impersonate"])],
    ["impersonate one only", rule([""], ["users"], ["impersonate"], ["admin"])],
    ["every verb on service accounts", rule([""], ["serviceaccounts"], ["*"])],
    ["tokens of service accounts", rule([""], ["serviceaccounts/token"], ["create"])],
    ["tokens of anything", rule(["*"], ["*/token"], ["create"])],
    ["any resource, to create", rule(["*"], ["*"], ["create"])],
  ])("%s", (_, given) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toHaveLength(1);
    expect(escalating({ role: { namespace: "web", rules: [given] } })).toHaveLength(1);
  });
});

describe("granted", () => {
  test.each<[string, Rule]>([
    ["reading everything", rule(["*"], ["*"], ["get", "list", "watch"])],
    ["all of another group", rule(["apps"], ["*"], ["*"])],
    ["every verb on pods", rule([""], ["pods"], ["*"])],
    ["writing roles: RBAC lets nobody write more than they have", rule([rbac], ["roles"], ["create", "update"])],
    ["reading Secrets", rule([""], ["secrets"], ["get"])],
    ["writing Secrets of certain names", rule([""], ["secrets"], ["update"], ["mine"])],
    ["paths", { nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  ])("%s", (_, given) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toEqual([]);
  });

  test("writing Secrets in one namespace, as the seed does", () => {
    const rules = [rule(["*"], ["secrets"], ["create", "get", "update", "delete"])];
    expect(escalating({ role: { namespace: "compass-system", rules } })).toEqual([]);
  });
});

test("Secrets beside the service accounts of others are out of reach", () => {
  expect(escalating({ clusterRole: { rules: [rule([""], ["secrets"], ["create"])] } })).toEqual([
    `clusterRole.rules[0] allows to write Secrets in every namespace, also in ${accessNamespace}`,
  ]);
  expect(escalating({ clusterRole: { rules: [rule([""], ["secrets"], ["delete"], ["kc-0123"])] } })).toHaveLength(1);
  const rules = [rule([""], ["pods"], ["get"])];
  expect(escalating({ role: { namespace: accessNamespace, rules } })).toHaveLength(1);
});

test.each<[Rule, string]>([
  [rule([""], ["pods"], []), "has no verbs"],
  [rule([""], [], ["get"]), "has no resources"],
  [rule([], ["pods"], ["get"]), "has no apiGroups"],
  [{ ...rule([""], ["pods"], ["get"]), nonResourceURLs: ["/x"] }, "names both"],
])("RBAC cannot take %j", (given, want) => {
  expect(malformed({ clusterRole: { rules: [rule([""], ["pods"], ["get"]), given] } })).toEqual([
    expect.stringContaining(`clusterRole.rules[1] ${want}`),
  ]);
});

test("paths belong to a whole cluster", () => {
  const rules = [{ nonResourceURLs: ["/x"], verbs: ["get"] }];
  expect(malformed({ clusterRole: { rules } })).toEqual([]);
  expect(malformed({ role: { namespace: "web", rules } })).toHaveLength(1);
});
