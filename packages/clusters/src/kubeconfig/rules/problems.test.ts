import { describe, expect, test } from "vitest";
import { accessNamespace, systemNamespaces } from "../../vocabulary.ts";
import { codeRunIn, escalating, malformed, readsAllSecrets, secretsWrittenIn } from "./problems.ts";
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
    ...["roles", "clusterroles", "rolebindings", "clusterrolebindings"].flatMap((resource) =>
      ["create", "update", "patch", "delete", "deletecollection"].map((verb): [string, Rule] => [
        `${verb} ${resource}`,
        rule([rbac], [resource], ["get", verb]),
      ]),
    ),
    ["one binding only", rule([rbac], ["rolebindings"], ["patch"], ["mine"])],
    ["bindings by their kind, and the version of their group", rule([`${rbac}/v1`], ["RoleBinding"], ["Create"])],
    ["bindings in any group", rule(["*"], ["rolebinding"], ["create"])],
    ["labels of the namespace", rule([""], ["namespaces"], ["patch"])],
    ["labels of the namespace, by its status", rule([""], ["namespaces/status"], ["patch"])],
    ["labels of the namespace, by its kind", rule(["v1"], ["Namespace/finalize"], ["update"])],
    ["the status of anything", rule(["*"], ["*/status"], ["update"])],
    ["escalate", rule([rbac], ["clusterroles"], ["escalate"])],
    ["Escalate", rule([rbac], ["clusterroles"], ["Escalate"])],
    ["bind, on anything", rule(["example.com"], ["things"], ["bind"])],
    ["impersonate", rule([""], ["users"], ["impersonate"])],
    ["impersonate one only", rule([""], ["users"], ["impersonate"], ["admin"])],
    ["impersonate as whom", rule(["authentication.k8s.io"], ["users"], ["impersonate:user-info"])],
    ["Impersonate as an account", rule(["authentication.k8s.io"], ["serviceaccounts"], ["Impersonate:serviceaccount"])],
    ["impersonate what for", rule(["*"], ["*"], ["impersonate-on:user-info:create"])],
    ["every verb on whom to impersonate", rule(["authentication.k8s.io"], ["nodes"], ["*"])],
    ["every verb on users, which are no objects", rule([""], ["users"], ["*"])],
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
    [rule([""], ["secrets"], ["create"]), "(create secrets) makes tokens of the service accounts of every namespace"],
    [rule(["v1"], ["Secret"], ["update"], ["mine"]), "(update secrets) makes tokens"],
    [rule([""], ["secrets"], ["create", "get", "patch"], ["mine"]), "(create, patch secrets) makes tokens"],
    [rule(["*"], ["secrets"], ["get", "delete"]), "(delete secrets) ends the access of others"],
    [rule([""], ["serviceaccounts"], ["delete"]), "ends the access of others"],
    [rule([""], ["configmaps"], ["patch"]), "changes settings of the system in kube-system"],
    [rule([""], ["pods"], ["*"]), "(* pods) runs code as the service accounts of every namespace"],
    [rule([""], ["pods"], ["create"]), "runs code as the service accounts"],
    [rule([""], ["pods"], ["patch"], ["mine"]), "runs code as the service accounts"],
    [rule([""], ["replicationcontrollers"], ["update"]), "runs code as the service accounts"],
    ...["deployments", "daemonsets", "statefulsets", "replicasets", "*"].map((resource): [Rule, string] => [
      rule(["apps"], [resource], ["create"]),
      `(create ${resource}) runs code as the service accounts`,
    ]),
    ...["jobs", "cronjobs", "*"].map((resource): [Rule, string] => [
      rule(["batch"], [resource], ["patch"]),
      "runs code as the service accounts",
    ]),
    [rule([""], ["pods/exec"], ["get"]), "(get pods/exec) runs code in the pods of every namespace"],
    [rule([""], ["*/ephemeralcontainers"], ["patch"]), "(patch */ephemeralcontainers) runs code in the pods"],
    [rule([""], ["nodes/proxy"], ["get"]), "(get nodes/proxy) runs code in every pod of a node"],
    [rule([""], ["Node/proxy"], ["get"]), "(get nodes/proxy) runs code in every pod of a node"],
    [rule([""], ["*/proxy"], ["create"]), "runs code in every pod of a node"],
    [rule([""], ["namespaces"], ["delete"]), "deletes everything that others have in a namespace"],
    [rule([""], ["persistentvolumes"], ["create"]), "gives pods the file system of their node"],
    [rule([csrs], ["certificatesigningrequests/approval"], ["update"]), "approves or issues certificates"],
    [rule([csrs], ["certificatesigningrequests/status"], ["patch"]), "approves or issues certificates"],
    [rule([csrs], ["certificatesigningrequests/nodeclient"], ["create"]), "gets certificates of nodes"],
    [rule([csrs], ["*"], ["create"]), "gets certificates of nodes"],
    [rule([csrs], ["signers"], ["approve"], ["kubernetes.io/kube-apiserver-client"]), "approves or signs certificates"],
    [rule([csrs], ["signers"], ["sign"]), "approves or signs certificates"],
    [rule([csrs], ["*"], ["*"]), "make their holder any user"],
    ...[
      ...["mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies"],
      ...["validatingadmissionpolicybindings", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "*"],
    ].map((resource): [Rule, string] => [
      rule(["admissionregistration.k8s.io"], [resource], ["delete"]),
      "sees, changes or refuses what others write",
    ]),
    [
      rule(["admissionregistration.k8s.io"], ["MutatingAdmissionPolicy"], ["create"]),
      "(create mutatingadmissionpolicies)",
    ],
    [rule(["apiregistration.k8s.io"], ["apiservices"], ["update"]), "sends requests of others to a server"],
    ...["create", "update", "patch", "delete", "deletecollection", "*"].map((verb): [Rule, string] => [
      rule(["apiextensions.k8s.io"], ["customresourcedefinitions"], [verb]),
      "by a conversion webhook",
    ]),
    // nodes/proxy and pods/exec are among all resources.
    [rule(["*"], ["*"], ["get", "list", "watch"]), "(get *) runs code in the pods of every namespace"],
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
    ["every verb on nodes, which is not to impersonate them", rule([""], ["nodes"], ["*"])],
    ["reading roles and bindings", rule([rbac], ["*"], ["get", "list", "watch"])],
    ["reading what others define", rule(["apiextensions.k8s.io", "apiregistration.k8s.io"], ["*"], ["get", "list"])],
    ["service accounts without tokens", rule([""], ["serviceaccounts"], ["create", "update", "patch"])],
    ["what RBAC does not know as a wildcard", rule([""], ["serviceaccounts/*", "pods/*"], ["create"])],
    ["roles of another group", rule(["example.com"], ["roles", "rolebindings"], ["create"])],
    ["reading Secrets and ConfigMaps", rule([""], ["secrets", "configmaps"], ["get"])],
    ["a verb of somebody's own", rule(["example.com"], ["things"], ["impersonator"])],
    ["paths", { nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  ])("%s", (_, given) => {
    expect(escalating({ clusterRole: { rules: [given] } })).toEqual([]);
  });
});

