/** A kubeconfig that was published, and of which the status does not tell: the write that was to follow was refused. */
import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "@berg/apimachinery";
import { Secrets } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import * as statuses from "./status/status.ts";
import { embeddedPlaceOfTwo } from "./testing/embedded.ts";
import { at, issuedStatus, makeRequest, now } from "./testing/make-seen.ts";
import { hibernated, type Place } from "./testing/place.ts";
import { conditionOf, openStage, type Stage } from "./testing/stage.ts";
import { tried } from "./testing/tried.ts";
import { whileTesting } from "./testing/while-testing.ts";

const world = whileTesting(embeddedPlaceOfTwo);

/** Just before the status is written, the `nth` time from now. Returns what is published then. */
function beforeStatus({ place, operator }: Stage, name: string, nth: number, meanwhile: () => Promise<unknown>) {
  return new Promise<string>((resolve, reject) => {
    const point = { resource: "kubeconfigrequests", subresource: "status", nth, when: "before" } as const;
    operator.proxy.at(point, async () => {
      const secret = place.home.get(Secrets, place.namespaceName, `${name}-kubeconfig`);
      await secret.then(({ data }) => resolve(Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8")), reject);
      await meanwhile();
      return undefined;
    });
  });
}

test.each([
  ["revoked", (place: Place, name: string) => place.annotate(name, "revoke", "true")],
  ["deleted", (place: Place, name: string) => place.home.delete(KubeconfigRequests, place.namespaceName, name)],
] as const)("%s at that moment, with the target away: it counts until it expires", async (name, end) => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.request(name, { expiration: 7200 });
  await until(name, "Issued 1");
  const text = beforeStatus(stage, name, 1, async () => {
    place.door.shut = hibernated();
    await end(place, name);
  });
  clock.jump(5_761_000);
  await text;
  const waiting = await untilCondition(name, "Revoked", "False Hibernated");
  expect(waiting.status?.retiring).toMatchObject([{ epoch: 2 }]);
  // By now the one before has expired, and after a deletion an hour has gone by.
  clock.jump(4_000_000);
  await delay(300);
  const still = await place.get(name);
  expect([still && conditionOf(still, "Revoked"), await tried(await text)]).toEqual(["False Hibernated", "works"]);
  clock.jump(3_300_000);
  const isOver = async () => {
    const over = await place.get(name);
    return !over || conditionOf(over, "Revoked") === "True Expired";
  };
  await expect.poll(isOver).toBe(true);
});

test("revoked, lifted and revoked again at that moment, with the target away: it is withdrawn, and counts", async () => {
  await using stage = await openStage(world);
  const { place, until, operator } = stage;
  await place.request("again");
  await until("again", "Issued 1");
  operator.targetProxy.answer = () => forbidden;
  await place.annotate("again", "revoke", "true");
  await until("again", "Revoking 1");
  operator.proxy.at({ resource: "secrets", verb: "create", when: "after" }, async () => {
    place.door.shut = hibernated();
    await place.annotate("again", "revoke", "true");
    return undefined;
  });
  operator.targetProxy.answer = () => undefined;
  await place.annotate("again", "revoke", "false");
  const epochs = async () => (await place.get("again"))?.status?.retiring?.map(({ epoch }) => epoch);
  await expect.poll(epochs).toEqual([2]);
  const isGone = () => place.home.get(Secrets, place.namespaceName, "again-kubeconfig").then(() => false, isNotFound);
  await expect.poll(isGone).toBe(true);
});

test.each([
  ["as before", "Secret"],
  ["in the status", "Status"],
] as const)("the first one, and the next is for another cluster, %s: it is known where it works", async (_, output) => {
  await using stage = await openStage(world);
  const { place, until, untilCondition } = stage;
  const text = beforeStatus(stage, "first", 2, async () => {
    place.door.isTurned = true;
    await place.change("first", { output, expiration: 4000 });
  });
  await place.request("first");
  const { status } = await until("first", "Issued 2");
  const [former] = status?.retiring ?? [];
  expect([former?.epoch, (await text).includes(former?.server ?? "?")]).toEqual([1, true]);
  await place.annotate("first", "revoke", "true");
  await untilCondition("first", "Revoked", "False TargetChanged");
  expect(await tried(await text)).toBe("works");
});

test("what the status tells of, what has expired, and more than anybody can ask for", () => {
  const place = { server: "https://one.example", serviceAccountUid: "account-uid", certificateAuthorityHash: "x" };
  const untold = (epoch: number, seconds: number) => {
    const life = { issuedAt: now, expiresAt: now + seconds * 1000 };
    const issue = { epoch, life, ...place, credentialHash: "x", anchorUid: "x", answersRotation: false };
    const status = issuedStatus(0, { epoch: 5, retiring: [{ epoch: 6, until: at(60) }] });
    return statuses.untold(makeRequest({ status }), issue, now);
  };
  expect([untold(5, 3600), untold(6, 3600), untold(7, 0)]).toEqual([undefined, undefined, undefined]);
  expect(untold(7, 3600)).toEqual({ epoch: 7, until: at(3660), expirationTimestamp: at(3600), ...place });
  expect(untold(7, 1_000_000_000)?.expirationTimestamp).toBe(at(86_460));
});
