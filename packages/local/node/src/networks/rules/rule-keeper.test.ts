import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { RuleKeeper } from "./rule-keeper.ts";
import { type Rules, rulesOf } from "./rules.ts";

/** Told apart by the one bridge that they know of. */
function rulesNamed(name: string): Rules {
  return rulesOf({ ...nothing, bridges: [{ namespace: "alice", bridge: name }] });
}

const nothing = { bridges: [], pods: [], guests: [], services: [], slices: [], policies: [], namespaces: new Map() };
const nameOf = (rules: Rules | undefined) => rules && [...rules.elements.bridges.keys()].join().replaceAll('"', "");

function keeperFor(name: () => string) {
  const clock = new FakeClock();
  const applied: string[] = [];
  const given = {
    clock,
    /** `two after one`: what was put in place of what; `one` where it is put as a whole. */
    applied,
    isThere: true,
    renewed: 0,
    /** Throws what it holds. */
    failure: undefined as Error | undefined,
    gate: Promise.resolve() as Promise<unknown>,
  };
  const table = {
    async put(rules: Rules, before?: Rules) {
      await given.gate;
      if (given.failure) throw given.failure;
      applied.push([nameOf(rules), nameOf(before)].filter(Boolean).join(" after "));
    },
    async renew() {
      given.renewed++;
      return given.isThere;
    },
  };
  const keeper = new RuleKeeper({ rules: () => rulesNamed(name()), table, clock, log: silentLogger });
  return { keeper, given };
}

test("rules are made from those that hold already", async () => {
  let text = "one";
  const { keeper, given } = keeperFor(() => text);
  await keeper.apply();
  text = "two";
  await keeper.apply();
  expect(given.applied).toEqual(["one", "two after one"]);
});

test("many changes at once are one, soon", async () => {
  let count = 0;
  const { keeper, given } = keeperFor(() => String(count));
  for (; count < 10; count++) keeper.changed();
  expect(given.applied).toEqual([]);
  await given.clock.advance(100);
  expect(given.applied).toEqual(["10"]);
});

test("whoever waits gets rules of a state not older than the call, and one change serves all who wait", async () => {
  let text = "one";
  const { keeper, given } = keeperFor(() => text);
  const gate = Promise.withResolvers<void>();
  given.gate = gate.promise;
  const first = keeper.apply();
  // Let it take its script, and hang.
  await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
  text = "two";
  const [second, third] = [keeper.apply(), keeper.apply()];
  gate.resolve();
  await Promise.all([first, second, third]);
  expect(given.applied).toEqual(["one", "two after one"]);
});

test("what fails is told to those who wait, and tried again by itself", async () => {
  const { keeper, given } = keeperFor(() => "one");
  given.failure = new Error("nft refused");
  await expect(keeper.apply()).rejects.toThrow("nft refused");
  await given.clock.advance(5000);
  expect(given.applied).toEqual([]);
  given.failure = undefined;
  await given.clock.advance(5000);
  expect(given.applied).toEqual(["one"]);
  await given.clock.advance(60_000);
  expect(given.applied).toEqual(["one"]);
  expect(given.renewed).toBeGreaterThan(4);
});

test("what fails for those who do not wait is tried again", async () => {
  const { keeper, given } = keeperFor(() => "one");
  given.failure = new Error("nft refused");
  keeper.changed();
  await given.clock.advance(100);
  expect(given.applied).toEqual([]);
  given.failure = undefined;
  await given.clock.advance(5000);
  expect(given.applied).toEqual(["one"]);
});

test("after rules that failed nobody knows what holds: the next are put as a whole", async () => {
  let text = "one";
  const { keeper, given } = keeperFor(() => text);
  await keeper.apply();
  given.failure = new Error("nft refused");
  text = "two";
  await expect(keeper.apply()).rejects.toThrow("nft refused");
  given.failure = undefined;
  await keeper.apply();
  expect(given.applied).toEqual(["one", "two"]);
});

test("rules that another program removed are put back", async () => {
  const { keeper, given } = keeperFor(() => "one");
  await keeper.apply();
  await given.clock.advance(20_000);
  expect(given.applied).toEqual(["one"]);
  expect(given.renewed).toBe(2);
  given.isThere = false;
  await given.clock.advance(10_000);
  given.isThere = true;
  await given.clock.advance(30_000);
  expect(given.applied).toEqual(["one", "one"]);
});

test("after its stop nothing happens any more", async () => {
  const { keeper, given } = keeperFor(() => "one");
  keeper.changed();
  await keeper.stop();
  keeper.changed();
  await given.clock.advance(60_000);
  expect(given.applied).toEqual([]);
  expect(given.clock.timers).toBe(0);
  await expect(keeper.apply()).rejects.toThrow("the node stops");
});
