/** ValidatingAdmissionPolicies: what they are refused for, which requests they deny, and in which words. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createPod, eventually, type Given } from "./given.ts";
import { type Answer, said } from "./wire.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const merge = "application/merge-patch+json";
const rule = (group: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: ["*"],
  operations: ["*"],
  resources,
});
const deploy = join(import.meta.dirname, "../../deploy");

export function policies(given: Given): void {
  const at = (resource: string, group = "/api/v1") => `${group}/namespaces/${given.namespace}/${resource}`;
  const ask = (method: string, path: string, body?: object) => given.ask(method, path, { ...(body && { body }) });
  const patch = (path: string, body: object) => given.ask("PATCH", path, { body, type: merge });
  const configMap = (name: string, more: object = {}) =>
    ask("POST", at("configmaps?dryRun=All"), { metadata: { name, ...more } });

  /** About config maps of this test's namespace, beside what it says. */
  function make(spec: Record<string, unknown>, name = given.namespace): Promise<Answer> {
    const { resourceRules = [], ...match } = (spec.matchConstraints ?? {}) as { resourceRules?: object[] };
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": given.namespace } };
    const matchConstraints = {
      namespaceSelector,
      ...match,
      resourceRules: [rule("", "configmaps"), ...resourceRules],
    };
    // By its own name it is known to be in force; what is tried is called otherwise.
    const known = { expression: "!has(request.name) || request.name != 'in-force'", message: "in force" };
    const validations = [known, ...((spec.validations as object[] | undefined) ?? [])];
    const body = { metadata: { name }, spec: { ...spec, matchConstraints, validations } };
    return ask("POST", `${group}/validatingadmissionpolicies`, body);
  }

  /** In force when it returns. */
  async function policy(spec: Record<string, unknown>, binding: object = {}, name = given.namespace): Promise<Answer> {
    const made = await make(spec, name);
    expect(made.body.message).toBeUndefined();
    await bind(name, binding);
    await eventually(async () => {
      const { body, warnings } = await configMap("in-force");
      expect(`${body.message} ${warnings}`).toContain(`'${name}'`);
    });
    return made;
  }

  async function bind(policyName: string, spec: object = {}, name = policyName): Promise<void> {
    const body = { metadata: { name }, spec: { policyName, validationActions: ["Deny"], ...spec } };
    expect((await ask("POST", `${group}/validatingadmissionpolicybindings`, body)).code).toBe(201);
  }

  const denial = ({ body }: Answer): string | undefined => body?.message?.split(" denied request: ")[1];
  const never = { expression: "object == null || object.metadata.name == 'in-force'", message: "never" };

  test("a policy is filled in, counted and shown", async () => {
    const { body } = await policy({ validations: [never] });
    expect(body.spec).toMatchObject({
      failurePolicy: "Fail",
      matchConstraints: { matchPolicy: "Equivalent", objectSelector: {}, resourceRules: [{ scope: "*" }] },
    });
    expect(body.metadata.generation).toBe(1);
    const { resourceVersion, ...metadata } = body.metadata;
    const path = `${group}/validatingadmissionpolicies/${given.namespace}`;
    expect(said(await ask("PUT", path, { ...body, metadata }))).toMatchObject({
      code: 422,
      causes: ["metadata.resourceVersion: FieldValueInvalid"],
    });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body: table } = await given.ask("GET", path, {
      accept,
    });
    expect(table.rows[0].cells.slice(0, 3)).toEqual([given.namespace, 2, "<unset>"]);
  });

  test("a policy whose expressions cannot be compiled is refused, and each mistake is shown in its place", async () => {
    const variables = [
      { name: "v", expression: "object.spec" },
      { name: "in", expression: "nope" },
    ];
    const answer = await make({ variables, validations: [{ expression: "variables.w == 1 && request.nope" }] });
    expect(said(answer)).toMatchObject({
      code: 422,
      causes: [
        "spec.variables[1].name: FieldValueInvalid",
        "spec.variables[1].expression: FieldValueInvalid",
        "spec.validations[1].expression: FieldValueInvalid",
      ],
    });
    expect(answer.body.message).toContain(
      "compilation failed: ERROR: <input>:1:10: undefined field 'w'\n | variables.w == 1 && request.nope\n | .........^\nERROR: <input>:1:28: undefined field 'nope'",
    );
  });

  test("a binding must say what is to be done", async () => {
    const spec = { policyName: "x", validationActions: ["Deny", "Warn"], paramRef: { name: "a", selector: {} } };
    const body = { metadata: { name: given.namespace }, spec };
    expect(said(await ask("POST", `${group}/validatingadmissionpolicybindings`, body)).causes).toEqual([
      "spec.paramRef.name: FieldValueForbidden",
      "spec.paramRef.selector: FieldValueForbidden",
      "spec.paramRef.parameterNotFoundAction: FieldValueRequired",
      "spec.validationActions: FieldValueInvalid",
    ]);
  });

  test("a denial names policy, binding and reason", async () => {
    await policy({ validations: [{ ...never, reason: "Forbidden" }] });
    const { namespace } = given;
    const text = `ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}' denied request: never`;
    const { body } = await configMap("a");
    expect(body).toMatchObject({ code: 403, reason: "Forbidden", message: `configmaps "a" is forbidden: ${text}` });
    expect(body.details).toEqual({ name: "a", kind: "configmaps", causes: [{ message: text }] });
  });

  test("a message can be computed, and falls back to a plain one", async () => {
    const expression = "!object.metadata.name.startsWith('m')";
    const messageExpression = "object.metadata.?labels.x.orValue('') + ' is not for ' + request.userInfo.username";
    await policy({ validations: [{ expression, messageExpression, message: "plain" }] });
    expect(denial(await configMap("m1", { labels: { x: "this" } }))).toMatch(/^this is not for \S+$/);
    expect(denial(await configMap("m2"))).toMatch(/^ *is not for \S+$/);
    expect((await configMap("other")).code).toBe(201);
  });

  test("an error denies, unless it is to be ignored", async () => {
    const broken = { expression: "object.spec.nope == 1" };
    await policy({ validations: [broken] });
    expect(denial(await configMap("a"))).toBe(
      "expression 'object.spec.nope == 1' resulted in error: no such key: spec",
    );
    const path = `${group}/validatingadmissionpolicies/${given.namespace}`;
    await patch(path, { spec: { failurePolicy: "Ignore" } });
    await eventually(async () => expect((await configMap("a")).code).toBe(201));
  });

  test("conditions say whom it is about, and variables are computed where they are needed", async () => {
    await policy({
      matchConditions: [{ name: "not-free", expression: "!object.metadata.name.startsWith('free')" }],
      variables: [
        { name: "broken", expression: "object.nope" },
        { name: "isLong", expression: "object.metadata.name.size() > 10" },
      ],
      validations: [{ expression: "!variables.isLong || variables.broken == 1", message: "short" }],
    });
    expect(denial(await configMap("much-too-long"))).toContain('composited variable "broken" fails to evaluate');
    expect((await configMap("a")).code).toBe(201);
    expect((await configMap("free-and-much-too-long")).code).toBe(201);
  });

  test("Warn lets it pass, and tells", async () => {
    await policy({ validations: [never] }, { validationActions: ["Warn", "Audit"] });
    const { code, warnings } = await configMap("a");
    expect(code).toBe(201);
    const { namespace } = given;
    expect(warnings).toEqual([
      `Validation failed for ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}': never`,
    ]);
  });

  test("a binding says where, and without one nothing is denied", async () => {
    const matchResources = { objectSelector: { matchLabels: { strict: "yes" } } };
    const name = `${given.namespace}-narrow`;
    await policy({ validations: [never] });
    await bind(given.namespace, { matchResources }, name);
    await ask("DELETE", `${group}/validatingadmissionpolicybindings/${given.namespace}`);
    await eventually(async () => expect((await configMap("a")).code).toBe(201));
    await eventually(async () => expect(denial(await configMap("a", { labels: { strict: "yes" } }))).toBe("never"));
    await ask("DELETE", `${group}/validatingadmissionpolicybindings/${name}`);
    await eventually(async () => expect((await configMap("a", { labels: { strict: "yes" } })).code).toBe(201));
  });

  test("parameters come by name, from the namespace of the request, or by label", async () => {
    for (const [name, max] of Object.entries({ small: "3", large: "5" }))
      await ask("POST", at("configmaps"), { metadata: { name, labels: { limit: "yes" } }, data: { max } });
    const expression = "object.metadata.name.size() <= int(params.data.max)";
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression, messageExpression: "'too long for ' + string(params.metadata.name)" }],
    };
    const deny = { parameterNotFoundAction: "Deny" };
    const names: Record<string, object> = {
      one: { name: "small", ...deny },
      all: { selector: { matchLabels: { limit: "yes" } }, ...deny },
      missing: { name: "nope", ...deny },
    };
    const tried: Record<string, unknown[]> = {};
    for (const [name, paramRef] of Object.entries(names)) {
      const policyName = `${given.namespace}-${name}`;
      await policy(spec, { paramRef }, policyName);
      tried[name] = [denial(await configMap("abcd")), denial(await configMap("abcdefg"))];
      await ask("DELETE", `${group}/validatingadmissionpolicybindings/${policyName}`);
      await eventually(async () => expect((await configMap("in-force")).code).toBe(201));
    }
    const missing =
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    expect(tried).toEqual({
      one: ["too long for small", "too long for small"],
      all: ["too long for small", expect.stringMatching(/^too long for (small|large)$/)],
      missing: [missing, missing],
    });
  });

  test("changes and deletions are seen with what was there", async () => {
    await ask("POST", at("configmaps"), { metadata: { name: "kept" }, data: { a: "1" } });
    const expression =
      "has(request.name) && request.name == 'in-force' || (oldObject != null && object != null && object.data.a == oldObject.data.a)";
    const messageExpression = "request.operation + ' of ' + (has(request.name) ? request.name : 'all')";
    await policy({ validations: [{ expression, messageExpression }] });
    expect((await patch(at("configmaps/kept"), { metadata: { labels: { a: "b" } } })).code).toBe(200);
    expect(denial(await patch(at("configmaps/kept"), { data: { a: "2" } }))).toBe("UPDATE of kept");
    expect(denial(await ask("DELETE", at("configmaps/kept")))).toBe("DELETE of kept");
    const all = await ask("DELETE", at("configmaps?fieldSelector=metadata.name=kept"));
    expect(denial(all)).toBe("DELETE of all");
    expect(all.body.message).toContain('configmaps "Unknown" is forbidden: ');
    expect(denial(await configMap("new"))).toBe("CREATE of new");
  });

  test("subresources are meant by their own name, and seen as what is sent to them", async () => {
    const spec = { containers: [{ name: "c", image: "none" }] };
    const labels = { app: "web" };
    await ask("POST", at("deployments", "/apis/apps/v1"), {
      metadata: { name: "web" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await createPod(given, "one");
    const seen = "request.subResource + ' ' + request.kind.kind + ' ' + string(object.kind)";
    await policy({
      matchConstraints: {
        resourceRules: [
          rule("apps", "deployments/scale"),
          rule("", "pods/eviction", "pods/binding", "pods/exec", "serviceaccounts/token"),
        ],
      },
      validations: [{ expression: "!has(request.subResource)", messageExpression: seen }],
    });
    const deployment = at("deployments/web", "/apis/apps/v1");
    expect((await patch(deployment, { metadata: { labels: { a: "b" } } })).code).toBe(200);
    expect(denial(await patch(`${deployment}/scale`, { spec: { replicas: 1 } }))).toBe("scale Scale Scale");
    const eviction = { metadata: { name: "one", namespace: given.namespace } };
    expect(denial(await ask("POST", at("pods/one/eviction"), eviction))).toBe("eviction Eviction Eviction");
    expect(denial(await ask("GET", at("pods/one/exec?command=ls&stdout=true")))).toBe(
      "exec PodExecOptions PodExecOptions",
    );
    const binding = { ...eviction, target: { kind: "Node", name: "none" } };
    expect(denial(await ask("POST", at("pods/one/binding"), binding))).toBe("binding Binding Binding");
    const token = await ask("POST", at("serviceaccounts/default/token"), { spec: {} });
    expect(denial(token)).toBe("token TokenRequest TokenRequest");
    // An eviction is no deletion, and a deletion no eviction.
    expect((await ask("DELETE", at("pods/one?gracePeriodSeconds=0"))).code).toBe(200);
  });

  test("an event is one event in both groups, unless exactly one is meant", async () => {
    const event = (name: string) =>
      ask("POST", at("events?dryRun=All"), {
        metadata: { name },
        involvedObject: { kind: "Pod", namespace: given.namespace, name: "x" },
        message: "it did",
      });
    const resourceRules = [rule("events.k8s.io", "events")];
    const validations = [{ expression: "!has(object.note)", messageExpression: "string(object.note)" }];
    await policy({ matchConstraints: { resourceRules }, validations });
    expect(denial(await event("one"))).toBe("it did");
    const matchConstraints = { matchPolicy: "Exact", resourceRules: [...resourceRules, rule("", "configmaps")] };
    await patch(`${group}/validatingadmissionpolicies/${given.namespace}`, { spec: { matchConstraints } });
    await eventually(async () => expect((await event("one")).code).toBe(201));
  });

  test("objects of custom kinds are seen as they are written", async () => {
    const instances = at("challengeinstances", "/apis/berg.norelect.ch/v1");
    const expression = "!has(object.spec) || object.spec.challengeRef.name != 'forbidden'";
    await policy({
      matchConstraints: { resourceRules: [rule("berg.norelect.ch", "challengeinstances")] },
      validations: [{ expression, messageExpression: "'no ' + string(object.spec.challengeRef.name)" }],
    });
    const instance = (challenge: string) => ({
      apiVersion: "berg.norelect.ch/v1",
      kind: "ChallengeInstance",
      metadata: { name: "one" },
      spec: { ownerId: "0190b5a4-7c1e-7d3a-8f00-0123456789ab", challengeRef: { name: challenge } },
    });
    const denied = await ask("POST", instances, instance("forbidden"));
    expect(denial(denied), denied.text).toBe("no forbidden");
    expect((await ask("POST", instances, instance("allowed"))).code).toBe(201);
  });

  test("expressions can ask what the user may do", async () => {
    const may = (resource: string) =>
      `authorizer.group('').resource('${resource}').namespace(request.namespace).check('get').allowed()`;
    const itself = "authorizer.requestResource.check('create').allowed()";
    const expression = `request.name == 'in-force' || !(${may("secrets")} && ${itself})`;
    await policy({ validations: [{ expression, message: "may read Secrets" }] });
    expect(denial(await configMap("a"))).toBe("may read Secrets");
  });

  test("whoever may not read parameters may not name them", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const metadata = { name: given.namespace };
    const rules = [{ apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] }];
    await ask("POST", `${rbac}/clusterroles`, { metadata, rules });
    await ask("POST", `${rbac}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: given.namespace },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
    });
    const headers = { "impersonate-user": "eve" };
    const spec = {
      matchConstraints: { resourceRules: [rule("x.example.com", "things")] },
      validations: [{ expression: "true" }],
      paramKind: { apiVersion: "v1", kind: "Secret" },
    };
    const { code, body } = await eventually(async () => {
      const answer = await given.ask("POST", `${group}/validatingadmissionpolicies`, {
        body: { metadata, spec },
        headers,
      });
      expect(answer.code).not.toBe(403);
      return answer;
    });
    expect(code).toBe(422);
    expect(body.message).toContain('must have "get" permission on all objects of the referenced paramKind');
  });

  test("no policy is asked about policies", async () => {
    const all = { ...rule("*", "*/*"), apiGroups: ["admissionregistration.k8s.io"] };
    await policy({ matchConstraints: { resourceRules: [all] }, validations: [never] });
    const path = `${group}/validatingadmissionpolicies/${given.namespace}`;
    expect((await patch(path, { metadata: { labels: { a: "b" } } })).code).toBe(200);
    await ask("DELETE", `${group}/validatingadmissionpolicybindings/${given.namespace}`);
  });

  test("the policies that Berg is deployed with hold", async () => {
    const documents = await Promise.all(
      ["admission-policy.yaml", "admission-policy-contents.yaml"].map((file) => readFile(join(deploy, file), "utf8")),
    );
    const resources = { ValidatingAdmissionPolicy: "validatingadmissionpolicies" };
    for (const document of documents.flatMap((text) => parseAllDocuments(text))) {
      const body = document.toJS() as { kind: keyof typeof resources };
      const resource = resources[body.kind] ?? "validatingadmissionpolicybindings";
      expect((await ask("POST", `${group}/${resource}`, body)).code).toBe(201);
    }
    const headers = {
      "impersonate-user": "system:serviceaccount:berg:berg-controller",
      "impersonate-group": "system:masters",
    };
    const namespace = (name: string, labels: object) =>
      given.ask("POST", "/api/v1/namespaces?dryRun=All", { body: { metadata: { name, labels } }, headers });
    const marks = { "app.kubernetes.io/managed-by": "berg", "berg.norelect.ch/instance-uid": "x" };
    await eventually(async () => expect((await namespace("challenge-a", {})).code).toBe(403));
    await eventually(async () => expect((await namespace("challenge-a", { ...marks, team: "blue" })).code).toBe(422));
    expect((await namespace("challenge-a", marks)).code).toBe(201);
    expect(denial(await namespace("elsewhere", marks))).toBe(
      'the controller makes only namespaces named challenge-… that are labelled app.kubernetes.io/managed-by=berg and berg.norelect.ch/instance-uid, and "elsewhere" is not',
    );
    expect(denial(await namespace("challenge-a", { ...marks, team: "blue" }))).toBe(
      "the controller puts no label team on a namespace",
    );
    const metadata = { name: "a", namespace: given.namespace };
    const outside = await given.ask("POST", at("configmaps?dryRun=All"), { body: { metadata }, headers });
    expect(denial(outside)).toContain("the controller writes configmaps only in namespaces named challenge-…");
  });
}
