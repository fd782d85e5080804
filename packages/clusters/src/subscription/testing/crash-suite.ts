/** Operators that are killed before and after each of their writes, and others in their place. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { FaultProxy, Point } from "../../../../../test/faults/proxy.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { inParallel } from "../../../../../test/scenarios/in-parallel.ts";
import { isDirty, isFree } from "../pool/account.ts";
import { onStage, type StartServers } from "./stage.ts";
import { type Operator, type Servers, SubscriptionWorld } from "./world.ts";

type At = "own" | "garden";
type Write = Pick<Point, "resource" | "verb" | "subresource" | "nth"> & { at: At };
type Kill = Write & { when: Point["when"] };

const nameOf = ({ at, verb, resource, subresource, nth, when }: Kill) =>
  `${when} ${verb} ${resource}/${subresource} ${nth} at ${at}`;

export function describeCrashes(startServers: StartServers): void {
  const stage = onStage(startServers);

  test("killed around any write, a life comes to the same", { timeout: 600_000 }, async () => {
    const writes = await cleanLife(stage.servers);
    // Finalizer on, claim, confirm, set aside, bound; giving back, dirty, released, finalizer off.
    expect(writes).toHaveLength(9);
    const kills = writes.flatMap((write) => (["before", "after"] as const).map((when) => ({ ...write, when })));
    const failures = await inParallel(3, kills, nameOf, (kill) => killedLife(stage.servers, kill));
    expect(failures).toEqual([]);
  });

  test("deleted after a kill at any write, nothing is left claimed", { timeout: 600_000 }, async () => {
    const writes = (await cleanLife(stage.servers)).slice(0, 5);
    const kills = writes.flatMap((write) => (["before", "after"] as const).map((when) => ({ ...write, when })));
    const failures = await inParallel(3, kills, nameOf, (kill) => deletedLife(stage.servers, kill));
    expect(failures).toEqual([]);
  });

  test.each(["before", "after"] as const)(
    "killed %s a claim is passed on, the last one gives it back",
    async (when) => {
      const { world } = stage;
      await world.account("a");
      const first = await world.operator();
      for (const name of ["one", "two"]) {
        await world.request(name);
        await stage.until(name, "Bound a");
      }
      const killed = killAt(first, { resource: "credentialsbindings", when }, "garden");
      await world.remove("one");
      await killed;
      await world.operator();
      await stage.until("one", "gone");
      expect((await stage.labelsOf("a")).dirty).toBeUndefined();
      await world.remove("two");
      await stage.until("two", "gone");
      expect((await stage.labelsOf("a")).dirty).toBe("true");
    },
  );

  test.each(["before", "after"] as const)(
    "killed %s a claim is left, and again as it is taken, the next one gives it back",
    async (when) => {
      const { world } = stage;
      await world.account("a");
      const first = await world.operator();
      await world.request("one");
      await stage.until("one", "Bound a");
      await world.shoot("s1", "a");
      const leaving = killAt(first, { resource: "credentialsbindings", when }, "garden");
      await world.remove("one");
      await leaving;
      const second = await world.operator();
      await stage.until("one", "gone");
      const taking = killAt(second, { resource: "credentialsbindings", when }, "garden");
      await world.request("two");
      await taking;
      const third = await world.operator();
      await stage.until("two", "Bound a");
      await third.stop();
      await world.removeShoot("s1");
      await world.operator();
      await world.remove("two");
      await stage.until("two", "gone");
      expect((await stage.labelsOf("a")).dirty).toBe("true");
    },
  );
}

/** Bound, and given back. */
async function live(world: SubscriptionWorld): Promise<void> {
  await world.request("one");
  await untilState(world, "one", "Bound a");
  await world.remove("one");
  await untilState(world, "one", "gone");
}

async function outcomeOf(world: SubscriptionWorld): Promise<object> {
  const [a, b] = await Promise.all([world.accountNamed("a"), world.accountNamed("b")]);
  return { a: a.metadata.labels, aNotes: Object.keys(a.metadata.annotations ?? {}).sort(), b: b.metadata.labels };
}

const wanted = {
  a: { hyperscalerType: "aws", team: "blue", tenantName: "t1", dirty: "true" },
  aNotes: ["subscription.kyma-project.io/claimed-at", "subscription.kyma-project.io/claimed-by"],
  b: { hyperscalerType: "aws" },
};

async function open(servers: Servers): Promise<SubscriptionWorld> {
  const world = await SubscriptionWorld.open(servers);
  await world.account("a", { team: "blue" });
  await world.account("b");
  return world;
}

async function cleanLife(servers: Servers): Promise<Write[]> {
  const world = await open(servers);
  const operator = await world.operator();
  await live(world);
  expect(await outcomeOf(world)).toEqual(wanted);
  const seen = (["own", "garden"] as const).flatMap((at) => writesOf(operator[at]).map((write) => ({ ...write, at })));
  await world.close();
  expect(world.record.breaches()).toEqual([]);
  const counts = new Map<string, number>();
  return seen
    .sort((one, other) => one.seenAt - other.seenAt)
    .map(({ seenAt: _, ...write }) => {
      const key = JSON.stringify(write);
      const nth = (counts.get(key) ?? 0) + 1;
      counts.set(key, nth);
      return { ...write, nth };
    });
}

function writesOf({ requests }: FaultProxy) {
  return requests
    .filter(({ method, resource }) => method !== "GET" && resource !== "events")
    .map(({ resource, verb, subresource, at }) => ({ resource, verb, subresource, seenAt: at }));
}

async function killedLife(servers: Servers, kill: Kill): Promise<void> {
  const world = await open(servers);
  let restarted: Promise<unknown> | undefined;
  const first = await world.operator();
  first[kill.at].at(kill, () => {
    restarted = first.kill().then(() => world.operator());
    return "reset";
  });
  try {
    await live(world);
    // The last write ends the life before it is answered.
    await eventually("the write is reached", () => restarted !== undefined, 20_000);
    await restarted;
    expect(await outcomeOf(world)).toEqual(wanted);
  } finally {
    await restarted;
    await world.close();
  }
  expect(world.record.breaches()).toEqual([]);
}

/** Nobody is at work when the request is deleted; whoever comes then finds what was left behind. */
async function deletedLife(servers: Servers, kill: Kill): Promise<void> {
  const world = await open(servers);
  const killed = killAt(await world.operator(), kill, kill.at);
  try {
    await world.request("one");
    await killed;
    await world.remove("one");
    await world.operator();
    await untilState(world, "one", "gone");
    await wait(100);
    const account = await world.accountNamed("a");
    expect(isFree(account) || isDirty(account)).toBe(true);
    expect((await world.accountNamed("b")).metadata.labels).toEqual({ hyperscalerType: "aws" });
  } finally {
    await world.close();
  }
  expect(world.record.breaches()).toEqual([]);
}

/** Resolves when it is gone. */
function killAt(operator: Operator, point: Point, at: At): Promise<void> {
  const killed = Promise.withResolvers<void>();
  operator[at].at(point, () => {
    operator.kill().then(killed.resolve, killed.reject);
    return "reset";
  });
  return killed.promise;
}

async function untilState(world: SubscriptionWorld, name: string, state: string): Promise<void> {
  await eventually(`${name} is ${state}`, async () => (await world.stateOf(name)) === state);
}
