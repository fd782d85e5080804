/** The Secret that was published, and what others do to it. */

import { setTimeout as delay } from "node:timers/promises";
import { Secrets } from "@berg/kube";
import { expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { embeddedPlace } from "./testing/embedded.ts";
import type { Place } from "./testing/place.ts";
import { conditionOf, openStage } from "./testing/stage.ts";
import { tried } from "./testing/tried.ts";
import { whileTesting } from "./testing/while-testing.ts";

/** So that no rotation falls due meanwhile. */
const long = { expiration: 86_400 };

const world = whileTesting(embeddedPlace);

const remove = (place: Place, name: string) =>
  place.home.delete(Secrets, place.namespaceName, `${name}-kubeconfig`) as Promise<unknown>;
const change = (body: object) => (place: Place, name: string) =>
  place.home.patch(Secrets, place.namespaceName, `${name}-kubeconfig`, { type: "merge", body }) as Promise<unknown>;

const annotated = (name: string, value: string | null) => ({
  metadata: { annotations: { [`operator.kyma-project.io/${name}`]: value } },
});
const numbered = (epoch: string | null) => annotated("epoch", epoch);

test.each([
  ["deleted", remove],
  ["changed", change({ data: { kubeconfig: Buffer.from("mine").toString("base64") } })],
  ["emptied", change({ data: null })],
  ["taken away from its request", change({ metadata: { ownerReferences: null } })],
  ["rid of what it says", change(numbered(null))],
  ["given a number that is none of ours", change(numbered("9999999999999999"))],
  ["given the highest number", change(numbered("999999999999999"))],
  ["given more words than there is room for", change(annotated("server", "x".repeat(3000)))],
  ["made immutable, and then changed", change({ immutable: true, metadata: { ownerReferences: null } })],
])("one that somebody has %s is put right at once", async (_, spoil) => {
  await using stage = await openStage(world);
  const { place, until } = stage;
  const request = await place.request("lost", long);
  await until("lost", "Issued 1");
  await spoil(place, "lost");
  await until("lost", "Issued 2");
  const secret = await place.home.get(Secrets, place.namespaceName, "lost-kubeconfig");
  expect(secret.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([request.metadata.uid]);
  expect(await tried(await place.published("lost"))).toBe("works");
});

test("whoever deletes it again and again gets a new one ever more rarely", async () => {
  await using stage = await openStage(world);
  const { place, until, clock } = stage;
  await place.request("fought", long);
  await until("fought", "Issued 1");
  await remove(place, "fought");
  await until("fought", "Issued 2");
  for (const [epoch, seconds] of [
    [3, 10],
    [4, 20],
  ] as const) {
    await remove(place, "fought");
    await delay(300);
    expect((await place.get("fought"))?.status?.epoch).toBe(epoch - 1);
    clock.jump(seconds * 1000);
    await until("fought", `Issued ${epoch}`);
  }
});

test("one that is as it was costs no request, for half an hour and whatever is looked at", async () => {
  await using stage = await openStage(world);
  const { place, until, operator, clock } = stage;
  await place.request("idle", long);
  await until("idle", "Issued 1");
  await expect.poll(() => place.eventsOf("idle")).toHaveLength(1);
  const isOfWatch = ({ verb }: { verb: string }) => verb === "watch" || verb === "list";
  const asked = () => {
    const requests = [...operator.proxy.requests, ...operator.targetProxy.requests];
    return requests.filter((request) => !isOfWatch(request)).length + operator.opened;
  };
  const before = asked();
  for (let turn = 0; turn < 3; turn++) {
    clock.jump(600_000);
    await place.touchCluster("any", String(turn));
    await delay(300);
  }
  await change({ metadata: { labels: { "their.example/label": "x" } } })(place, "idle");
  await delay(300);
  expect(asked()).toBe(before);
});

test("who may not watch Secrets works on and says so; with the right, what was lost meanwhile is put back", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  operator.proxy.answer = ({ resource, verb }) =>
    resource === "secrets" && ["list", "watch"].includes(verb) ? forbidden : undefined;
  await place.request("blind", long);
  await until("blind", "Issued 1");
  await delay(100);
  clock.jump(60_000);
  const told = await untilCondition("blind", "Issued", "True SecretsForbidden");
  expect(told.status?.phase).toBe("Issued");
  await remove(place, "blind");
  operator.proxy.answer = () => undefined;
  clock.jump(30_000);
  const again = await until("blind", "Issued 2");
  expect(conditionOf(again, "Issued")).toBe("True Issued");
});

test("who may not read Secrets at all goes on when the right comes", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  operator.proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  await place.request("poor", long);
  await untilCondition("poor", "Issued", "False SecretsForbidden");
  operator.proxy.answer = () => undefined;
  clock.jump(30_000);
  await until("poor", "Issued 1");
});

test("one that the server does not take is said with its answer, and the target is left alone meanwhile", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, operator, clock } = stage;
  const body = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: "a secret",
  };
  operator.proxy.answer = ({ resource, verb }) =>
    resource === "secrets" && verb === "create" ? { status: 422, body } : undefined;
  await place.request("refused", long);
  const { status } = await untilCondition("refused", "Issued", "False SecretRefused");
  const message = status?.conditions?.find(({ type }) => type === "Issued")?.message;
  expect([message?.includes("422 Invalid"), message?.includes("a secret")]).toEqual([true, false]);
  const minted = () => operator.targetProxy.requests.filter(({ subresource }) => subresource === "token").length;
  const before = minted();
  await place.touchCluster("any", "x");
  await delay(300);
  expect(minted()).toBe(before);
  operator.proxy.answer = () => undefined;
  clock.jump(10_000);
  await until("refused", "Issued 1");
});
