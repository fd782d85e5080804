/** What policies make of requests. What expressions say is put to a real server too, by policies.real.test.ts. */
import { StatusError } from "@berg/apimachinery";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PolicySpec } from "../../kinds/admissionregistration/types.ts";
import { dryRun, write } from "../../registry/testing/given.ts";
import { denialOf, type Given, givenPolicies, rule } from "./testing/given.ts";
import { judged, probedData, refused, specOf } from "./testing/probes.ts";

let given: Given;
beforeEach(async () => {
  given = await givenPolicies();
});
afterEach(() => given[Symbol.asyncDispose]());

const configMap = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: probedData });
const says = (messageExpression: string): PolicySpec => ({ validations: [{ expression: "false", messageExpression }] });
const about = (...resourceRules: object[]): PolicySpec => ({
  matchConstraints: { resourceRules },
  validations: [{ expression: "false", message: "never" }],
});
const tryConfigMap = (name = "one", more: object = {}) =>
  denialOf(given.create("configmaps", configMap(name, more), dryRun));

async function statusOf(call: Promise<unknown>) {
  const error = await call.catch((error: unknown) => error);
  if (error instanceof StatusError) return error.status;
  throw new Error("want a refusal", { cause: error });
}

describe("as a real API server says it", () => {
  for (const [probed, denial, code = 422] of judged)
    test(JSON.stringify(probed), async () => {
      await given.policy("p", specOf(probed));
      const made = given.create("configmaps", configMap("p1", { labels: { probe: "p1" } }), dryRun);
      expect(await denialOf(made)).toBe(denial);
      if (denial !== null) expect((await statusOf(made)).code).toBe(code);
    });

  for (const [probed, problems] of refused)
    test(`${JSON.stringify(probed)} is no policy`, async () => {
      const { details } = await statusOf(given.policy("p", specOf(probed)));
      expect(details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(problems);
    });
});

describe("a denial", () => {
  test("names the policy, the binding and why, and has the reason's code", async () => {
    await given.policy("p", { validations: [{ expression: "false", message: "not today", reason: "Forbidden" }] });
    const text = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: not today";
    expect(await statusOf(given.create("configmaps", configMap("a")))).toEqual({
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      message: `configmaps "a" is forbidden: ${text}`,
      reason: "Forbidden",
      code: 403,
      details: { name: "a", kind: "configmaps", causes: [{ message: text }] },
    });
  });

  test("of several is the first one", async () => {
    await given.policy("b", { validations: [{ expression: "false", message: "of b" }] });
    await given.policy("a", { validations: [{ expression: "false", message: "of a" }, { expression: "false" }] });
    expect(await tryConfigMap()).toBe("of a");
  });

  test("leaves nothing behind, and ends with the binding or the policy", async () => {
    await given.policy("p", about(rule("", "configmaps")));
    await statusOf(given.create("configmaps", configMap("a")));
    await given.delete("validatingadmissionpolicybindings.admissionregistration.k8s.io", "p");
    expect(await given.create("configmaps", configMap("a"))).toMatchObject({ metadata: { name: "a" } });
    await given.policy("q", about(rule("", "configmaps")));
    expect(await tryConfigMap()).toBe("never");
    await given.delete("validatingadmissionpolicies.admissionregistration.k8s.io", "q");
    expect(await tryConfigMap()).toBeNull();
  });

  test("follows the policy as it changes", async () => {
    await given.policy("p", about(rule("", "configmaps")));
    expect(await tryConfigMap()).toBe("never");
    const validations = [{ expression: "object.metadata.name == 'one'", message: "only one" }];
    const { metadata } = await given.patch("validatingadmissionpolicies.admissionregistration.k8s.io", "p", {
      spec: { validations },
    });
    expect(metadata.generation).toBe(2);
    expect(await tryConfigMap()).toBeNull();
    expect(await tryConfigMap("two")).toBe("only one");
  });

  test("does not come from policies about policies", async () => {
    await given.policy("p", about(rule("*", "*/*")));
    await given.policy("q", about(rule("", "secrets")));
    expect(await tryConfigMap()).toBe("never");
  });
});

describe("what a binding wants done", () => {
  const broken = { validations: [{ expression: "false", message: "no" }, { expression: "object.nope == 1" }] };

  test.each([
    [["Warn"], null, ["no", "expression 'object.nope == 1' resulted in error: no such key: nope"]],
    [["Audit"], null, []],
    [["Warn", "Audit"], null, ["no", "expression 'object.nope == 1' resulted in error: no such key: nope"]],
    [["Deny", "Audit"], "no", []],
  ])("%j", async (validationActions, denial, warnings) => {
    await given.policy("p", broken, { validationActions });
    expect(await tryConfigMap()).toBe(denial);
    const prefix = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': ";
    expect(given.warnings).toEqual(warnings.map((text) => prefix + text));
  });

  test("an annotation that cannot be made is denied all the same", async () => {
    const auditAnnotations = [{ key: "k", valueExpression: "string(object.nope)" }];
    await given.policy("p", { auditAnnotations }, { validationActions: ["Audit"] });
    expect(await tryConfigMap()).toBe("expression 'string(object.nope)' resulted in error: no such key: nope");
  });
});

describe("which requests are meant", () => {
  const event = { involvedObject: { namespace: "default", kind: "Pod", name: "x" } };
  const requests = {
    configMap: () => given.create("configmaps", configMap("c", { labels: { a: "b" } }), dryRun),
    secret: () => given.create("secrets", { metadata: { name: "s" } }, dryRun),
    event: () => given.create("events", { metadata: { name: "e" }, ...event }, dryRun),
    namespace: () => given.create("namespaces", { metadata: { name: "n", labels: { a: "b" } } }, dryRun),
  };
  const all = Object.keys(requests);
  const every = { resourceRules: [rule("*", "*")] };

  test.each<[string, object, string[]]>([
    ["all", { resourceRules: [rule("*", "*")] }, all],
    ["by group", { resourceRules: [rule("apps", "*")] }, []],
    ["by resource", { resourceRules: [rule("", "secrets configmaps")] }, ["configMap", "secret"]],
    ["by operation", { resourceRules: [rule("*", "*", "UPDATE DELETE CONNECT")] }, []],
    ["by version", { resourceRules: [{ ...rule("*", "*"), apiVersions: ["v2"] }] }, []],
    ["by name", { resourceRules: [rule("*", "*", "CREATE", { resourceNames: ["s", "n"] })] }, ["secret", "namespace"]],
    ["by subresource", { resourceRules: [rule("*", "configmaps/* secrets/status")] }, ["configMap"]],
    [
      "in namespaces",
      { resourceRules: [rule("*", "*", "*", { scope: "Namespaced" })] },
      ["configMap", "secret", "event"],
    ],
    ["in none", { resourceRules: [rule("*", "*", "*", { scope: "Cluster" })] }, ["namespace"]],
    ["some not", { ...every, excludeResourceRules: [rule("", "events namespaces")] }, ["configMap", "secret"]],
    ["under another group", { resourceRules: [rule("events.k8s.io", "*")] }, ["event"]],
    ["under no other group", { matchPolicy: "Exact", resourceRules: [rule("events.k8s.io", "*")] }, []],
    ["by label", { ...every, objectSelector: { matchLabels: { a: "b" } } }, ["configMap", "namespace"]],
    [
      "by the labels of the namespace",
      { ...every, namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } },
      ["configMap", "secret", "event"],
    ],
    ["a namespace by its own labels", { ...every, namespaceSelector: { matchLabels: { a: "b" } } }, ["namespace"]],
  ])("%s", async (_, matched, wanted) => {
    await given.policy("policy", { ...about(), matchConstraints: matched });
    await given.policy("binding", { ...about(), matchConstraints: every }, { matchResources: matched });
    const meant = { policy: [] as string[], binding: [] as string[] };
    for (const [name, request] of Object.entries(requests)) {
      const { message = "" } = await request().then(
        () => ({ message: "" }),
        ({ status }) => status,
      );
      // A binding is asked first, since its policy comes first.
      if (message.includes("'binding'")) meant.binding.push(name);
    }
    await given.delete("validatingadmissionpolicybindings.admissionregistration.k8s.io", "binding");
    for (const [name, request] of Object.entries(requests))
      if ((await denialOf(request())) !== null) meant.policy.push(name);
    expect(meant).toEqual({ policy: wanted, binding: wanted });
  });

  test("whoever takes the label away is meant too", async () => {
    await given.create("configmaps", configMap("c", { labels: { a: "b" } }));
    const objectSelector = { matchLabels: { a: "b" } };
    await given.policy("p", { ...about(), matchConstraints: { ...every, objectSelector } });
    expect(await denialOf(given.patch("configmaps", "c", { metadata: { labels: { a: null } } }))).toBe("never");
  });
});

