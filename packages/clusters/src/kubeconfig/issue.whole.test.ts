import { isForbidden, isNotFound } from "@berg/apimachinery";
import { Namespaces, Pods, Secrets, ServiceAccounts } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { beforeAll, expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { accessNamespace, annotations } from "../vocabulary.ts";
import { accessName, type Request } from "./names.ts";
import { holdingsOf } from "./target/holdings.ts";
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from "./target/kinds.ts";
import { embeddedPlace } from "./testing/embedded.ts";
import { clientOf, type Place, podReader } from "./testing/place.ts";
import { conditionOf, openStage } from "./testing/stage.ts";
import { heldFor, tried } from "./testing/tried.ts";
import { whileTesting } from "./testing/while-testing.ts";

const world = whileTesting(embeddedPlace);
beforeAll(() => world().place.namespace("compass-system"));
const { signal } = new AbortController();

test("a request gets a kubeconfig in a Secret of its own, which can do what it says and no more", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  const request = await place.request("reader");
  const { status } = await until("reader", "Issued 1");
  const client = await clientOf(await place.published("reader"));
  expect((await client.list(Pods)).items).toEqual([]);
  await expect(client.list(Secrets)).rejects.toSatisfy(isForbidden);
  await client.close();
  expect(status).toMatchObject({ observedGeneration: 1, secretRef: { name: "reader-kubeconfig", key: "kubeconfig" } });
  expect(status?.kubeconfig).toBeUndefined();
  expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
    "Issued=True",
    "RBACReady=True",
    "RulesAccepted=True",
    "TargetReachable=True",
  ]);
  const secret = await place.home.get(Secrets, place.namespaceName, "reader-kubeconfig");
  expect(secret.metadata.ownerReferences?.[0]?.uid).toBe(request.metadata.uid);
  expect(await heldFor(place.target, request)).toBe(
    "clusterRoles 1, clusterRoleBindings 1, serviceAccounts 1, anchors 1",
  );
  await expect.poll(() => place.eventsOf("reader")).toEqual(["KubeconfigIssued"]);
});

test("the seed's way: in the status, with groups that have a version and kinds for resources", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  const request = await place.request("seed", {
    output: "Status",
    clusterRole: {
      rules: [
        { apiGroups: ["apps/v1"], resources: ["Deployment"], verbs: ["get", "watch"] },
        { apiGroups: ["application-connector.kyma-project.io/v1alpha1"], resources: ["Application"], verbs: ["get"] },
      ],
    },
    role: {
      namespace: "compass-system",
      rules: [{ apiGroups: ["*"], resources: ["Secret"], verbs: ["create", "get", "update", "delete"] }],
    },
  });
  const issued = await until("seed", "Issued 1");
  expect(issued.status?.secretRef).toBeUndefined();
  expect(conditionOf(issued, "RulesAccepted")).toBe("True UnknownResources");
  const told = issued.status?.conditions?.find(({ type }) => type === "RulesAccepted")?.message;
  expect(told).toContain("Granted as RBAC has it: Deployment as deployments, ");
  expect(told).toContain(" apps/v1 as apps, Secret as secrets");
  expect(told).not.toContain("in every namespace");
  const text = await place.published("seed");
  expect(text).toContain("namespace: compass-system");
  const client = await clientOf(text);
  await client.create(Secrets, { metadata: { name: "mine", namespace: "compass-system" } });
  await expect(client.get(Secrets, "default", "mine")).rejects.toSatisfy(isForbidden);
  const annotations = { "kubernetes.io/service-account.name": "default" };
  const token = { metadata: { name: "token", namespace: "compass-system", annotations } };
  const type = "kubernetes.io/service-account-token";
  await expect(client.create(Secrets, { ...token, type })).rejects.toThrow("cannot write Secrets of type");
  await client.close();
  const held = await holdingsOf(place.target, request, signal);
  expect(held.clusterRoles[0]?.rules?.[0]).toEqual({
    apiGroups: ["apps"],
    resources: ["deployments"],
    verbs: ["get", "watch"],
  });
});

