/** What happens while a request of an operator is under way, at the worst moment for it. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { FaultProxy, Point } from "../../../../../test/faults/proxy.ts";
import { claimedBy, tenantOf } from "../pool/account.ts";
import { onStage, type StartServers, soon } from "./stage.ts";
import type { Operator } from "./world.ts";

export function describeWorstMoments(startServers: StartServers): void {
  const stage = onStage(startServers);

  /** As where a Cluster goes and its Shoot is retained: the Shoot `s1` on the account `a`. */
  async function leaveToShoot(): Promise<Operator> {
    const { world } = stage;
    await world.account("a");
    const operator = await world.operator();
    await world.request("one");
    await stage.until("one", "Bound a");
    await world.shoot("s1", "a");
    await world.remove("one");
    await stage.until("one", "gone");
    return operator;
  }

  test("of two operators that claim different accounts at once, one takes its claim back", async () => {
    const { world } = stage;
    await world.account("a", { tenantName: "t9", dirty: "true" });
    await world.account("b");
    const { garden } = await world.operator();
    const claim = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.request("one");
    await claim.reached;
    // The first is about to claim b; meanwhile a is cleaned, which comes first by name, and the second claims that.
    await world.label("a", { tenantName: null, dirty: null });
    await world.operator();
    await stage.until("one", "Bound a");
    const changes = () => garden.requests.filter(({ method }) => method === "PATCH").length;
    const before = changes();
    claim.goOn();
    await vi.waitFor(() => expect(changes()).toBe(before + 1), soon);
    await vi.waitFor(async () => expect(tenantOf(await world.accountNamed("b"))).toBeUndefined(), soon);
    expect(await stage.labelsOf("b")).toEqual({ hyperscalerType: "aws" });
    expect((await world.accountNamed("b")).metadata.annotations ?? {}).toEqual({});
    expect(await world.stateOf("one")).toBe("Bound a");
  });

  test("also where the later one claims what comes first by name", async () => {
    const { world } = stage;
    await world.account("b");
    const first = await world.operator();
    const claimB = hold(first.garden, { resource: "credentialsbindings", when: "before" });
    await world.request("one");
    await claimB.reached;
    await world.account("a");
    let claimA: ReturnType<typeof hold> | undefined;
    const second = await world.operator({
      spoil: ({ garden }) => {
        claimA = hold(garden, { resource: "credentialsbindings", when: "before" });
      },
    });
    await claimA?.reached;
    claimB.goOn();
    await stage.until("one", "Bound b");
    const before = second.garden.requests.length;
    claimA?.goOn();
    // Claimed, looked at, taken back.
    await vi.waitFor(() => expect(second.garden.requests.length).toBeGreaterThanOrEqual(before + 3), soon);
    await vi.waitFor(async () => expect(await stage.labelsOf("a")).toEqual({ hyperscalerType: "aws" }), soon);
    expect(await world.stateOf("one")).toBe("Bound b");
  });

  test("what others give to the tenant before a claim stands is used, and the claim taken back", async () => {
    const { world } = stage;
    await world.account("a");
    await world.account("b");
    const { garden } = await world.operator();
    const claim = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.request("one");
    await claim.reached;
    await world.label("b", { tenantName: "t1" });
    claim.goOn();
    await stage.until("one", "Bound b");
    expect(await stage.labelsOf("a")).toEqual({ hyperscalerType: "aws" });
    await world.remove("one");
    await stage.until("one", "gone");
    expect(await stage.labelsOf("b")).toEqual({ hyperscalerType: "aws", tenantName: "t1" });
  });

  test("what they give to it after the last look is left to them, and the claim stands", async () => {
    const { world } = stage;
    await world.account("a");
    await world.account("b");
    const { garden } = await world.operator();
    const confirmation = hold(garden, { resource: "credentialsbindings", when: "before", nth: 2 });
    await world.request("one");
    await confirmation.reached;
    await world.label("b", { tenantName: "t1" });
    confirmation.goOn();
    await stage.until("one", "Bound a");
    await world.remove("one");
    await stage.until("one", "gone");
    expect((await stage.labelsOf("a")).dirty).toBe("true");
    expect(await stage.labelsOf("b")).toEqual({ hyperscalerType: "aws", tenantName: "t1" });
  });

  test("an account that is about to be given back is not given out", async () => {
    const { world } = stage;
    await world.account("a");
    await world.account("b");
    const { garden } = await world.operator();
    await world.request("old");
    await stage.until("old", "Bound a");
    const dirty = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.remove("old");
    await dirty.reached;
    await world.request("new");
    await stage.untilCondition("new", "Bound", "False Reserved");
    await wait(300);
    expect(await world.stateOf("new")).toBe("Pending");
    dirty.goOn();
    await stage.until("old", "gone");
    await stage.until("new", "Bound b");
  });

  test("an account that is about to be given out is not given back", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden } = await world.operator();
    await world.request("old");
    await stage.until("old", "Bound a");
    const look = hold(garden, { resource: "credentialsbindings", verb: "get", when: "after" });
    await world.request("new");
    await look.reached;
    await world.remove("old");
    await stage.until("old", "gone");
    look.goOn();
    await stage.until("new", "Bound a");
    expect((await stage.labelsOf("a")).dirty).toBeUndefined();
  });

  test("an account whose claim is about to be passed on is given back by whoever goes last", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden } = await world.operator();
    for (const name of ["one", "two"]) {
      await world.request(name);
      await stage.until(name, "Bound a");
    }
    const passingOn = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.remove("one");
    await passingOn.reached;
    await world.remove("two");
    await stage.until("two", "gone");
    expect((await stage.labelsOf("a")).dirty).toBe("true");
    passingOn.goOn();
    await stage.until("one", "gone");
    expect((await stage.labelsOf("a")).dirty).toBe("true");
  });

  test("also where it goes before that, as a Shoot is in the way: the claim is left to the next", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden, stop } = await world.operator();
    for (const name of ["one", "two"]) {
      await world.request(name);
      await stage.until(name, "Bound a");
    }
    await world.shoot("s1", "a");
    const passingOn = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.remove("one");
    await passingOn.reached;
    await world.remove("two");
    await stage.until("two", "gone");
    passingOn.goOn();
    await stage.until("one", "gone");
    await world.request("three");
    await stage.until("three", "Bound a");
    await stop();
    await world.removeShoot("s1");
    await world.operator();
    await world.remove("three");
    await stage.until("three", "gone");
    expect((await stage.labelsOf("a")).dirty).toBe("true");
  });

  test("a claim that was left is taken by one of two that are given the account at once", async () => {
    const { world } = stage;
    const { garden } = await leaveToShoot();
    const taking = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.request("two");
    await taking.reached;
    const { metadata } = await world.request("three");
    await stage.until("three", "Bound a");
    taking.goOn();
    await stage.until("two", "Bound a");
    expect(claimedBy(await world.accountNamed("a"))).toBe(metadata.uid);
  });

  test("an account that was left and is about to be given back is not, where a request takes it before", async () => {
    const { world } = stage;
    const { garden } = await leaveToShoot();
    const dirty = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.removeShoot("s1");
    await dirty.reached;
    await world.request("two");
    await stage.until("two", "Bound a");
    const refused = () => garden.requests.filter(({ code }) => code === 409).length;
    const before = refused();
    dirty.goOn();
    await vi.waitFor(() => expect(refused()).toBe(before + 1), soon);
    await wait(300);
    expect((await stage.labelsOf("a")).dirty).toBeUndefined();
    await world.remove("two");
    await stage.until("two", "gone");
    expect((await stage.labelsOf("a")).dirty).toBe("true");
  });

  test("an account that was left and is about to be taken is given back before, and the request has another", async () => {
    const { world } = stage;
    const { garden } = await leaveToShoot();
    await world.account("b");
    await world.request("other", { subscriptionSelector: "t2" });
    await stage.until("other", "Bound b");
    await world.account("c");
    // Without a lease. It knows the requests that are there, and hears of no other.
    const second = await world.operator();
    const known = async () => expect(await second.metrics()).toContain('subscription_requests{phase="Bound"} 1');
    await vi.waitFor(known, soon);
    await wait(300);
    second.own.freezeWatches();
    const taking = hold(garden, { resource: "credentialsbindings", when: "before" });
    await world.request("two");
    await taking.reached;
    await world.removeShoot("s1");
    await vi.waitFor(async () => expect((await stage.labelsOf("a")).dirty).toBe("true"), soon);
    taking.goOn();
    await stage.until("two", "Bound c");
  });

  test("an account that was left is not given back where a Shoot comes while it is looked at", async () => {
    const { world } = stage;
    const { garden } = await leaveToShoot();
    const look = hold(garden, { resource: "credentialsbindings", verb: "get", when: "after" });
    await world.removeShoot("s1");
    await look.reached;
    await world.shoot("s2", "a");
    look.goOn();
    await vi.waitFor(() => expect(garden.requests.at(-1)).toMatchObject({ resource: "shoots", verb: "list" }), soon);
    await wait(300);
    expect((await stage.labelsOf("a")).dirty).toBeUndefined();
    await world.removeShoot("s2");
    await vi.waitFor(async () => expect((await stage.labelsOf("a")).dirty).toBe("true"), soon);
  });

  test("its own Shoot is waited for, though the copy does not show it yet", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden } = await world.operator();
    await world.request("one", { cluster: "cluster-1" });
    await stage.until("one", "Bound a");
    garden.freezeWatches();
    await world.shoot("s1", "a", "cluster-1");
    await world.remove("one");
    await stage.untilCondition("one", "Released", "False ShootStillThere");
    expect((await stage.labelsOf("a")).dirty).toBeUndefined();
  });

  test("a Shoot that the copy does not show yet keeps its account from being marked", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden } = await world.operator();
    await world.request("one");
    await stage.until("one", "Bound a");
    garden.freezeWatches();
    await world.shoot("s1", "a");
    await world.remove("one");
    await stage.until("one", "gone");
    expect((await stage.labelsOf("a")).dirty).toBeUndefined();
  });
}

/** The next such request waits until it is told to go on. */
function hold(proxy: FaultProxy, point: Point): { reached: Promise<void>; goOn(): void } {
  const reached = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  proxy.at(point, async () => {
    reached.resolve();
    await going.promise;
    return undefined;
  });
  return { reached: reached.promise, goOn: going.resolve };
}
