import { describe, expect, test } from "vitest";
import { accessNamespace, systemNamespaces } from "../../vocabulary.ts";
import { escalating, malformed, readsAllSecrets, secretsWrittenIn } from "./problems.ts";
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
    ["impersonate as whom", rule(["authentication.k8s.io"], ["users"], ["impersonate:user-info"])],
    ["Impersonate as an account", rule(["authentication.k8s.io"], ["serviceaccounts"], ["Impersonate:serviceaccount"])],
    ["impersonate what for", rule(["*"], ["*"], ["impersonate-on:user-info:create"])],
    ["every verb on whom to impersonate", rule(["authentication.k8s.io"], ["nodes"], ["*"])],
    ["every verb on service accounts", rule([""], ["serviceaccounts"], ["*"])],
    ["tokens of service accounts", rule([""], ["serviceaccounts/token"], ["create"])],
    ["tokens of anything", rule(["*"], ["*/token"], ["create"])],
    ["any resource, to create", rule(["*"], ["*"], ["create"])],
  ])("%s", (_, given) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toHaveLength(1);
    expect(escalating({ role: { namespace: "web", rules: [given] } })).toHaveLength(1);
  });
});

const csrs = "certificates.k8s.io";

describe("refused in a clusterRole, and granted in a role of one namespace that is nobody else's", () => {
  test.each<[Rule, string]>([
    [rule([""], ["secrets"], ["create"]), "write Secrets in every namespace"],
    [rule([""], ["secrets"], ["update"], ["mine"]), "write Secrets in every namespace"],
    [rule([""], ["secrets"], ["create", "patch"], ["mine"]), "becomes a token of any service account beside it"],
    [rule(["*"], ["secrets"], ["get", "delete"]), "delete Secrets in every namespace"],
    [rule([""], ["serviceaccounts"], ["delete"]), "the access of others ends"],
    [rule([rbac], ["clusterrolebindings"], ["deletecollection"]), "the access of others ends"],
    [rule([""], ["configmaps"], ["patch"]), "write ConfigMaps in every namespace"],
    [rule([""], ["pods"], ["*"]), "a pod runs as any service account beside it"],
    [rule([""], ["pods"], ["create"]), "write pods in every namespace"],
    [rule([""], ["pods"], ["patch"], ["mine"]), "write pods in every namespace"],
    [rule([""], ["replicationcontrollers"], ["update"]), "write pods in every namespace"],
    ...["deployments", "daemonsets", "statefulsets", "replicasets", "*"].map((resource): [Rule, string] => [
      rule(["apps"], [resource], ["create"]),
      "write pods in every namespace",
    ]),
    ...["jobs", "cronjobs", "*"].map((resource): [Rule, string] => [
      rule(["batch"], [resource], ["patch"]),
      "write pods in every namespace",
    ]),
    [rule([""], ["pods/exec"], ["get"]), "enter pods in every namespace"],
    [rule([""], ["*/ephemeralcontainers"], ["patch"]), "enter pods in every namespace"],
    [rule([""], ["nodes/proxy"], ["get"]), "allows nodes/proxy, which runs commands"],
    [rule([""], ["*/proxy"], ["create"]), "allows nodes/proxy"],
    [rule([""], ["namespaces"], ["delete"]), "delete namespaces"],
    [rule([csrs], ["certificatesigningrequests/approval"], ["update"]), "certificatesigningrequests/approval"],
    [rule([csrs], ["certificatesigningrequests/nodeclient"], ["create"]), "makes its holder any node"],
    [rule([csrs], ["*"], ["create"]), "makes its holder any node"],
    [rule([csrs], ["signers"], ["approve"], ["kubernetes.io/kube-apiserver-client"]), "approve or sign for signers"],
    [rule([csrs], ["signers"], ["sign"]), "approve or sign for signers"],
    [rule([csrs], ["*"], ["*"]), "makes its holder any user"],
    ...[
      ...["mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies"],
      ...["validatingadmissionpolicybindings", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "*"],
    ].map((resource): [Rule, string] => [
      rule(["admissionregistration.k8s.io"], [resource], ["delete"]),
      "webhook configurations or admission policies",
    ]),
    [rule(["apiregistration.k8s.io"], ["apiservices"], ["update"]), "write apiservices"],
    // nodes/proxy and pods/exec are part of everything.
    [rule(["*"], ["*"], ["get", "list", "watch"]), "enter pods in every namespace"],
  ])("%j", (given, want) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toEqual([expect.stringContaining(want)]);
    expect(escalating({ role: { namespace: "web", rules: [given] } })).toEqual([]);
  });
});

