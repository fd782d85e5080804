import { isNotFound } from "@berg/apimachinery";
import { Secrets } from "@berg/kube";
import { Clusters, KubeconfigRequests } from "@berg/resources";
import { expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { annotations } from "../vocabulary.ts";
import { embeddedPlace } from "./testing/embedded.ts";
import { hibernated, type Place, podReader } from "./testing/place.ts";
import { conditionOf, openStage, type Stage } from "./testing/stage.ts";
import { heldFor, tried } from "./testing/tried.ts";
import { whileTesting } from "./testing/while-testing.ts";

const world = whileTesting(embeddedPlace);

async function issued({ place, until }: Stage, name: string) {
  const request = await place.request(name, { role: { namespace: "default", rules: [podReader] } });
  await until(name, "Issued 1");
  return { request, text: await place.published(name) };
}

const isWithdrawn = (place: Place, name: string) =>
  place.home.get(Secrets, place.namespaceName, `${name}-kubeconfig`).then(() => false, isNotFound);

test("revoked: nothing is left, nothing is issued; lifted: it starts afresh, and what was stays dead", async () => {
  await using stage = await openStage(world);
  const { place, until, clock } = stage;
  const { request, text } = await issued(stage, "one");
  await place.annotate("one", "revoke", "true");
  const revoked = await until("one", "Revoked 1");
  expect(conditionOf(revoked, "Revoked")).toBe("True Revoked");
  expect([await tried(text), await heldFor(place.target, request), await isWithdrawn(place, "one")]).toEqual([
    "unknown",
    "",
    true,
  ]);
  await place.annotate("one", "rotate", "true");
  clock.jump(7_200_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await place.get("one"))?.status?.phase).toBe("Revoked");
  await place.annotate("one", "revoke", "false");
  const lifted = await until("one", "Issued 2");
  expect(conditionOf(lifted, "Revoked")).toBe("none");
  expect([await tried(text), await tried(await place.published("one"))]).toEqual(["unknown", "works"]);
});

test("revoke-all on a Cluster, and its deletion, revoke every request of it", async () => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  const names = ["a", "b"];
  const texts = await Promise.all(names.map(async (name) => (await issued(stage, name)).text));
  await place.touchCluster(annotations.revokeAll, "true", "annotations");
  for (const name of names) await until(name, "Revoked 1");
  expect(await Promise.all(texts.map(tried))).toEqual(["unknown", "unknown"]);
  await place.touchCluster(annotations.revokeAll, null, "annotations");
  for (const name of names) await until(name, "Issued 2");
  await place.touchCluster("finalizers", ["example.com/hold"], "metadata");
  await place.home.delete(Clusters, place.namespaceName, "one");
  for (const name of names) await until(name, "Revoked 2");
});

test("with the Cluster gone there is nothing to revoke, nothing to hand out, and nothing to wait for", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator } = stage;
  await issued(stage, "left");
  operator.targetProxy.answer = () => "reset";
  await place.home.delete(Clusters, place.namespaceName, "one");
  await untilCondition("left", "TargetReachable", "False ClusterNotFound");
  expect(await isWithdrawn(place, "left")).toBe(true);
  await place.home.delete(KubeconfigRequests, place.namespaceName, "left");
  await expect.poll(() => place.get("left")).toBeUndefined();
  await expect.poll(() => place.eventsOf("left")).toContain("OrphanedAccessObjects");
});

test("with the Cluster gone, what was issued counts as revoked when it has expired: the cluster may live on", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, clock } = stage;
  const { text } = await issued(stage, "outlives");
  await place.home.delete(Clusters, place.namespaceName, "one");
  await untilCondition("outlives", "Issued", "False ClusterGone");
  await place.annotate("outlives", "revoke", "true");
  await untilCondition("outlives", "Revoked", "False ClusterGone");
  expect([await isWithdrawn(place, "outlives"), await tried(text)]).toEqual([true, "works"]);
  clock.jump(3_700_000);
  await untilCondition("outlives", "Revoked", "True ClusterGone");
});

