import { isNotFound } from "@berg/apimachinery";
import { createClient, Secrets, ServiceAccounts, unlimited } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { describe, expect, onTestFinished, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { accessNamespace } from "../vocabulary.ts";
import { isLeft, reachedBy, serversOf } from "./elsewhere.ts";
import { accessName, type Request, shortHash } from "./names.ts";
import { embeddedPlaceOfTwo } from "./testing/embedded.ts";
import { at, issuedStatus, makeRequest, makeSeen } from "./testing/make-seen.ts";
import type { Place } from "./testing/place.ts";
import { conditionOf, openStage, type Stage } from "./testing/stage.ts";
import { heldFor, tried } from "./testing/tried.ts";
import { whileTesting } from "./testing/while-testing.ts";

describe("which cluster was reached", () => {
  const here = { server: "https://here.example", certificateAuthority: "ca" };
  const there = { server: "https://there.example", certificateAuthority: "ca" };
  const status = issuedStatus(0, { server: here.server, certificateAuthorityHash: shortHash("ca") });
  // Of a Shoot, too: a Cluster of the same name may be another one by now.
  const seen = makeSeen({ request: makeRequest({ status }) });

  /** A UID; `gone`: all of it but the account; undefined: nothing. */
  const foundAs = (found: string | undefined) =>
    found === "gone" ? { accountUid: undefined, hasMore: true } : { accountUid: found, hasMore: found !== undefined };

  test.each([
    ["as it was", here, "account-uid", "same"],
    ["as it was, and only the account is gone", here, "gone", "same"],
    ["as it was, and nothing of the request is there", here, undefined, "other"],
    ["as it was, with another account", here, "their-uid", "other"],
    ["another address, the same account", there, "account-uid", "moved"],
    ["other keys, the same account", { ...here, certificateAuthority: "new" }, "account-uid", "moved"],
    ["another address, no account", there, undefined, "other"],
    ["another address, and only the account is gone", there, "gone", "other"],
    ["other keys, another account", { ...here, certificateAuthority: "new" }, "their-uid", "other"],
  ] as const)("%s", (_, place, found, want) => {
    expect(reachedBy(seen, place, foundAs(found)).is).toBe(want);
  });

  test("before anything was issued there is nothing to compare", () => {
    expect(reachedBy({ ...seen, request: makeRequest() }, there, foundAs(undefined)).is).toBe("same");
  });

  const former = { epoch: 1, until: at(3600), server: here.server };
  const theirs = { ...former, serviceAccountUid: "their-uid", certificateAuthorityHash: shortHash("their ca") };
  const ours = { ...former, serviceAccountUid: "account-uid", certificateAuthorityHash: shortHash("ca") };
  test.each([
    ["where the newest is", ours, here, "account-uid", false],
    ["where the newest is, and only the account is gone", ours, here, "gone", false],
    ["where the newest was, and nothing of the request is there", ours, here, undefined, true],
    ["where the newest was, with another account", ours, here, "their-uid", true],
    ["where the newest is, which has moved", ours, there, "account-uid", false],
    ["where the newest is, and another was reached", ours, there, undefined, true],
    ["it does not say where, and another was reached", former, there, undefined, true],
    ["behind the same address, before", theirs, here, "account-uid", true],
    [
      "behind the same address, which leads there again",
      theirs,
      { ...here, certificateAuthority: "x" },
      "their-uid",
      false,
    ],
    ["there, and its account is cut off already", theirs, { ...here, certificateAuthority: "their ca" }, "gone", false],
    [
      "there, as far as the address tells, and nothing of the request is",
      theirs,
      { ...here, certificateAuthority: "their ca" },
      undefined,
      true,
    ],
  ] as const)("one that was replaced is left behind or not: %s", (_, each, place, found, want) => {
    expect(isLeft(each, reachedBy(seen, place, foundAs(found)))).toBe(want);
  });

  test("where those work that are left is told once", () => {
    const retiring = [theirs, { ...theirs, server: there.server }];
    expect(serversOf({ ...status, retiring })).toEqual([here.server, there.server]);
  });
});

describe("a Cluster leads to another cluster", () => {
  const world = whileTesting(embeddedPlaceOfTwo);

  async function issued({ place, until }: Stage, name: string) {
    const request = await place.request(name);
    const { status } = await until(name, "Issued 1");
    return { request, text: await place.published(name), server: status?.server ?? "" };
  }
  const isWithdrawn = (place: Place, name: string) =>
    place.home.get(Secrets, place.namespaceName, `${name}-kubeconfig`).then(() => false, isNotFound);
  /** The Cluster operator has seen it, too. */
  const turn = (place: Place, isTurned: boolean) => {
    place.door.isTurned = isTurned;
    return place.touchCluster("apiServerURL", isTurned ? "https://second.example" : "https://first.example", "status");
  };
  const told = ({ status }: Request) => status?.conditions?.find(({ type }) => type === "Revoked")?.message;

  test("revoked then, it says where it works on; put back, it is cut off at once", async () => {
    await using stage = await openStage(world);
    const { place, untilCondition } = stage;
    const { request, text, server } = await issued(stage, "turned");
    place.door.isTurned = true;
    await place.annotate("turned", "revoke", "true");
    const waiting = await untilCondition("turned", "Revoked", "False TargetChanged");
    expect([waiting.status?.phase, await isWithdrawn(place, "turned"), await tried(text)]).toEqual([
      "Revoking",
      true,
      "works",
    ]);
    expect(told(waiting)).toContain(server);
    await turn(place, false);
    await untilCondition("turned", "Revoked", "True Revoked");
    expect([await tried(text), await heldFor(place.target, request)]).toEqual(["unknown", ""]);
  });

  test("revoked then, and not put back: it counts until it expires", async () => {
    await using stage = await openStage(world);
    const { place, untilCondition, clock, operator } = stage;
    const { server } = await issued(stage, "lasting");
    place.door.isTurned = true;
    await place.annotate("lasting", "revoke", "true");
    await untilCondition("lasting", "Revoked", "False TargetChanged");
    const { opened } = operator;
    clock.jump(500_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(operator.opened).toBe(opened);
    clock.jump(3_200_000);
    await untilCondition("lasting", "Revoked", "True Expired");
    await expect.poll(async () => (await place.get("lasting"))?.status?.serviceAccount).toBeUndefined();
    const over = await untilCondition("lasting", "Revoked", "True Expired");
    expect([over.status?.phase, told(over)]).toEqual(["Revoked", expect.stringContaining(server)]);
    await expect.poll(() => place.eventsOf("lasting")).toContain("OrphanedAccessObjects");
  });

  test("the next is for the new one; those before count until they expire, whatever is asked for", async () => {
    await using stage = await openStage(world);
    const { place, until, untilCondition, clock } = stage;
    const { request, text: first, server } = await issued(stage, "followed");
    const second = createClient({ connection: world().second, rate: unlimited });
    onTestFinished(() => second.close());
    await turn(place, true);
    clock.jump(61_000);
    const { status } = await until("followed", "Issued 2");
    expect(status?.retiring).toMatchObject([{ epoch: 1, server }]);
    const next = await place.published("followed");
    expect([await tried(first), await tried(next)]).toEqual(["works", "works"]);
    await place.annotate("followed", "rotate", "true");
    await until("followed", "Rotating 3");
    clock.jump(30_000);
    const epochs = async () => (await place.get("followed"))?.status?.retiring?.map(({ epoch }) => epoch);
    await expect.poll(epochs).toEqual([1]);
    expect([await tried(first), await tried(next)]).toEqual(["works", "unknown"]);
    await place.annotate("followed", "revoke", "true");
    const waiting = await untilCondition("followed", "Revoked", "False TargetChanged");
    expect([told(waiting)?.includes(server), await heldFor(second, request)]).toEqual([true, ""]);
    await turn(place, false);
    await untilCondition("followed", "Revoked", "True Revoked");
    expect([await tried(first), await heldFor(place.target, request)]).toEqual(["unknown", ""]);
  });

  test("another cluster behind the same address is another one", async () => {
    await using stage = await openStage(world);
    const { place, until, untilCondition, clock } = stage;
    const { text, server } = await issued(stage, "shared");
    place.door.address = server;
    await turn(place, true);
    clock.jump(61_000);
    const { status } = await until("shared", "Issued 2");
    expect([status?.server, status?.retiring?.map(({ epoch }) => epoch)]).toEqual([server, [1]]);
    await place.annotate("shared", "rotate", "true");
    await until("shared", "Rotating 3");
    clock.jump(30_000);
    await expect.poll(async () => (await place.get("shared"))?.status?.retiring).toMatchObject([{ epoch: 1 }]);
    await place.annotate("shared", "revoke", "true");
    const waiting = await untilCondition("shared", "Revoked", "False TargetChanged");
    expect([told(waiting)?.includes(server), await tried(text)]).toEqual([true, "works"]);
    delete place.door.address;
    await turn(place, false);
    await untilCondition("shared", "Revoked", "True Revoked");
    expect(await tried(text)).toBe("unknown");
  });

  describe("behind the same address, with the same keys", () => {
    /** As where a name leads to another cluster from one moment to the next. */
    const swap = ({ door }: Place, server: string) =>
      Object.assign(door, { address: server, hasSameKeys: true, isTurned: true });
    /** Something to look at it again for: the Cluster operator has seen nothing. */
    const swapBack = (place: Place) => {
      Object.assign(place.door, { isTurned: false });
      return place.touchCluster("apiServerURL", "https://back.example", "status");
    };

    test("revoked then, it says where it works on; put back, it is cut off at once", async () => {
      await using stage = await openStage(world);
      const { place, untilCondition } = stage;
      const { request, text, server } = await issued(stage, "swapped");
      swap(place, server);
      await place.annotate("swapped", "revoke", "true");
      const waiting = await untilCondition("swapped", "Revoked", "False TargetChanged");
      expect([told(waiting)?.includes(server), await tried(text)]).toEqual([true, "works"]);
      await swapBack(place);
      await untilCondition("swapped", "Revoked", "True Revoked");
      expect([await tried(text), await heldFor(place.target, request)]).toEqual(["unknown", ""]);
    });

    test("rotated then, the one before counts until it expires, also for whoever looks again", async () => {
      await using stage = await openStage(world);
      const { place, until, untilCondition, clock, operator } = stage;
      const { text, server } = await issued(stage, "followed");
      swap(place, server);
      await place.annotate("followed", "rotate", "true");
      const { status } = await until("followed", "Rotating 2");
      const [former] = status?.retiring ?? [];
      expect(Date.parse(former?.until ?? "")).toBeGreaterThan(Date.parse(former?.expirationTimestamp ?? ""));
      clock.jump(30_000);
      await place.annotate("followed", "revoke", "true");
      await untilCondition("followed", "Revoked", "False TargetChanged");
      await operator.stop();
      await using again = await place.start({ clock });
      await expect.poll(() => again.opened).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const waiting = await untilCondition("followed", "Revoked", "False TargetChanged");
      expect([waiting.status?.retiring?.map(({ epoch }) => epoch), await tried(text)]).toEqual([[1], "works"]);
      await swapBack(place);
      await untilCondition("followed", "Revoked", "True Revoked");
      expect(await tried(text)).toBe("unknown");
    });

    test("one that was to be made useless meanwhile is not said to be", async () => {
      await using stage = await openStage(world);
      const { place, until, clock } = stage;
      const { text, server } = await issued(stage, "kept");
      await place.annotate("kept", "rotate", "true");
      const { status } = await until("kept", "Rotating 2");
      swap(place, server);
      clock.jump(30_000);
      const former = async () => (await place.get("kept"))?.status?.retiring?.[0];
      await expect.poll(async () => (await former())?.until).not.toBe(status?.retiring?.[0]?.until);
      const { until: end = "", expirationTimestamp = "" } = (await former()) ?? {};
      expect(Date.parse(end)).toBeGreaterThan(Date.parse(expirationTimestamp));
      expect(await tried(text)).toBe("works");
    });
  });

  test("its account deleted by hand, it is revoked there at once all the same", async () => {
    await using stage = await openStage(world);
    const { place, until, untilCondition } = stage;
    const { request } = await issued(stage, "by-hand");
    const removeAccount = () => place.target.delete(ServiceAccounts, accessNamespace, accessName(request));
    await removeAccount();
    await place.annotate("by-hand", "rotate", "true");
    await until("by-hand", "Rotating 2");
    const text = await place.published("by-hand");
    await removeAccount();
    await place.annotate("by-hand", "revoke", "true");
    const over = await untilCondition("by-hand", "Revoked", "True Revoked");
    expect([over.status?.retiring, await tried(text), await heldFor(place.target, request)]).toEqual([
      undefined,
      "unknown",
      "",
    ]);
  });

  /** Just when all objects are gone there, nothing can be written here. */
  async function interrupt({ place, operator, clock }: Stage, request: Request): Promise<void> {
    operator.targetProxy.at({ resource: "clusterroles", verb: "delete", when: "after" }, () => {
      operator.proxy.answer = ({ subresource }) => (subresource === "status" ? forbidden : undefined);
      return undefined;
    });
    await place.annotate(request.metadata.name, "revoke", "true");
    await expect.poll(() => heldFor(place.target, request)).toBe("");
    await new Promise((resolve) => setTimeout(resolve, 300));
    operator.proxy.answer = () => undefined;
    clock.jump(600_000);
  }

  test("interrupted when nothing was left to be seen there, a revocation comes to its end", async () => {
    await using stage = await openStage(world);
    const { request } = await issued(stage, "interrupted");
    await interrupt(stage, request);
    await stage.untilCondition("interrupted", "Revoked", "True Revoked");
  });

  test("the same where another one is left: that alone is told of, and cut off when it is put back", async () => {
    await using stage = await openStage(world);
    const { place, until, untilCondition, clock } = stage;
    place.door.isTurned = true;
    const { request, text } = await issued(stage, "both");
    await turn(place, false);
    clock.jump(61_000);
    await until("both", "Issued 2");
    await interrupt(stage, request);
    await untilCondition("both", "Revoked", "False TargetChanged");
    expect(await tried(text)).toBe("works");
    await turn(place, true);
    await untilCondition("both", "Revoked", "True Revoked");
    expect(await tried(text)).toBe("unknown");
  });

  test("built anew at the same address, it has other keys, and gets a kubeconfig that works", async () => {
    await using stage = await openStage(world);
    const { place, until, clock } = stage;
    await issued(stage, "rebuilt");
    place.door.isTurned = true;
    await place.touchCluster("certificateAuthorityHash", "other", "status");
    clock.jump(61_000);
    await until("rebuilt", "Issued 2");
    const text = await place.published("rebuilt");
    expect([await tried(text), text.includes(world().second.server)]).toEqual(["works", true]);
  });

  test("one that was to be made useless meanwhile is not said to be", async () => {
    await using stage = await openStage(world);
    const { place, until, clock } = stage;
    const { text } = await issued(stage, "kept");
    await place.annotate("kept", "rotate", "true");
    const { status } = await until("kept", "Rotating 2");
    place.door.isTurned = true;
    clock.jump(30_000);
    const former = async () => (await place.get("kept"))?.status?.retiring?.[0];
    await expect.poll(async () => (await former())?.until).not.toBe(status?.retiring?.[0]?.until);
    const { until: end = "", expirationTimestamp = "" } = (await former()) ?? {};
    expect(Date.parse(end)).toBeGreaterThan(Date.parse(expirationTimestamp));
    expect([(await place.get("kept"))?.status?.phase, await tried(text)]).toEqual(["Rotating", "works"]);
  });

  test("the same cluster at another address is no other: what was issued is cut off there", async () => {
    await using stage = await openStage(world);
    const { place, untilCondition, operator, clock } = stage;
    const { text } = await issued(stage, "moved");
    place.door.address = "https://moved.example";
    // The account by which it is known goes first; what comes after must not take it for another one.
    operator.targetProxy.answer = ({ resource, verb }) =>
      resource === "clusterroles" && verb === "delete" ? "reset" : undefined;
    await place.annotate("moved", "revoke", "true");
    await untilCondition("moved", "Revoked", "False TargetUnreachable");
    expect(await tried(text)).toBe("unknown");
    operator.targetProxy.answer = () => undefined;
    clock.jump(10_000);
    await untilCondition("moved", "Revoked", "True Revoked");
  });

  test("deleted then, it is held until all has expired", async () => {
    await using stage = await openStage(world);
    const { place, untilCondition, clock } = stage;
    await issued(stage, "deleted");
    place.door.isTurned = true;
    await place.home.delete(KubeconfigRequests, place.namespaceName, "deleted");
    const held = await untilCondition("deleted", "Revoked", "False TargetChanged");
    expect([conditionOf(held, "Issued"), await isWithdrawn(place, "deleted")]).toEqual(["False Revoking", true]);
    clock.jump(3_700_000);
    await expect.poll(() => place.get("deleted")).toBeUndefined();
    await expect.poll(() => place.eventsOf("deleted")).toContain("OrphanedAccessObjects");
  });
});