describe("what is seen of a request", () => {
  const request =
    "request.operation + ' ' + request.kind.group + '/' + request.kind.kind + ' ' + request.resource.resource" +
    " + (has(request.subResource) ? '/' + request.subResource : '') + ' ' + string(request.options.kind)" +
    " + ' ' + (object == null ? '-' : string(object.kind)) + ' ' + (oldObject == null ? '-' : string(oldObject.kind))";
  const everything = { resourceRules: [rule("*", "*/*")], excludeResourceRules: [rule("", "namespaces")] };
  const watched = { ...says(request), matchConstraints: everything };
  const spec = { containers: [{ name: "c", image: "i" }] };
  const deployment = {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec } },
  };

  test("as it is created, changed and deleted", async () => {
    await given.create("configmaps", configMap("a"));
    await given.policy("p", watched);
    expect(await tryConfigMap()).toBe("CREATE /ConfigMap configmaps CreateOptions ConfigMap -");
    expect(await denialOf(given.patch("configmaps", "a", { data: { x: "y" } }))).toBe(
      "UPDATE /ConfigMap configmaps UpdateOptions ConfigMap ConfigMap",
    );
    expect(await denialOf(given.delete("configmaps", "a"))).toBe(
      "DELETE /ConfigMap configmaps DeleteOptions - ConfigMap",
    );
  });

  test("subresources, a scale as a Scale, an eviction as an Eviction and not as a deletion", async () => {
    await given.create("deployments.apps", deployment);
    await given.create("pods", { metadata: { name: "p" }, spec });
    await given.policy("p", watched);
    const status = { status: { observedGeneration: 1 } };
    expect(await denialOf(given.patch("deployments.apps", "d", status, "status"))).toBe(
      "UPDATE apps/Deployment deployments/status UpdateOptions Deployment Deployment",
    );
    expect(await denialOf(given.scale("deployments.apps", "d", 3))).toBe(
      "UPDATE autoscaling/Scale deployments/scale UpdateOptions Scale Scale",
    );
    expect(await denialOf(given.evict("p"))).toBe("CREATE policy/Eviction pods/eviction CreateOptions Eviction -");
    await given.delete("validatingadmissionpolicybindings.admissionregistration.k8s.io", "p");
    await given.policy("q", about(rule("", "pods", "DELETE")));
    expect(await denialOf(given.evict("p"))).toBeNull();
  });

  test("in the version that the policy names", async () => {
    const spoken = says("request.resource.group + ' ' + request.requestResource.group + ' ' + string(object.note)");
    await given.policy("p", { ...spoken, matchConstraints: { resourceRules: [rule("events.k8s.io", "events")] } });
    const event = { involvedObject: { namespace: "default", kind: "Pod", name: "x" }, message: "hello" };
    expect(await denialOf(given.create("events", { metadata: { name: "e" }, ...event }))).toBe("events.k8s.io  hello");
  });

  test("the namespace, but not of a namespace, and not by conditions", async () => {
    const everywhere = { resourceRules: [rule("", "namespaces configmaps")] };
    const shown = says("namespaceObject == null ? 'none' : namespaceObject.metadata.name");
    const matchConditions = [{ name: "none", expression: "namespaceObject == null" }];
    await given.policy("p", { ...shown, matchConditions, matchConstraints: everywhere });
    expect(await tryConfigMap()).toBe("default");
    const labelled = { metadata: { labels: { a: "b" } } };
    expect(await denialOf(given.patch("namespaces", "default", labelled))).toBe("none");
  });

  test("the name that the server made, whether it is a dry run, and with which options", async () => {
    const shown = "object.metadata.name == request.name ? string(request.dryRun) + ' ' + ";
    const options = "request.options.map(k, k).filter(k, k != 'kind' && k != 'apiVersion').sort().join(',') : 'other'";
    await given.policy("p", says(shown + options));
    const made = { metadata: { generateName: "a-" } };
    expect(await denialOf(given.create("configmaps", made, write))).toBe("false");
    expect(
      await denialOf(given.create("configmaps", made, { ...dryRun, fieldManager: "me", fieldValidation: "Strict" })),
    ).toBe("true dryRun,fieldManager,fieldValidation");
  });

  test("a variable that nobody asks for is not computed, and one that is asked for twice once", async () => {
    const variables = [
      { name: "broken", expression: "object.nope" },
      { name: "name", expression: "object.metadata.name" },
    ];
    const expression = "variables.name == variables.name && (false ? variables.broken : true)";
    await given.policy("p", { variables, validations: [{ expression }] });
    expect(await tryConfigMap()).toBeNull();
  });

  test("what the user may do", async () => {
    const may = "authorizer.group('').resource('secrets').namespace('default').check('get').allowed()";
    const itself = "authorizer.requestResource.check('create').allowed()";
    await given.policy("p", { validations: [{ expression: `${may} && ${itself}`, message: "may not" }] });
    expect(await tryConfigMap()).toBeNull();
    const caller = { ...given.admin, user: { name: "eve", groups: [] } };
    expect(await denialOf(given.create("configmaps", configMap("a"), dryRun, caller))).toBe("may not");
    const meta = { metadata: { name: "reads" } };
    const rules = [{ apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["get", "create"] }];
    await given.create("clusterroles.rbac.authorization.k8s.io", { ...meta, rules });
    await given.create("clusterrolebindings.rbac.authorization.k8s.io", {
      ...meta,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reads" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
    });
    expect(await denialOf(given.create("configmaps", configMap("a"), dryRun, caller))).toBeNull();
  });

  test("messages cannot ask what the user may do", async () => {
    const allowed = "string(authorizer.group('').resource('pods').check('get').allowed())";
    const variables = [{ name: "allowed", expression: allowed }];
    const validation = { expression: "variables.allowed == 'false'", message: "plain" };
    await given.policy("p", { variables, validations: [{ ...validation, messageExpression: "variables.allowed" }] });
    expect(await tryConfigMap()).toBe("plain");
  });

  test("too much work is an error", async () => {
    const long = (n: number) => `lists.range(${n}).all(a, lists.range(${n}).all(b, true))`;
    const variables = Array.from({ length: 11 }, (_, i) => ({ name: `v${i}`, expression: long(990) }));
    const expression = variables.map(({ name }) => `variables.${name}`).join(" && ");
    await given.policy("p", { variables, validations: [{ expression }] });
    expect(await tryConfigMap()).toBe(
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  });
});