describe("granted", () => {
  test.each<[string, Rule]>([
    ["listing everything", rule(["*"], ["*"], ["list", "watch"])],
    ["all of another group", rule(["example.com"], ["*"], ["*"])],
    ["every verb on Services", rule([""], ["services"], ["*"])],
    ["deleting pods", rule([""], ["pods"], ["get", "delete"])],
    ["reading what makes pods", rule(["apps", "batch"], ["*"], ["get", "list", "watch"])],
    ["scaling", rule(["apps"], ["deployments/scale"], ["patch"])],
    ["making namespaces", rule([""], ["namespaces"], ["get", "create"])],
    ["asking for certificates", rule([csrs], ["certificatesigningrequests"], ["create", "get"])],
    ["writing roles: RBAC lets nobody write more than they have", rule([rbac], ["roles"], ["create", "update"])],
    ["reading Secrets and ConfigMaps", rule([""], ["secrets", "configmaps"], ["get"])],
    ["a verb of somebody's own", rule(["example.com"], ["things"], ["impersonator"])],
    ["paths", { nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  ])("%s", (_, given) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toEqual([]);
  });
});

describe("writing Secrets in one namespace is being any of its service accounts", () => {
  const seeds = rule(["*"], ["secrets"], ["create", "get", "update", "delete"]);

  test("granted and told where they are nobody else's, as the seed wants it", () => {
    const role = { namespace: "compass-system", rules: [seeds] };
    expect(escalating({ role })).toEqual([]);
    expect(secretsWrittenIn(role)).toBe("compass-system");
    const reading = { namespace: "compass-system", rules: [rule([""], ["secrets"], ["get", "delete"])] };
    expect(secretsWrittenIn(reading)).toBeUndefined();
  });

  test.each(systemNamespaces)("refused in %s", (namespace) => {
    const ways = [
      [seeds, `write Secrets in ${namespace}, a namespace of the system`],
      [rule([""], ["secrets"], ["*"]), "write Secrets in"],
      [rule([""], ["secrets"], ["patch"], ["mine"]), "write Secrets in"],
      [rule(["apps"], ["daemonsets"], ["create"]), "write pods in"],
      [rule([""], ["pods/exec"], ["create"]), "enter pods in"],
    ] as const;
    for (const [given, want] of ways)
      expect(escalating({ role: { namespace, rules: [given] } })[0]).toContain(`role.rules[0] allows to ${want}`);
  });

  test.each(systemNamespaces)("of ConfigMaps in %s, only those in default are nobody's settings", (namespace) => {
    const writing = { namespace, rules: [rule([""], ["configmaps"], ["update"], ["aws-auth"])] };
    const want = namespace === "default" ? undefined : expect.stringContaining(`write ConfigMaps in ${namespace}`);
    expect(escalating({ role: writing })[0]).toEqual(want);
  });

  test("reading there is granted", () => {
    const rules = [rule([""], ["pods", "secrets", "configmaps"], ["get", "list", "delete"])];
    expect(escalating({ role: { namespace: "kube-system", rules } })).toEqual([]);
  });
});

test.each<[boolean, Rule]>([
  [true, rule([""], ["secrets"], ["get"])],
  [true, rule(["*"], ["secrets"], ["list"], ["mine"])],
  [true, rule(["*"], ["*"], ["watch"])],
  [false, rule([""], ["secrets"], ["deletecollection"])],
  [false, rule([""], ["pods", "configmaps"], ["get", "list", "watch"])],
  [false, rule(["apps"], ["*"], ["*"])],
])("it is %s that Secrets of every namespace can be read with %j", (want, given) => {
  expect(readsAllSecrets([rule([""], ["pods"], ["get"]), given])).toBe(want);
});

test("nothing at all is granted beside the service accounts of others", () => {
  const rules = [rule([""], ["pods"], ["get"])];
  expect(escalating({ role: { namespace: accessNamespace, rules } })).toEqual([
    `role.namespace ${accessNamespace} holds the accounts of others`,
  ]);
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
