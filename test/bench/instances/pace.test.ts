import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { atRate, inFlight, quantile } from "./pace.ts";

test("as many are under way as may be, and none is left out", async () => {
  let [underWay, most, done] = [0, 0, 0];
  await inFlight(10, 3, async () => {
    most = Math.max(most, ++underWay);
    await delay(1);
    underWay--;
    done++;
  });
  expect([most, done]).toEqual([3, 10]);
});

test("a pace is kept, though none is done before the last has started", async () => {
  const all = Promise.withResolvers<void>();
  const started: number[] = [];
  const begun = performance.now();
  await atRate(100, 5, async () => {
    started.push(performance.now());
    if (started.length === 5) all.resolve();
    await all.promise;
  });
  // From the beginning, for the first may be late. A timer may be early by a fraction.
  expect((started.at(-1) ?? 0) - begun).toBeGreaterThan(38);
});

describe("quantile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  test.each([
    { share: 0.5, want: 50 },
    { share: 0.99, want: 99 },
    { share: 1, want: 100 },
    { share: 0, want: 1 },
  ])("of 1 to 100, a share of $share does not exceed $want", ({ share, want }) => {
    expect(quantile(hundred, share)).toBe(want);
  });

  test("of nothing is a mistake", () => {
    expect(() => quantile([], 0.5)).toThrow("quantile of nothing");
  });
});
