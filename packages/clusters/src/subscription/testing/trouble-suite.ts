/** Gardener away, or refusing: the request says so, nothing is claimed by half, and it goes on by itself. */
import { setTimeout as wait } from "node:timers/promises";
import { type Clock, systemClock } from "@berg/kube";
import { describe, expect, test, vi } from "vitest";
import type { Answer, FaultProxy, Seen } from "../../../../../test/faults/proxy.ts";
import { onStage, type StartServers, soon } from "./stage.ts";

/** A manager waits so long at its start for a server that is away. */
const impatient: Clock = {
  ...systemClock,
  setTimer: (delayMs, fire) => systemClock.setTimer(delayMs === 30_000 ? 300 : delayMs, fire),
};

export function describeTrouble(startServers: StartServers): void {
  const stage = onStage(startServers);
  const { until, untilCondition, labelsOf } = stage;

  describe("Gardener is away", () => {
    test("at the start: said on the request, and bound when it is back", async () => {
      const { world } = stage;
      await world.account("a");
      const { garden } = await world.operator({ clock: impatient, spoil: ({ garden }) => goAway(garden) });
      await world.request("one");
      await untilCondition("one", "PoolAvailable", "Unknown GardenerUnreachable");
      expect(await world.stateOf("one")).toBe("Pending");
      comeBack(garden);
      await until("one", "Bound a");
      expect(await world.conditionOf("one", "PoolAvailable")).toBe("True Available");
    });

    test("later: whoever has an account keeps it, and nobody else gets half of one", async () => {
      const { world } = stage;
      await world.account("a");
      await world.account("b");
      const { garden } = await world.operator();
      await world.request("one");
      await until("one", "Bound a");
      const before = await world.get("one");
      goAway(garden);
      await world.request("two", { subscriptionSelector: "t2" });
      await untilCondition("two", "PoolAvailable", "Unknown GardenerUnreachable");
      expect(await world.stateOf("two")).toBe("Pending");
      expect(await labelsOf("b")).toEqual({ hyperscalerType: "aws" });
      expect(await world.get("one")).toEqual(before);
      await world.remove("one");
      await untilCondition("one", "Released", "Unknown GardenerUnreachable");
      comeBack(garden);
      await until("two", "Bound b");
      await until("one", "gone");
      expect((await labelsOf("a")).dirty).toBe("true");
    });
  });

  describe("Gardener refuses", () => {
    test.each([
      [403, "Unknown GardenerForbidden"],
      [422, "Unknown GardenerInvalid"],
      [429, "Unknown GardenerBusy"],
      [500, "Unknown GardenerFailing"],
      [503, "Unknown GardenerFailing"],
    ])("a claim with %i: it is said, nothing is claimed, and it goes on", async (status, want) => {
      const { world } = stage;
      await world.account("a");
      const refuse = (seen: Seen) => (isChange(seen) ? { status, body: refusalOf(status) } : undefined);
      const { garden } = await world.operator({ spoil: ({ garden }) => Object.assign(garden, { answer: refuse }) });
      await world.request("one");
      await untilCondition("one", "PoolAvailable", want);
      const tries = garden.requests.filter(isChange).length;
      await wait(1_000);
      expect(garden.requests.filter(isChange).length - tries, "no hot loop").toBeLessThan(mostTries(status));
      expect(await world.stateOf("one")).toBe("Pending");
      expect(await labelsOf("a")).toEqual({ hyperscalerType: "aws" });
      comeBack(garden);
      // What only a change can mend is tried again at the next change.
      await world.annotate("a", { mended: "true" });
      await until("one", "Bound a");
    });

    test.each([403, 422, 429, 500])("to say what there is with %i: it is said, and it goes on", async (status) => {
      const { world } = stage;
      await world.account("a");
      const { garden } = await world.operator();
      garden.answer = ({ verb, watch }) =>
        verb === "list" && !watch ? { status, body: refusalOf(status) } : undefined;
      await world.request("one");
      await untilCondition("one", "Bound", "False Waiting");
      expect(await world.conditionOf("one", "PoolAvailable")).toMatch(/^Unknown Gardener/);
      comeBack(garden);
      await world.annotate("a", { mended: "true" });
      await until("one", "Bound a");
    });

    test("with 403 after an outage: it is not the outage that it has refused for", async () => {
      const { world } = stage;
      await world.account("a");
      let aheadMs = 0;
      const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
      const { garden } = await world.operator({
        clock,
        spoil: ({ garden }) =>
          Object.assign(garden, { answer: (seen: Seen) => (isChange(seen) ? "reset" : undefined) }),
      });
      await world.request("one");
      await untilCondition("one", "PoolAvailable", "Unknown GardenerUnreachable");
      aheadMs = 660_000;
      const before = garden.requests.filter(isChange).length;
      garden.answer = (seen) => (isChange(seen) ? { status: 403, body: refusalOf(403) } : undefined);
      await untilCondition("one", "PoolAvailable", "Unknown GardenerForbidden");
      // The first, and two more without a change or minutes of waiting.
      await vi.waitFor(() => expect(garden.requests.filter(isChange).length - before).toBeGreaterThanOrEqual(3), soon);
      comeBack(garden);
      await until("one", "Bound a");
    });

    test("with a conflict: somebody was faster, and it looks again without a word", async () => {
      const { world } = stage;
      await world.account("a");
      await world.account("b");
      await world.operator({
        spoil: ({ garden }) =>
          void garden.at({ resource: "credentialsbindings", when: "before" }, async () => {
            await world.label("a", { tenantName: "t2" });
            return undefined;
          }),
      });
      await world.request("one");
      await until("one", "Bound b");
      expect(await world.eventsOf("one")).not.toContain("PoolExhausted");
      expect((await labelsOf("a")).tenantName).toBe("t2");
    });

    test("a mark on release: the request stays until it is made", async () => {
      const { world } = stage;
      await world.account("a");
      const { garden } = await world.operator();
      await world.request("one");
      await until("one", "Bound a");
      garden.answer = (seen) => (isChange(seen) ? { status: 500, body: refusalOf(500) } : undefined);
      await world.remove("one");
      await untilCondition("one", "Released", "Unknown GardenerFailing");
      comeBack(garden);
      await until("one", "gone");
      expect((await labelsOf("a")).dirty).toBe("true");
    });
  });

  test.each([1, 2])("an answer that is lost after change %i was made comes to the same", async (nth) => {
    const { world } = stage;
    await world.account("a");
    await world.account("b");
    const lose = (): Answer => "reset";
    await world.operator({
      spoil: ({ garden }) => void garden.at({ resource: "credentialsbindings", when: "after", nth }, lose),
    });
    await world.request("one");
    await until("one", "Bound a");
    expect(await labelsOf("b")).toEqual({ hyperscalerType: "aws" });
  });
}

/** In a second: each look at a request rests after it, ever longer. At a failing server the client itself tries six times a look. */
function mostTries(status: number): number {
  return status >= 500 ? 3 * 6 : 10;
}

function isChange({ method, resource }: Seen): boolean {
  return method !== "GET" && resource === "credentialsbindings";
}

function goAway(garden: FaultProxy): void {
  garden.answer = () => "reset";
  garden.cutWatches();
}

function comeBack(garden: FaultProxy): void {
  garden.answer = () => undefined;
}

function refusalOf(code: number): object {
  return { apiVersion: "v1", kind: "Status", status: "Failure", code, message: "no" };
}