test("a namespace that goes has taken our right to Secrets: its requests go all the same", async () => {
  await using stage = await openStage(world);
  const { place, operator } = stage;
  const { request, text } = await issued(stage, "homeless");
  operator.proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  await place.home.delete(KubeconfigRequests, place.namespaceName, "homeless");
  await expect.poll(() => place.get("homeless")).toBeUndefined();
  expect([await tried(text), await heldFor(place.target, request)]).toEqual(["unknown", ""]);
});

test.each(["get", "delete"])("where we may not %s the Secret it says so, with the fix, until we may", async (verb) => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator, clock } = stage;
  const { text } = await issued(stage, "stays");
  operator.proxy.answer = (asked) => (asked.resource === "secrets" && asked.verb === verb ? forbidden : undefined);
  await place.annotate("stays", "revoke", "true");
  const told = await untilCondition("stays", "Revoked", "False SecretsForbidden");
  expect([told.status?.phase, told.status?.secretRef?.name, await tried(text)]).toEqual([
    "Revoking",
    "stays-kubeconfig",
    "unknown",
  ]);
  expect(JSON.stringify(told.status?.conditions)).toContain("berg-clusters-kubeconfig-secrets");
  clock.jump(10_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await place.get("stays"))?.metadata.resourceVersion).toBe(told.metadata.resourceVersion);
  operator.proxy.answer = () => undefined;
  clock.jump(120_000);
  await untilCondition("stays", "Revoked", "True Revoked");
  expect(await isWithdrawn(place, "stays")).toBe(true);
});

test("lifted while its Secret could not be taken away: what is in it is dead, and there is a new one", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator } = stage;
  const { text } = await issued(stage, "lifted");
  operator.proxy.answer = ({ resource, verb }) => (resource === "secrets" && verb === "delete" ? forbidden : undefined);
  await place.annotate("lifted", "revoke", "true");
  await untilCondition("lifted", "Revoked", "False SecretsForbidden");
  await place.annotate("lifted", "revoke", "false");
  const lifted = await until("lifted", "Issued 2");
  expect(conditionOf(lifted, "Revoked")).toBe("none");
  expect([await tried(text), await tried(await place.published("lifted"))]).toEqual(["unknown", "works"]);
});

test("without a Cluster it says so as well where we may not delete the Secret, until we may", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator, clock } = stage;
  await issued(stage, "lost");
  operator.proxy.answer = ({ resource, verb }) => (resource === "secrets" && verb === "delete" ? forbidden : undefined);
  await place.home.delete(Clusters, place.namespaceName, "one");
  const told = await untilCondition("lost", "Issued", "False SecretsForbidden");
  expect(told.status?.secretRef?.name).toBe("lost-kubeconfig");
  operator.proxy.answer = () => undefined;
  clock.jump(60_000);
  await untilCondition("lost", "Issued", "False ClusterGone");
  expect(await isWithdrawn(place, "lost")).toBe(true);
});

test("a target that does not answer as an API server keeps nobody from taking the copy away", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator, clock } = stage;
  await issued(stage, "nonsense");
  operator.targetProxy.answer = () => ({ status: 200, body: {} });
  await place.annotate("nonsense", "revoke", "true");
  const revoking = await untilCondition("nonsense", "Revoked", "False TargetFailing");
  expect([conditionOf(revoking, "TargetReachable"), await isWithdrawn(place, "nonsense")]).toEqual([
    "False TargetFailing",
    true,
  ]);
  operator.targetProxy.answer = () => undefined;
  clock.jump(10_000);
  await untilCondition("nonsense", "Revoked", "True Revoked");
});