describe("writing Secrets and pods in one namespace is being any of its service accounts", () => {
  const seeds = rule(["*"], ["secrets"], ["create", "get", "update", "delete"]);

  test("Secrets are granted as the seed wants it: a policy of the cluster takes care of tokens", () => {
    const role = { namespace: "compass-system", rules: [seeds] };
    expect(escalating({ role })).toEqual([]);
    expect(secretsWrittenIn(role)).toBe("compass-system");
    const reading = { namespace: "compass-system", rules: [rule([""], ["secrets"], ["get", "delete"])] };
    expect(secretsWrittenIn(reading)).toBeUndefined();
  });

  test.each<[string | undefined, Rule]>([
    ["web", rule(["apps"], ["deployments"], ["create"])],
    ["web", rule([""], ["pods/exec"], ["create"])],
    [undefined, rule([""], ["pods", "pods/log"], ["get", "delete"])],
    [undefined, seeds],
  ])("code is run in the namespace %s with %j", (want, given) => {
    const role = { namespace: "web", rules: [given] };
    expect(escalating({ role })).toEqual([]);
    expect(codeRunIn(role)).toBe(want);
  });

  test.each(systemNamespaces)("refused in %s", (namespace) => {
    const ways = [
      [seeds, `makes tokens of the service accounts of ${namespace}, a namespace of the system`],
      [rule([""], ["secrets"], ["*"]), "makes tokens"],
      [rule([""], ["secrets"], ["patch"], ["mine"]), "makes tokens"],
      [rule(["apps"], ["daemonsets"], ["create"]), "runs code as"],
      [rule([""], ["pods/exec"], ["create"]), "runs code in the pods"],
    ] as const;
    for (const [given, want] of ways) {
      const [problem] = escalating({ role: { namespace, rules: [given] } });
      expect(problem).toMatch(/^role\.rules\[0\] \(/);
      expect(problem).toContain(want);
    }
  });

  test.each(systemNamespaces)("ConfigMaps in %s are settings of the system, except in default", (namespace) => {
    const role = { namespace, rules: [rule([""], ["configmaps"], ["update"], ["aws-auth"])] };
    const want = namespace === "default" ? undefined : expect.stringContaining("(update configmaps) changes settings");
    expect(escalating({ role })[0]).toEqual(want);
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
    `role.namespace ${accessNamespace} holds the accounts of all kubeconfigs: name another`,
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
