/** Who may do what: roles, bindings, questions about both, and tokens. */
import { expect, onTestFinished, test } from "vitest";
import { eventually, type Given } from "./given.ts";
import { type Ask, openWire, said } from "./wire.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

export function permissions(given: Given): void {
  const at = (resource: string, group = "/api/v1") => `${group}/namespaces/${given.namespace}/${resource}`;
  const accountName = (name: string) => `system:serviceaccount:${given.namespace}:${name}`;

  /** Somebody new, who asks with a token. */
  async function account(name: string): Promise<Ask> {
    await given.ask("POST", at("serviceaccounts"), { body: { metadata: { name } } });
    const { body } = await given.ask("POST", `${at("serviceaccounts")}/${name}/token`, { body: { spec: {} } });
    const { ask, close } = await openWire(given.subject.connectWith(body.status.token));
    onTestFinished(close);
    return ask;
  }
  async function allow(name: string, rules: object[]): Promise<void> {
    await given.ask("POST", at("roles", rbac), { body: { metadata: { name }, rules } });
    const body = {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: given.namespace }],
    };
    expect((await given.ask("POST", at("rolebindings", rbac), { body })).code).toBe(201);
  }

  test("what no role allows is forbidden, in these words", async () => {
    const ask = await account("nobody");
    expect(said(await ask("GET", at("configmaps")))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `configmaps is forbidden: User "${accountName("nobody")}" cannot list resource "configmaps" in API group "" in the namespace "${given.namespace}"`,
    });
    expect(said(await ask("DELETE", `${at("deployments", "/apis/apps/v1")}/one`)).message).toBe(
      `deployments.apps "one" is forbidden: User "${accountName("nobody")}" cannot delete resource "deployments" in API group "apps" in the namespace "${given.namespace}"`,
    );
    expect(said(await ask("GET", "/api/v1/nodes")).message).toBe(
      `nodes is forbidden: User "${accountName("nobody")}" cannot list resource "nodes" in API group "" at the cluster scope`,
    );
    expect(said(await ask("GET", "/metrics")).message).toBe(
      `forbidden: User "${accountName("nobody")}" cannot get path "/metrics"`,
    );
    expect((await ask("GET", "/version")).code).toBe(200);
  });

  test("verbs, subresources and names are allowed one by one", async () => {
    const ask = await account("some");
    await allow("some", [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "create"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: ["mine"] },
      { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["*"] },
    ]);
    await eventually(async () => expect((await ask("GET", at("configmaps"))).code).toBe(200));
    expect((await ask("POST", at("configmaps"), { body: { metadata: { name: "mine" } } })).code).toBe(201);
    expect((await ask("GET", `${at("configmaps")}/mine`)).code).toBe(200);
    expect((await ask("GET", `${at("configmaps")}/other`)).code).toBe(403);
    expect((await ask("GET", `${at("configmaps")}?watch=true&timeoutSeconds=1`)).code).toBe(403);
    expect((await ask("DELETE", at("configmaps"))).code).toBe(403);
    expect((await ask("GET", `${at("deployments", "/apis/apps/v1")}/none/scale`)).code).toBe(404);
    expect((await ask("GET", `${at("deployments", "/apis/apps/v1")}/none`)).code).toBe(403);
  });

  test("a binding counts until it is gone", async () => {
    const ask = await account("brief");
    await allow("brief", [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }]);
    await eventually(async () => expect((await ask("GET", at("secrets"))).code).toBe(200));
    await given.ask("DELETE", `${at("rolebindings", rbac)}/brief`);
    await eventually(async () => expect((await ask("GET", at("secrets"))).code).toBe(403));
  });

  test("nobody gives what they do not have", async () => {
    const ask = await account("climber");
    await allow("climber", [
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["create"] },
    ]);
    const rules = [
      { apiGroups: ["apps", ""], resources: ["secrets", "pods/log"], verbs: ["get", "delete", "get"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["list"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["b", "a"] },
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] },
    ];
    const body = { metadata: { name: "more" }, rules };
    await eventually(async () => {
      const { code, reason, message } = said(await ask("POST", at("roles", rbac), { body }));
      expect({ code, reason }).toEqual({ code: 403, reason: "Forbidden" });
      expect(message).toMatch(
        /^roles.rbac.authorization.k8s.io "more" is forbidden: user ".*" \(groups=\[.*\]\) is attempting to grant RBAC permissions not currently held:\n/,
      );
      expect(message?.split("\n").slice(1)).toEqual([
        '{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "delete" "get"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods/log"], Verbs:["get" "delete" "get"]}',
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "delete" "get"]}',
      ]);
    });
  });

  test("what a binding refers to stays, and must make sense", async () => {
    await allow("fixed", []);
    const body = { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } };
    const moved = await given.ask("PATCH", `${at("rolebindings", rbac)}/fixed`, {
      body,
      type: "application/merge-patch+json",
    });
    expect(said(moved)).toMatchObject({ code: 422, causes: ["roleRef: FieldValueInvalid"] });
    expect(moved.body.message).toContain("cannot change roleRef");
    const odd = { metadata: { name: "odd" }, rules: [{ apiGroups: [""], resources: ["pods"], verbs: [] }] };
    expect(said(await given.ask("POST", at("roles", rbac), { body: odd })).causes).toEqual([
      "rules[0].verbs: FieldValueRequired",
    ]);
  });

  test("may I? is answered as it would be done", async () => {
    const ask = await account("asking");
    await allow("asking", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }]);
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const mayI = async (verb: string, resource = "configmaps") => {
      const body = { spec: { resourceAttributes: { namespace: given.namespace, verb, resource } } };
      const answer = await ask("POST", path, { body });
      expect(answer.code).toBe(201);
      return answer.body.status;
    };
    await eventually(async () => expect((await mayI("list")).allowed).toBe(true));
    expect((await mayI("list")).reason).toBe(
      `RBAC: allowed by RoleBinding "asking/${given.namespace}" of Role "asking" to ServiceAccount "asking/${given.namespace}"`,
    );
    expect(await mayI("delete")).toEqual({ allowed: false });
    const neither = await ask("POST", path, { body: { spec: {} } });
    expect(said(neither)).toMatchObject({ code: 422, reason: "Invalid" });
  });

  test("may they? and what may I?", async () => {
    await account("them");
    await allow("them", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
    const spec = {
      user: accountName("them"),
      resourceAttributes: { namespace: given.namespace, verb: "get", resource: "pods" },
    };
    await eventually(async () => {
      const { body } = await given.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        body: { spec },
      });
      expect(body.status.allowed).toBe(true);
    });
    const rules = { body: { spec: { namespace: given.namespace } } };
    const { body } = await given.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", rules);
    expect(body.status.resourceRules).toContainEqual({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
  });

  test("who am I?", async () => {
    const ask = await account("me");
    const { body } = await ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {} });
    expect(body.status.userInfo).toMatchObject({
      username: accountName("me"),
      groups: ["system:serviceaccounts", `system:serviceaccounts:${given.namespace}`, "system:authenticated"],
    });
  });

  test("a token says whose it is, for whom, and for how long", async () => {
    await account("bearer");
    const path = `${at("serviceaccounts")}/bearer/token`;
    const { body, code } = await given.ask("POST", path, {
      body: { spec: { audiences: ["vault"], expirationSeconds: 600 } },
    });
    expect(code).toBe(201);
    expect(body.spec).toMatchObject({ audiences: ["vault"], expirationSeconds: 600 });
    const claims = JSON.parse(Buffer.from(body.status.token.split(".")[1], "base64url").toString());
    expect(claims).toMatchObject({
      aud: ["vault"],
      sub: accountName("bearer"),
      "kubernetes.io": { namespace: given.namespace, serviceaccount: { name: "bearer" } },
    });
    expect(claims.exp - claims.iat).toBe(600);
    const { ask, close } = await openWire(given.subject.connectWith(body.status.token));
    onTestFinished(close);
    expect((await ask("GET", "/version")).code).toBe(401);
    const brief = await given.ask("POST", path, { body: { spec: { expirationSeconds: 60 } } });
    expect(said(brief)).toMatchObject({ code: 422, causes: ["spec.expirationSeconds: FieldValueInvalid"] });
    expect((await given.ask("POST", `${at("serviceaccounts")}/none/token`, { body: { spec: {} } })).code).toBe(404);
  });

  test("a token is reviewed", async () => {
    await account("seen");
    const { body } = await given.ask("POST", `${at("serviceaccounts")}/seen/token`, { body: { spec: {} } });
    const review = (token: string) =>
      given.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { body: { spec: { token } } });
    expect((await review(body.status.token)).body.status).toMatchObject({
      authenticated: true,
      user: { username: accountName("seen") },
    });
    const bad = (await review("rubbish")).body.status;
    expect(bad.authenticated ?? false).toBe(false);
  });

  test("somebody may be acted for by those who may", async () => {
    const headers = { "impersonate-user": "ada", "impersonate-group": "crew" };
    const { body } = await given.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      body: {},
      headers,
    });
    expect(body.status.userInfo).toMatchObject({ username: "ada", groups: ["crew", "system:authenticated"] });
    const ask = await account("plain");
    const refused = await ask("GET", at("pods"), { headers });
    expect(said(refused)).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(refused.body.message).toContain('cannot impersonate-on:user-info:list resource "pods"');
  });
  test("an account may be acted for by whom its namespace allows it, and nobody else", async () => {
    await account("helped");
    const ask = await account("helper");
    await allow("helper", [
      { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"], resourceNames: ["helped"] },
    ]);
    const whoAmI = (user: string, more: Record<string, string> = {}) =>
      ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        body: {},
        headers: { "impersonate-user": user, ...more },
      });
    await eventually(async () => expect((await whoAmI(accountName("helped"))).code).toBe(201));
    expect((await whoAmI(accountName("helped"))).body.status.userInfo).toEqual({
      username: accountName("helped"),
      groups: ["system:serviceaccounts", `system:serviceaccounts:${given.namespace}`, "system:authenticated"],
    });
    expect((await whoAmI(accountName("other"))).body.message).toBe(
      `serviceaccounts "other" is forbidden: User "${accountName("helper")}" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "${given.namespace}"`,
    );
    const grouped = await whoAmI(accountName("helped"), { "impersonate-group": "system:masters" });
    expect(grouped.body.message).toBe(
      `groups "system:masters" is forbidden: User "${accountName("helper")}" cannot impersonate resource "groups" in API group "" at the cluster scope`,
    );
    const nobody = await given.ask("GET", "/version", { headers: { "impersonate-group": "crew" } });
    expect(said(nobody)).toMatchObject({ code: 400, reason: "BadRequest" });
  });
}