test("the way into a target is kept for the next revocation, unless the target does not know us any more", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator } = stage;
  for (const name of ["a", "b", "c"]) await issued(stage, name);
  for (const name of ["a", "b"]) {
    await place.annotate(name, "revoke", "true");
    await until(name, "Revoked 1");
  }
  expect(operator.forgotten).toBe(0);
  operator.targetProxy.answer = () => ({ status: 401 });
  await place.annotate("c", "revoke", "true");
  await untilCondition("c", "Revoked", "False TargetUnauthorized");
  expect(operator.forgotten).toBe(1);
});

test("deleted: nothing of it is left, in the target and beside it", async () => {
  await using stage = await openStage(world);
  const { place } = stage;
  const { request, text } = await issued(stage, "deleted");
  await place.home.delete(KubeconfigRequests, place.namespaceName, "deleted");
  await expect.poll(() => place.get("deleted")).toBeUndefined();
  expect([await tried(text), await heldFor(place.target, request), await isWithdrawn(place, "deleted")]).toEqual([
    "unknown",
    "",
    true,
  ]);
});

test("while the cluster sleeps the copy goes at once, and the rest when it wakes; nobody knocks meanwhile", async () => {
  await using stage = await openStage(world);
  const { place, until, operator, clock } = stage;
  const { request, text } = await issued(stage, "asleep");
  place.door.shut = hibernated();
  await place.annotate("asleep", "revoke", "true");
  const waiting = await until("asleep", "Revoking 1");
  expect([conditionOf(waiting, "Revoked"), conditionOf(waiting, "TargetReachable")]).toEqual([
    "False Hibernated",
    "False Hibernated",
  ]);
  expect(await isWithdrawn(place, "asleep")).toBe(true);
  const { opened } = operator;
  clock.jump(500_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(operator.opened).toBe(opened);
  place.door.shut = undefined;
  await place.touchCluster("apiServerURL", "https://awake.example", "status");
  await until("asleep", "Revoked 1");
  expect([await tried(text), await heldFor(place.target, request)]).toEqual(["unknown", ""]);
});

test("out of reach until everything has expired, it is as good as revoked, and cleaned up when that can be done", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  const { request } = await issued(stage, "far");
  operator.targetProxy.answer = () => "reset";
  await place.annotate("far", "revoke", "true");
  await untilCondition("far", "Revoked", "False TargetUnreachable");
  clock.jump(3_700_000);
  await untilCondition("far", "Revoked", "True Expired");
  expect(await heldFor(place.target, request)).not.toBe("");
  operator.targetProxy.answer = () => undefined;
  clock.jump(121_000);
  await untilCondition("far", "Revoked", "True Revoked");
  await until("far", "Revoked 1");
  expect(await heldFor(place.target, request)).toBe("");
});

test("a target that never answers keeps nobody from taking the copy away", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator, clock } = stage;
  await issued(stage, "silent");
  operator.targetProxy.answer = () => "hang";
  const seen = operator.targetProxy.requests.length;
  await place.annotate("silent", "revoke", "true");
  await expect.poll(() => operator.targetProxy.requests.length).toBeGreaterThan(seen);
  clock.jump(30_000);
  await untilCondition("silent", "Revoked", "False TargetUnreachable");
  expect(await isWithdrawn(place, "silent")).toBe(true);
});

test("deleted and out of reach: it goes when what was issued is dead, after an hour at least, and says what it leaves", async () => {
  await using stage = await openStage(world);
  const { place, untilCondition, operator, clock } = stage;
  await issued(stage, "orphan");
  operator.targetProxy.answer = () => "reset";
  await place.home.delete(KubeconfigRequests, place.namespaceName, "orphan");
  await untilCondition("orphan", "Revoked", "False TargetUnreachable");
  clock.jump(3_500_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await place.get("orphan")).toBeDefined();
  clock.jump(300_000);
  await expect.poll(() => place.get("orphan")).toBeUndefined();
  await expect.poll(() => place.eventsOf("orphan")).toContain("OrphanedAccessObjects");
});
