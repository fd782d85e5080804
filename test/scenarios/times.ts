/** How long instances live: renewed, refused, held to a latest end, and warned in time. */
import type { Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cell } from "./cells.ts";
import { eventsOf, isRunning, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

const minute = 60_000;
const expiryOf = ({ status }: Instance) => Date.parse(status?.expiresAt ?? "");
const inWholeSeconds = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000", "");
const answered = (renewals: number) => (instance: Instance) => instance.status?.renewals === renewals;

export function describeTimes(startWorld: StartWorld): void {
  let world: World;
  let cell: Cell;

  beforeAll(async () => {
    world = await startWorld();
    cell = await Cell.start(world);
  });
  afterAll(() => world?.end());

  const change = ({ metadata }: Instance, spec: object) =>
    world.client.patch(ChallengeInstances, metadata.namespace ?? "", metadata.name, { type: "merge", body: { spec } });
  const changeChallenge = (name: string, spec: object) =>
    world.client.patch(Challenges, world.namespace, name, { type: "merge", body: { spec } });
  const runningWith = async (ofChallenge: Record<string, unknown>, ofInstance: Record<string, unknown> = {}) => {
    const challenge = await world.challenge().with(ofChallenge).create();
    const instance = await cell.instance(challenge).with(ofInstance).create();
    return { challenge, instance: await world.until(instance, isRunning) };
  };
  const reasonsOf = ({ status }: Instance) => status?.history?.map(({ reason }) => reason);
  /** Give or take what the machine needs to get to it. */
  const isAbout = (instance: Instance, from: number, ms: number) => {
    expect(expiryOf(instance)).toBeGreaterThanOrEqual(from + ms - 1000);
    expect(expiryOf(instance)).toBeLessThanOrEqual(Date.now() + ms + 1000);
  };

  describe.concurrent("a renewal", () => {
    test("counts the time from now, and is told in the history and by an event", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      const asked = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await change(instance, { renewals: 1 });
      const renewed = await world.until(instance, answered(1));
      expect(expiryOf(renewed)).toBeGreaterThan(expiryOf(instance));
      isAbout(renewed, asked, 60 * minute);
      expect(reasonsOf(renewed)).toEqual(["Started", "Renewed"]);
      expect(renewed.status?.history?.at(-1)?.expiresAt).toBe(renewed.status?.expiresAt);
      const events = await eventsOf(world, instance, "InstanceRenewed");
      expect(events.filter(({ reason }) => reason === "InstanceRenewed")).toEqual([
        {
          type: "Normal",
          reason: "InstanceRenewed",
          message: `Renewed (1 of 3): the instance ends at ${renewed.status?.expiresAt}`,
        },
      ]);
    });

    test("counts what the Challenge says now", async () => {
      const { instance, challenge } = await runningWith({ timeout: "20m" });
      await changeChallenge(challenge.metadata.name, { timeout: "2h" });
      const asked = Date.now();
      await change(instance, { renewals: 1 });
      isAbout(await world.until(instance, answered(1)), asked, 120 * minute);
    });

    test("never takes time away", async () => {
      const { instance, challenge } = await runningWith({ timeout: "2h" });
      await changeChallenge(challenge.metadata.name, { timeout: "20m" });
      // The two come on watches of their own, in any order.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await change(instance, { renewals: 1 });
      const refused = await world.until(instance, answered(1));
      expect(refused.status?.expiresAt).toBe(instance.status?.expiresAt);
      expect(reasonsOf(refused)).toEqual(["Started", "RenewalRefused"]);
    });

    test("is refused above the maximum", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      let renewed = instance;
      for (const renewals of [1, 2, 3]) {
        await new Promise((resolve) => setTimeout(resolve, 1100));
        await change(instance, { renewals });
        renewed = await world.until(instance, answered(renewals));
      }
      await change(instance, { renewals: 4 });
      const refused = await world.until(instance, answered(4));
      expect(refused.status?.expiresAt).toBe(renewed.status?.expiresAt);
      expect(reasonsOf(refused)).toEqual(["Started", "Renewed", "Renewed", "Renewed", "RenewalRefused"]);
      const events = await eventsOf(world, instance, "RenewalRefused");
      expect(events.at(-1)?.message).toContain("all 3 renewals are used up");
    });

    test("does not reach past the latest end", async () => {
      const until = inWholeSeconds(Date.now() + 30 * minute);
      const { instance } = await runningWith({ timeout: "1h", until });
      expect(instance.status?.expiresAt).toBe(until);
      await change(instance, { renewals: 1 });
      const refused = await world.until(instance, answered(1));
      expect(refused.status?.expiresAt).toBe(until);
      expect(refused.status?.history?.at(-1)).toMatchObject({
        reason: "RenewalRefused",
        message: `Not renewed: the instance may not live past ${until}`,
      });
    });

    test("asked for once too low is refused by the server", async () => {
      const { instance } = await runningWith({ timeout: "1h" }, { renewals: 2 });
      await expect(change(instance, { renewals: 1 })).rejects.toThrow(/renewals/);
    });
  });

  describe.concurrent("the latest end", () => {
    test("is the earlier of the Challenge's and the instance's", async () => {
      const [sooner, later] = [20, 40].map((minutes) => inWholeSeconds(Date.now() + minutes * minute));
      const one = await runningWith({ until: sooner }, { until: later });
      const other = await runningWith({ until: later }, { until: sooner });
      expect([one, other].map(({ instance }) => instance.status?.expiresAt)).toEqual([sooner, sooner]);
    });

    test.each(["Challenge", "instance"])("that the %s moves closer holds at once, and ends it", async (whose) => {
      const { instance, challenge } = await runningWith({ timeout: "1h" });
      const until = inWholeSeconds(Date.now() + 4000);
      if (whose === "Challenge") await changeChallenge(challenge.metadata.name, { until });
      else await change(instance, { until });
      const limited = await world.until(instance, ({ status }) => status?.expiresAt === until);
      expect(reasonsOf(limited)).toEqual(["Started", "Limited"]);
      const [, moved] = limited.status?.history ?? [];
      const events = await eventsOf(world, instance, "InstanceExpiryMoved");
      expect(events.find(({ reason }) => reason === "InstanceExpiryMoved")).toMatchObject({
        type: "Warning",
        message: moved?.message,
      });
      expect(moved?.message).toContain(until);
      const last = await world.untilGone(instance, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout", expiresAt: until });
    });

    test("that has passed already leaves no time at all", async () => {
      const challenge = await world.challenge().create();
      const until = inWholeSeconds(Date.now() - minute);
      const instance = await cell.instance(challenge).with({ until }).create();
      const last = await world.untilGone(instance, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    });
  });

  describe.concurrent("a changed timeout", () => {
    const withTimeout = (timeout: string) => (instance: Instance) => instance.status?.timeout === timeout;

    test("moves the end, counted from the start, and is told in the history and by an event", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      await change(instance, { timeout: "3h" });
      const moved = await world.until(instance, withTimeout("3h"));
      expect(expiryOf(moved)).toBe(Date.parse(moved.status?.startedAt ?? "") + 180 * minute);
      expect(moved.status?.phase).toBe("Running");
      expect(reasonsOf(moved)).toEqual(["Started", "TimeoutChanged"]);
      const message = `The timeout was changed: the instance ends at ${moved.status?.expiresAt}`;
      const events = await eventsOf(world, instance, "InstanceExpiryMoved");
      expect(events).toContainEqual({ type: "Normal", reason: "InstanceExpiryMoved", message });
    });

    test("counts from the last renewal", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await change(instance, { renewals: 1 });
      const renewed = await world.until(instance, answered(1));
      await change(instance, { timeout: "2h" });
      const moved = await world.until(instance, withTimeout("2h"));
      expect(Math.abs(expiryOf(moved) - expiryOf(renewed) - 60 * minute)).toBeLessThanOrEqual(1000);
    });

    test("does not reach past until", async () => {
      const until = inWholeSeconds(Date.now() + 90 * minute);
      const { instance } = await runningWith({ timeout: "1h" }, { until });
      await change(instance, { timeout: "9h" });
      const moved = await world.until(instance, withTimeout("9h"));
      expect(moved.status?.expiresAt).toBe(until);
      expect(moved.status?.history?.at(-1)?.message).toContain("the latest time that until allows");
    });

    test("that is over already ends the instance", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      await change(instance, { timeout: "1s" });
      const last = await world.untilGone(instance, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    });

    test("that cannot be used is told, and the end stays", async () => {
      const { instance } = await runningWith({ timeout: "1h" });
      await change(instance, { timeout: "0s" });
      const refused = await world.until(instance, withTimeout("0s"));
      expect(refused.status).toMatchObject({ phase: "Running", expiresAt: instance.status?.expiresAt });
      expect(reasonsOf(refused)).toEqual(["Started", "TimeoutRefused"]);
      expect(refused.status?.conditions?.find(({ type }) => type === "Admitted")).toMatchObject({
        ...{ status: "True", reason: "InvalidTimeout" },
        message: expect.stringContaining(
          'cannot use spec.timeout of the ChallengeInstance: "0s" leaves no time at all',
        ),
      });
      const events = await eventsOf(world, instance, "TimeoutRefused");
      expect(events.find(({ reason }) => reason === "TimeoutRefused")?.type).toBe("Warning");
    });
  });

  describe.concurrent("a warning", () => {
    test("comes in time, once, and is taken back by a renewal", async () => {
      const { instance } = await runningWith({ timeout: "10m6s" });
      expect(instance.status?.expiresSoon ?? false).toBe(false);
      const warned = await world.until(instance, ({ status }) => status?.expiresSoon === true);
      expect(Date.now()).toBeGreaterThanOrEqual(expiryOf(warned) - 10 * minute);
      expect(Date.now()).toBeLessThanOrEqual(expiryOf(warned) - 10 * minute + 1500);
      const events = await eventsOf(world, instance, "InstanceExpiringSoon");
      expect(events.at(-1)).toMatchObject({
        type: "Warning",
        message: `This instance ends at ${warned.status?.expiresAt}`,
      });
      await change(instance, { renewals: 1 });
      const renewed = await world.until(instance, answered(1));
      expect(renewed.status?.expiresSoon).toBe(false);
      const again = await world.until(instance, ({ status }) => status?.expiresSoon === true);
      expect(again.status?.expiresAt).toBe(renewed.status?.expiresAt);
    });
  });
}