test("it is replaced before it ends, make before break, and the one before goes after its own end", async () => {
  await using stage = await openStage(world);
  const { place, until, clock, operator } = stage;
  const request = await place.request("rotated", { expiration: 600 });
  await until("rotated", "Issued 1");
  const first = await place.published("rotated");
  clock.jump(481_000);
  const { status } = await until("rotated", "Issued 2");
  expect(status?.retiring?.map(({ epoch }) => epoch)).toEqual([1]);
  const second = await place.published("rotated");
  expect([await tried(first), await tried(second)]).toEqual(["works", "works"]);
  expect(await heldFor(place.target, request)).toContain("anchors 2");
  const seen = operator.targetProxy.requests.length;
  clock.jump(180_000);
  await expect.poll(async () => (await place.get("rotated"))?.status?.retiring).toBeUndefined();
  expect(operator.targetProxy.requests.slice(seen).map(({ verb }) => verb)).toEqual(["deletecollection"]);
  expect([await tried(first), await tried(second)]).toEqual(["unknown", "works"]);
});

const isAsked = async (place: Place, name: string) =>
  (await place.get(name))?.metadata.annotations?.[annotations.rotate] !== undefined;
const endedOf = async (place: Place, name: string) => (await place.get(name))?.status?.lastRotationEnded;

test("asked for by the annotation, which goes when the new one is there, the one before goes after the grace: each time", async () => {
  await using stage = await openStage(world);
  const { place, until, clock } = stage;
  await place.request("asked");
  await until("asked", "Issued 1");
  for (const epoch of [2, 3]) {
    const former = await place.published("asked");
    await place.annotate("asked", "rotate", "true");
    await expect.poll(() => isAsked(place, "asked")).toBe(false);
    await until("asked", `Rotating ${epoch}`);
    expect(await tried(former)).toBe("works");
    clock.jump(30_000);
    await until("asked", `Issued ${epoch}`);
    expect([await tried(former), await tried(await place.published("asked"))]).toEqual(["unknown", "works"]);
  }
});

test("asked for once more within the grace, there is one more, and both before go", async () => {
  await using stage = await openStage(world);
  const { place, until, clock } = stage;
  await place.request("again");
  await until("again", "Issued 1");
  const former = [await place.published("again")];
  await place.annotate("again", "rotate", "true");
  await until("again", "Rotating 2");
  await expect.poll(() => isAsked(place, "again")).toBe(false);
  former.push(await place.published("again"));
  clock.jump(10_000);
  await place.annotate("again", "rotate", null);
  await place.annotate("again", "rotate", "true");
  const { status } = await until("again", "Rotating 3");
  expect(status?.retiring?.map(({ epoch }) => epoch)).toEqual([1, 2]);
  clock.jump(30_000);
  await until("again", "Issued 3");
  expect(await Promise.all(former.map(tried))).toEqual(["unknown", "unknown"]);
  expect(await tried(await place.published("again"))).toBe("works");
});

test("asked for by whoever replaces all annotations, there is one more each time", async () => {
  await using stage = await openStage(world);
  const { place, until, clock } = stage;
  const ask = async () => {
    const { metadata, ...rest } = (await place.get("replaced")) as Request;
    const all = { [annotations.rotate]: "true" };
    await place.home.update(KubeconfigRequests, { ...rest, metadata: { ...metadata, annotations: all } });
  };
  const untilAnswered = async (epoch: number) => {
    await until("replaced", `Rotating ${epoch}`);
    await expect.poll(() => isAsked(place, "replaced")).toBe(false);
    await expect.poll(() => endedOf(place, "replaced")).toBe(String(epoch));
    return place.published("replaced");
  };
  await place.request("replaced");
  await until("replaced", "Issued 1");
  await ask();
  const second = await untilAnswered(2);
  await ask();
  const third = await untilAnswered(3);
  clock.jump(30_000);
  await until("replaced", "Issued 3");
  expect([await tried(second), await tried(third)]).toEqual(["unknown", "works"]);
  await ask();
  await untilAnswered(4);
  clock.jump(30_000);
  await until("replaced", "Issued 4");
  expect([await tried(third), await tried(await place.published("replaced"))]).toEqual(["unknown", "works"]);
});

