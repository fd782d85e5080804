/**
 * The classifier of rules, against a real API server. Each refused kind of rule is shown to allow what it is refused for, and
 * each granted one to allow none of it, while it is held and after it was revoked.
 */
import { type Client, createClient, Namespaces, Secrets, ServiceAccounts, unlimited } from "@berg/kube";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../../../../../test/control-plane/request.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from "../target/kinds.ts";
import { clientOf, type Place, type RunningOperator } from "../testing/place.ts";
import { type RealPlace, realPlace } from "../testing/real.ts";
import { heldFor, refusedInTime } from "../testing/tried.ts";
import { escalating } from "./problems.ts";
import type { Rule } from "./rule.ts";
import { allEscalations, type Escalation, podReader, ruleOf, titleOf } from "./testing/escalations.ts";
import { prepareTarget } from "./testing/prepare-target.ts";

describe.skipIf(await missingControlPlane())("rules on a real API server", () => {
  let parts: RealPlace;
  let place: Place;
  let admin: Client;
  let operator: RunningOperator;

  beforeAll(async () => {
    // As on clusters before Kubernetes 1.35, where a get is enough to enter a pod.
    parts = await realPlace({ targetFlags: ["--feature-gates=AuthorizePodWebsocketUpgradeCreatePermission=false"] });
    place = parts.place;
    admin = createClient({ connection: parts.target.connection, rate: unlimited });
    await prepareTarget(parts.target);
    await admin.create(Namespaces, { metadata: { name: "holders" } });
    await place.cluster("one");
    operator = await place.start();
  });
  afterAll(async () => {
    await operator?.stop();
    await admin?.close();
    await parts?.[Symbol.asyncDispose]();
  });

  /** Without a token the request is anonymous. */
  async function send(token: string | undefined, { method, path, body, headers, connects }: Escalation) {
    const { hostname: host, port } = new URL(parts.target.server);
    const { ca = "" } = await parts.target.connection.tls();
    const isWrite = method !== "GET" && !connects;
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const { status } = await ask(
      {
        host,
        port,
        method,
        ca,
        path: isWrite ? `${path}${path.includes("?") ? "&" : "?"}dryRun=All` : path,
        headers: { "content-type": type, ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      },
      body && JSON.stringify(body),
    );
    return status;
  }

  const list = (path: string): Escalation => ({ ...(allEscalations[0] as Escalation), method: "GET", path });

  /** A token of an account with these rules, and one more, by which it is known that the API server knows them. */
  async function holderOf(name: string, rules: readonly Rule[], namespace: string | undefined): Promise<string> {
    const known: Rule = { apiGroups: ["known.example.com"], resources: ["rules"], verbs: ["list"] };
    const subjects = [{ kind: "ServiceAccount", name, namespace: "holders" }];
    const roleRef = {
      apiGroup: "rbac.authorization.k8s.io",
      kind: namespace === undefined ? "ClusterRole" : "Role",
      name,
    };
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    await admin.create(ServiceAccounts, { metadata: { name, namespace: "holders" } });
    await admin.create(namespace === undefined ? ClusterRoles : Roles, { metadata, rules: [...rules, known] });
    await admin.create(namespace === undefined ? ClusterRoleBindings : RoleBindings, { metadata, roleRef, subjects });
    const spec = { audiences: [], expirationSeconds: 3600 };
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const answer = await admin.createSubresource<{ status: { token: string } }>(
      ServiceAccounts,
      "holders",
      name,
      "token",
      request,
    );
    const { token } = answer.status;
    const path = `/apis/known.example.com/v1/namespaces/${namespace ?? "default"}/rules`;
    // Nothing is served there: an authorized request gets 404.
    await eventually(`${name} has its rights`, async () => (await send(token, list(path))) === 404);
    return token;
  }

  describe("what is refused allows to get more, and the right is what it takes", () => {
    test.each(allEscalations.map((each, at) => ({ title: titleOf(each), each, at })))(
      "$title",
      async ({ each, at }) => {
        const { namespace, beside = [], connects } = each;
        const rules = [ruleOf(each)];
        const refused = namespace === undefined ? { clusterRole: { rules } } : { role: { namespace, rules } };
        expect(escalating(refused)).toHaveLength(1);

        const without = await holderOf(`without-${at}`, beside, namespace);
        expect(await send(without, each)).toBe(403);
        const holder = await holderOf(`with-${at}`, [...beside, ...rules], namespace);
        const status = await send(holder, each);
        if (connects) expect(status).not.toBe(403);
        else expect([200, 201]).toContain(status);
      },
    );
  });

  describe("what is granted allows none of it, and nothing is left after a revocation", () => {
    const seedsSecrets: Rule = {
      apiGroups: ["*"],
      resources: ["Secret"],
      verbs: ["create", "get", "update", "delete"],
    };
    const core = (resources: string[], ...verbs: string[]): Rule => ({ apiGroups: [""], resources, verbs });
    const cases: [name: string, rules: Rule[], namespace?: string][] = [
      ["everything-listed", [{ apiGroups: ["*"], resources: ["*"], verbs: ["list", "watch"] }]],
      ["custom-objects", [{ apiGroups: ["example.com/v1"], resources: ["*"], verbs: ["*"] }]],
      ["services", [core(["services", "endpoints"], "*")]],
      ["nodes", [core(["nodes"], "*")]],
      ["pods-deleted", [core(["pods", "pods/log"], "get", "list", "delete", "deletecollection")]],
      ["scale", [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["*"] }]],
      ["namespaces-created", [core(["namespaces"], "get", "list", "create")]],
      [
        "certificates-asked-for",
        [{ apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["create", "get"] }],
      ],
      ["rbac-read", [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"], verbs: ["get", "list", "watch"] }]],
      ["secrets-read", [core(["secrets", "configmaps"], "get", "list", "watch")]],
      ["accounts-written", [core(["serviceaccounts"], "create", "update", "patch")]],
      ["no-wildcards", [core(["serviceaccounts/*", "pods/*", "*/*"], "create", "patch", "get")]],
      ["paths", [{ nonResourceURLs: ["*"], verbs: ["*"] }]],
      ["seed", [seedsSecrets], "web"],
      [
        "web-workloads",
        [
          core(["pods", "pods/exec", "configmaps"], "*"),
          { apiGroups: ["apps", "batch"], resources: ["*"], verbs: ["*"] },
        ],
        "web",
      ],
      ["web-cleaned", [core(["secrets", "serviceaccounts", "namespaces"], "get", "delete", "deletecollection")], "web"],
      ["system-read", [core(["pods", "secrets", "configmaps"], "get", "list", "delete")], "kube-system"],
    ];

    const tokenSecret: Escalation = {
      ...list("/api/v1/namespaces/web/secrets"),
      method: "POST",
      body: {
        metadata: { name: "mine", annotations: { "kubernetes.io/service-account.name": "agent" } },
        type: "kubernetes.io/service-account-token",
      },
    };

    test("by any request", { timeout: 240_000 }, async () => {
      const before = await grantsOfAll();
      const requests = await Promise.all(
        cases.map(([name, rules, namespace]) =>
          place.request(name, {
            clusterRole: { rules: namespace === undefined ? rules : [podReader] },
            ...(namespace !== undefined && { role: { namespace, rules } }),
          }),
        ),
      );
      const untilAll = (phase: string) =>
        Promise.all(
          cases.map(([name]) => eventually(`${name} is ${phase}`, async () => (await phaseOf(name)) === phase)),
        );
      await untilAll("Issued");
      const kubeconfigs = await Promise.all(cases.map(([name]) => place.published(name)));
      for (const [at, kubeconfig] of kubeconfigs.entries()) {
        const token = /token: >?-?\s*(\S+)/.exec(kubeconfig)?.[1] ?? "";
        const answers = await Promise.all(
          [...allEscalations, tokenSecret].map(async (each) => `${await send(token, each)} ${titleOf(each)}`),
        );
        expect(
          answers.filter((each) => !each.startsWith("403 ")),
          `a holder of ${cases[at]?.[0]}`,
        ).toEqual([]);
      }

      for (const [name] of cases) await place.annotate(name, "revoke", "true");
      await untilAll("Revoked");
      await Promise.all(kubeconfigs.map((each, at) => refusedInTime(each, `${cases[at]?.[0]}`)));
      for (const request of requests) expect(await heldFor(admin, request)).toBe("");
      expect(await grantsOfAll()).toEqual(before);
      expect(await send(undefined, list("/api/v1/namespaces/web/pods"))).toBe(403);
    });
  });

  test("who writes Secrets writes them, and no tokens", async () => {
    await place.request("writer", {
      role: { namespace: "web", rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }] },
    });
    await eventually("it is issued", async () => (await place.get("writer"))?.status?.phase === "Issued");
    const client = await clientOf(await place.published("writer"));
    const metadata = {
      name: "token",
      namespace: "web",
      annotations: { "kubernetes.io/service-account.name": "agent" },
    };
    const type = "kubernetes.io/service-account-token";
    await client.create(Secrets, { metadata: { name: "plain", namespace: "web" }, data: { a: "Yg==" } });
    await expect(client.create(Secrets, { metadata, type })).rejects.toThrow("cannot write Secrets of type");
    await admin.create(Secrets, { metadata, type });
    const patch = { type: "merge" as const, body: { metadata: { annotations: { a: "b" } } } };
    await expect(client.patch(Secrets, "web", "token", patch)).rejects.toThrow("cannot write Secrets of type");
    await client.delete(Secrets, "web", "token");
    await client.close();
  });

  test("the audited way: bound to everybody, access outlives the revocation; now it is refused in so many words", async () => {
    const rbac = "rbac.authorization.k8s.io";
    const rules = [{ apiGroups: [rbac], resources: ["roles", "rolebindings"], verbs: ["create"] }, podReader];
    const other = await place.in("careless");
    await other.cluster("one");
    const careless = await other.start({ allowEscalating: true });
    await other.request("audited", { role: { namespace: "web", rules } });
    await eventually("it is issued", async () => (await other.get("audited"))?.status?.phase === "Issued");
    const holder = await clientOf(await other.published("audited"));
    const metadata = { name: "kept", namespace: "web" };
    await holder.create(Roles, { metadata, rules: [podReader] });
    await holder.create(RoleBindings, {
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "kept" },
      subjects: [{ apiGroup: rbac, kind: "Group", name: "system:unauthenticated" }],
    });
    await holder.close();
    await other.annotate("audited", "revoke", "true");
    await eventually("it is revoked", async () => (await other.get("audited"))?.status?.phase === "Revoked");
    await careless.stop();
    const pods = list("/api/v1/namespaces/web/pods");
    expect(await send(undefined, pods)).toBe(200);
    await admin.delete(RoleBindings, "web", "kept");
    await eventually("anonymous requests are refused", async () => (await send(undefined, pods)) === 403);

    await place.request("audited", { role: { namespace: "web", rules } });
    await eventually("it is refused", async () => (await place.get("audited"))?.status?.phase === "Failed");
    const { conditions = [] } = (await place.get("audited"))?.status ?? {};
    expect(conditions.find(({ type }) => type === "RulesAccepted")).toMatchObject({
      status: "False",
      reason: "EscalatingRules",
      message: expect.stringContaining(
        "role.rules[0] (create roles, rolebindings) grants the same rights to others, such as system:unauthenticated, who keep them after a revocation",
      ),
    });
  });

  test("granted by a version that did not refuse it: revoked at the upgrade, and the condition says why", async () => {
    const rules = [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: ["create"] }];
    const other = await place.in("upgraded");
    await other.cluster("one");
    const former = await other.start({ allowEscalating: true });
    const request = await other.request("old", { clusterRole: { rules: [...rules, podReader] } });
    await eventually("it is issued", async () => (await other.get("old"))?.status?.phase === "Issued");
    const kubeconfig = await other.published("old");
    await former.stop();

    const upgraded = await other.start();
    await eventually("it is refused", async () => (await other.get("old"))?.status?.phase === "Failed");
    await refusedInTime(kubeconfig, "what was issued");
    expect(await heldFor(admin, request)).toBe("");
    const { status } = (await other.get("old")) ?? {};
    expect([status?.secretRef, status?.kubeconfig]).toEqual([undefined, undefined]);
    const told = status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
    expect(told).toEqual(expect.arrayContaining(["RulesAccepted False EscalatingRules", "Revoked True Revoked"]));
    await other.change("old", { clusterRole: { rules: [podReader] } });
    await eventually("it is issued anew", async () => (await other.get("old"))?.status?.phase === "Issued");
    await upgraded.stop();
  });

  const phaseOf = async (name: string) => (await place.get(name))?.status?.phase;

  /** Every role and binding by its name. */
  async function grantsOfAll(): Promise<string[]> {
    const kinds = [Roles, RoleBindings, ClusterRoles, ClusterRoleBindings] as const;
    const lists = await Promise.all(kinds.map((kind) => admin.listAll(kind as typeof Roles, {})));
    return lists
      .flatMap(({ items }, at) =>
        items.map(({ metadata }) => `${kinds[at]?.kind} ${metadata.namespace} ${metadata.name}`),
      )
      .sort();
  }
});
