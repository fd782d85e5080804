import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { RuleKeeper } from "./rule-keeper.ts";

function keeperFor(script: () => string) {
  const clock = new FakeClock();
  const applied: string[] = [];
  const given = {
    clock,
    applied,
    isThere: true,
    /** Throws what it holds. */
    failure: undefined as Error | undefined,
    gate: Promise.resolve() as Promise<unknown>,
  };
  const keeper = new RuleKeeper({
    script,
    apply: async (text) => {
      await given.gate;
      if (given.failure) throw given.failure;
      applied.push(text);
    },
    isThere: async () => given.isThere,
    clock,
    log: silentLogger,
  });
  return { keeper, given };
}

test("rules that hold already are not set again", async () => {
  let text = "one";
  const { keeper, given } = keeperFor(() => text);
  await keeper.apply();
  await keeper.apply();
  text = "two";
  await keeper.apply();
  expect(given.applied).toEqual(["one", "two"]);
});

test("many changes at once cost one script, soon", async () => {
  let count = 0;
  const { keeper, given } = keeperFor(() => String(count));
  for (; count < 10; count++) keeper.changed();
  expect(given.applied).toEqual([]);
  await given.clock.advance(100);
  expect(given.applied).toEqual(["10"]);
});

test("whoever waits gets rules of a state not older than the call, and one script serves all who wait", async () => {
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
  expect(given.applied).toEqual(["one", "two"]);
});

test("what fails is told to those who wait, and tried again for those who do not", async () => {
  const { keeper, given } = keeperFor(() => "one");
  given.failure = new Error("nft refused");
  await expect(keeper.apply()).rejects.toThrow("nft refused");
  keeper.changed();
  await given.clock.advance(100);
  expect(given.applied).toEqual([]);
  given.failure = undefined;
  await given.clock.advance(5000);
  expect(given.applied).toEqual(["one"]);
});

test("rules that another program removed are put back", async () => {
  const { keeper, given } = keeperFor(() => "one");
  await keeper.apply();
  await given.clock.advance(20_000);
  expect(given.applied).toEqual(["one"]);
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