test("an annotation that cannot be taken off is answered once, and the one before goes all the same", async () => {
  await using stage = await openStage(world);
  const { place, until, operator, clock } = stage;
  await place.request("sticky");
  await until("sticky", "Issued 1");
  const former = await place.published("sticky");
  operator.proxy.answer = ({ verb, resource }) =>
    verb === "patch" && resource === "kubeconfigrequests" ? "reset" : undefined;
  await place.annotate("sticky", "rotate", "true");
  await until("sticky", "Rotating 2");
  clock.jump(20_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { status } = (await place.get("sticky")) ?? {};
  expect([status?.epoch, await isAsked(place, "sticky")]).toEqual([2, true]);
  clock.jump(10_000);
  await until("sticky", "Issued 2");
  expect(await tried(former)).toBe("unknown");
  clock.jump(2_900_000);
  await until("sticky", "Issued 3");
  operator.proxy.answer = () => undefined;
  clock.jump(60_000);
  await expect.poll(() => isAsked(place, "sticky")).toBe(false);
  expect((await place.get("sticky"))?.status?.epoch).toBe(3);
});

test.each([
  ["everywhere", {}, []],
  ["in a namespace, too", { role: { namespace: "default", rules: [podReader] } }, ["get roles", "get rolebindings"]],
])("a rotation with its clean-up asks no more of the target than it must: %s", async (_, spec, more) => {
  await using stage = await openStage(world);
  const { place, until, clock, operator } = stage;
  await place.request("frugal", spec);
  await until("frugal", "Issued 1");
  const before = operator.targetProxy.requests.length;
  await place.annotate("frugal", "rotate", "true");
  await until("frugal", "Rotating 2");
  clock.jump(30_000);
  await until("frugal", "Issued 2");
  const asked = operator.targetProxy.requests
    .slice(before)
    .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource && `/${subresource}`}`);
  const needed = ["create secrets", "create serviceaccounts/token", "deletecollection secrets"];
  const looks = ["get serviceaccounts", "get clusterroles", "get clusterrolebindings", "list secrets", ...more];
  expect(asked.sort()).toEqual([...needed, ...looks].sort());
  // And the new token is tried, by a connection of its own.
  expect(asked.length + 1).toBeLessThanOrEqual(10);
});

test("what somebody has changed in the target is put right with the next one", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  const request = await place.request("drifted", { role: { namespace: "default", rules: [podReader] } });
  await until("drifted", "Issued 1");
  const before = await holdingsOf(place.target, request, signal);
  const name = accessName(request);
  const body = { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] };
  await place.target.patch(ClusterRoles, "", name, { type: "merge", body });
  await place.target.patch(RoleBindings, "default", name, { type: "merge", body: { subjects: [] } });
  await place.target.delete(ClusterRoleBindings, "", name);
  await place.target.delete(Roles, "default", name);
  await place.annotate("drifted", "rotate", "true");
  await until("drifted", "Rotating 2");
  const after = await holdingsOf(place.target, request, signal);
  const told = ({ clusterRoles, clusterRoleBindings, roles, roleBindings }: typeof before) => [
    ...[...clusterRoles, ...roles].map(({ rules }) => rules),
    ...[...clusterRoleBindings, ...roleBindings].map(({ roleRef, subjects }) => [roleRef, subjects]),
  ];
  expect(told(after)).toEqual(told(before));
  expect(await tried(await place.published("drifted"))).toBe("works");
});

test("a settled one costs no request, whatever happens to its Cluster", async () => {
  await using stage = await openStage(world);
  const { place, until, operator } = stage;
  await place.request("idle");
  await until("idle", "Issued 1");
  await expect.poll(() => place.eventsOf("idle")).toHaveLength(1);
  const asked = () => operator.proxy.requests.length + operator.targetProxy.requests.length + operator.opened;
  const before = asked();
  for (let turn = 0; turn < 5; turn++) await place.touchCluster("any", String(turn));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(asked()).toBe(before);
});

test("new rules are granted to the token that is out; a rule that is gone is taken away", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  await place.request("ruled", { clusterRole: { rules: [{ ...podReader, resourceNames: ["none"] }] } });
  await until("ruled", "Issued 1");
  const text = await place.published("ruled");
  expect(await tried(text)).toBe("forbidden");
  await place.change("ruled", { clusterRole: { rules: [podReader] } });
  await expect.poll(() => tried(text)).toBe("works");
  await place.change("ruled", { clusterRole: { rules: [{ ...podReader, resourceNames: ["none"] }] } });
  await expect.poll(() => tried(text)).toBe("forbidden");
  expect((await place.get("ruled"))?.status?.epoch).toBe(1);
});

test("put elsewhere, there is a new one, and the old copy goes", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  await place.request("moved");
  await until("moved", "Issued 1");
  await place.change("moved", { output: "Status" });
  const { status } = await until("moved", "Issued 2");
  expect(status?.kubeconfig).toBeDefined();
  const copy = () => place.home.get(Secrets, place.namespaceName, "moved-kubeconfig").then(() => "there", isNotFound);
  await expect.poll(copy).toBe(true);
  await expect.poll(async () => (await place.get("moved"))?.status?.secretRef).toBeUndefined();
});

test("put elsewhere, and the old copy cannot be taken away: it is said, and tried again until it can", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  await place.request("moved");
  await until("moved", "Issued 1");
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message: "no" };
  operator.proxy.answer = ({ resource, verb }) =>
    resource === "secrets" && verb === "delete" ? { status: 403, body } : undefined;
  await place.change("moved", { output: "Status" });
  const told = await untilCondition("moved", "Issued", "True SecretsForbidden");
  expect([told.status?.phase, told.status?.epoch, told.status?.secretRef?.name]).toEqual([
    "Issued",
    2,
    "moved-kubeconfig",
  ]);
  clock.jump(60_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await place.get("moved"))?.metadata.resourceVersion).toBe(told.metadata.resourceVersion);
  operator.proxy.answer = () => undefined;
  clock.jump(60_000);
  const { status } = await untilCondition("moved", "Issued", "True Issued");
  expect([status?.secretRef, status?.kubeconfig === undefined]).toEqual([undefined, false]);
  const copy = place.home.get(Secrets, place.namespaceName, "moved-kubeconfig");
  await expect(copy).rejects.toSatisfy(isNotFound);
});

test("what is not ours is left alone, and said: in the target, and beside the request", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.request("first");
  await until("first", "Issued 1");
  const metadata = { name: "taken-kubeconfig", namespace: place.namespaceName };
  const theirs = await place.home.create(Secrets, { metadata });
  const request = await place.request("taken");
  await untilCondition("taken", "Issued", "False SecretNameTaken");
  expect(await heldFor(place.target, request)).toBe("");
  const name = accessName(request);
  const account = await place.target.create(ServiceAccounts, { metadata: { name, namespace: accessNamespace } });
  await place.home.delete(Secrets, place.namespaceName, "taken-kubeconfig");
  clock.jump(10_000);
  await untilCondition("taken", "RBACReady", "False NameTaken");
  await place.home.create(Secrets, { metadata });
  await place.home.delete(KubeconfigRequests, place.namespaceName, "taken");
  await expect.poll(() => place.get("taken")).toBeUndefined();
  expect((await place.target.get(ServiceAccounts, accessNamespace, name)).metadata.uid).toBe(account.metadata.uid);
  expect(theirs.metadata.uid).not.toBe(
    (await place.home.get(Secrets, place.namespaceName, metadata.name)).metadata.uid,
  );
});

test("rules by which one can take more are refused, and nothing is made", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition } = stage;
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  const request = await place.request("greedy", { clusterRole: { rules } });
  await untilCondition("greedy", "RulesAccepted", "False EscalatingRules");
  expect((await place.get("greedy"))?.status?.phase).toBe("Failed");
  expect(await heldFor(place.target, request)).toBe("");
  await place.change("greedy", { clusterRole: { rules: [podReader] } });
  await until("greedy", "Issued 1");
});

test("rules that are changed to refused ones end the access at once, and changed back begin it anew", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition } = stage;
  const request = await place.request("edited");
  await until("edited", "Issued 1");
  const text = await place.published("edited");
  const rules = [{ apiGroups: ["rbac.authorization.k8s.io/v1"], resources: ["RoleBinding"], verbs: ["create"] }];
  await place.change("edited", { clusterRole: { rules } });
  await until("edited", "Failed 1");
  const told = await untilCondition("edited", "RulesAccepted", "False EscalatingRules");
  const message = told.status?.conditions?.find(({ type }) => type === "RulesAccepted")?.message;
  expect(message).toContain("clusterRole.rules[0] (create rolebindings) grants the same rights to others");
  expect(message).toContain("Remove the resources and verbs in brackets");
  expect(await tried(text)).toBe("unknown");
  expect(await heldFor(place.target, request)).toBe("");
  await place.change("edited", { clusterRole: { rules: [podReader] } });
  await until("edited", "Issued 2");
  expect(await tried(await place.published("edited"))).toBe("works");
});

test("a cluster without admission policies: who would write Secrets is refused, and told what to do", async () => {
  await using stage = await openStage(world);
  const { place, operator, untilCondition } = stage;
  await place.namespace("old-cluster");
  operator.targetProxy.answer = ({ path }) =>
    path.includes("validatingadmissionpolicies")
      ? { status: 404, body: { kind: "Status", status: "Failure", reason: "NotFound", code: 404 } }
      : undefined;
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["create"] }];
  const request = await place.request("old", { role: { namespace: "old-cluster", rules } });
  const refused = await untilCondition("old", "RulesAccepted", "False EscalatingRules");
  expect(refused.status?.phase).toBe("Failed");
  const message = refused.status?.conditions?.find(({ type }) => type === "RulesAccepted")?.message;
  expect(message).toContain("upgrade it to Kubernetes 1.30 or later");
  expect(await heldFor(place.target, request)).toBe("serviceAccounts 1");
});

test("a namespace that is missing is not made; when it is there, it goes on; gone, the rest goes on", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.request("homeless", { role: { namespace: "later", rules: [podReader] } });
  await untilCondition("homeless", "RBACReady", "False NamespaceMissing");
  await expect(place.target.get(Namespaces, "", "later")).rejects.toThrow("not found");
  await place.namespace("later");
  clock.jump(10_000);
  await until("homeless", "Issued 1");
  await place.change("homeless", { role: { namespace: "never", rules: [podReader] } });
  await untilCondition("homeless", "RBACReady", "False NamespaceMissing");
  expect(await tried(await place.published("homeless"))).toBe("works");
  await place.namespace("never");
  clock.jump(10_000);
  await untilCondition("homeless", "RBACReady", "True Granted");
});

test("a namespace that went while it was issued is granted anew when it is back", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.namespace("comes-back");
  await place.request("patient", { role: { namespace: "comes-back", rules: [podReader] } });
  await until("patient", "Issued 1");
  await place.target.delete(Namespaces, "", "comes-back");
  const isGone = () => place.target.get(Namespaces, "", "comes-back").then(() => false, isNotFound);
  await expect.poll(isGone).toBe(true);
  await place.annotate("patient", "rotate", "true");
  await untilCondition("patient", "RBACReady", "False NamespaceMissing");
  await place.namespace("comes-back");
  clock.jump(60_000);
  await untilCondition("patient", "RBACReady", "True Granted");
  expect((await place.get("patient"))?.status?.epoch).toBe(2);
});

test("a token of which nobody can tell when it ends is not handed out", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  const body = { status: { token: "a.b.c", expirationTimestamp: "some day" } };
  operator.targetProxy.at({ resource: "serviceaccounts", subresource: "token", when: "before" }, () => ({
    status: 201,
    body,
  }));
  await place.request("endless");
  await untilCondition("endless", "TargetReachable", "False TargetFailing");
  clock.jump(10_000);
  await until("endless", "Issued 1");
});

test("a token that the cluster does not accept is not handed out", { timeout: 60_000 }, async () => {
  await using stage = await openStage(world);
  const { place, untilCondition } = stage;
  await place.request("elsewhere", { audiences: ["somebody-else"] });
  const { status } = await untilCondition("elsewhere", "Issued", "False Waiting").then(() =>
    untilCondition("elsewhere", "Issued", "False TokenRefused"),
  );
  expect([status?.phase, status?.epoch, status?.secretRef]).toEqual(["Pending", undefined, undefined]);
});

test("without the right to write Secrets it says so, and can be put in the status", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator } = stage;
  operator.proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  await place.request("poor");
  await untilCondition("poor", "Issued", "False SecretsForbidden");
  await place.change("poor", { output: "Status" });
  await until("poor", "Issued 1");
  await place.home.delete(KubeconfigRequests, place.namespaceName, "poor");
  await expect.poll(() => place.get("poor")).toBeUndefined();
});

test("one whose copy lags takes nothing away that another has published", async () => {
  await using stage = await openStage(world);
  const { place, until, clock, operator } = stage;
  await place.request("contested", { expiration: 600, output: "Status" });
  await until("contested", "Issued 1");
  // It hears of nothing any more, and has no way to look again.
  operator.proxy.freezeWatches();
  operator.proxy.answer = ({ resource, name }) =>
    resource === "kubeconfigrequests" && name === "" ? "hang" : undefined;
  const other = await place.start({ clock });
  await place.annotate("contested", "rotate", "true");
  await until("contested", "Rotating 2");
  await other.stop();
  const text = await place.published("contested");
  clock.jump(481_000);
  await expect.poll(async () => (await place.get("contested"))?.status?.epoch).toBe(3);
  expect(await tried(text)).toBe("works");
});
