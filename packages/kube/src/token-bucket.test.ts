import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "./testing/fake-clock.ts";
import { TokenBucket, unlimited } from "./token-bucket.ts";

/** Notes when each passes, in the order of passing. */
function watchPasses(clock: FakeClock) {
  const passes: { name: string; at: number }[] = [];
  const note = (name: string) => () => {
    passes.push({ name, at: clock.monotonic() });
  };
  return { passes, note };
}

describe("reserve", () => {
  test("gives the burst at once, then one an interval", () => {
    const bucket = new TokenBucket(new FakeClock(), { perSecond: 10, burst: 3 });
    expect(Array.from({ length: 6 }, () => bucket.reserve())).toEqual([0, 0, 0, 100, 200, 300]);
  });

  test("a long pause fills it to the burst and no further", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 3 });
    for (let i = 0; i < 5; i++) bucket.reserve();
    await clock.advance(7 * 24 * 3600 * 1000);
    expect(Array.from({ length: 5 }, () => bucket.reserve())).toEqual([0, 0, 0, 100, 200]);
  });

  test("Infinity per second is no limit", () => {
    const bucket = new TokenBucket(new FakeClock(), unlimited);
    expect(Array.from({ length: 1000 }, () => bucket.reserve()).every((wait) => wait === 0)).toBe(true);
  });

  test("waits as long as a bucket of counted tokens asks for, at any times of calling", async () => {
    const rate = fc.record({
      perSecond: fc.double({ min: 0.1, max: 1000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const pauses = fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { maxLength: 40, size: "max" });
    await fc.assert(
      fc.asyncProperty(rate, pauses, async ({ perSecond, burst }, pauses) => {
        const clock = new FakeClock();
        const bucket = new TokenBucket(clock, { perSecond, burst });
        let tokens = burst;
        for (const pause of pauses) {
          await clock.advance(pause);
          tokens = Math.min(burst, tokens + (pause * perSecond) / 1000) - 1;
          expect(bucket.reserve()).toBeCloseTo(Math.max(0, (-tokens / perSecond) * 1000), 5);
        }
      }),
    );
  });
});

describe("wait", () => {
  test("serves waiters in line, each when its token is there", async () => {
    const clock = new FakeClock();
    const { passes, note } = watchPasses(clock);
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 2 });
    for (const name of ["a", "b", "c", "d"]) void bucket.wait().then(note(name));
    await clock.advance(150);
    void bucket.wait().then(note("e"));
    await clock.advance(1000);
    expect(passes).toEqual([
      { name: "a", at: 0 },
      { name: "b", at: 0 },
      { name: "c", at: 100 },
      { name: "d", at: 200 },
      { name: "e", at: 300 },
    ]);
    expect(clock.timers).toBe(0);
  });

  test("a newcomer does not overtake those whose timer is late", async () => {
    const clock = new FakeClock();
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, fire) => setTimer(delayMs + 50, fire);
    const { passes, note } = watchPasses(clock);
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 1 });
    await bucket.wait();
    void bucket.wait().then(note("first"));
    await clock.advance(120);
    void bucket.wait().then(note("newcomer"));
    await clock.advance(1000);
    expect(passes.map(({ name }) => name)).toEqual(["first", "newcomer"]);
  });

  test("waiters that were aborted take no token from those behind them", async () => {
    const clock = new FakeClock();
    const { passes, note } = watchPasses(clock);
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    await bucket.wait();
    const abort = new AbortController();
    const gaveUp = Array.from({ length: 1000 }, () => bucket.wait(abort.signal));
    void bucket.wait().then(note("patient"));
    abort.abort(new Error("gave up"));
    const results = await Promise.allSettled(gaveUp);
    expect(results.every((result) => result.status === "rejected" && result.reason.message === "gave up")).toBe(true);
    await clock.advance(1000);
    expect(passes).toEqual([{ name: "patient", at: 1000 }]);
  });

  test("no timer stays behind when all have given up", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    await bucket.wait();
    const abort = new AbortController();
    const wait = bucket.wait(abort.signal);
    expect(clock.timers).toBe(1);
    abort.abort(new Error("gave up"));
    await expect(wait).rejects.toThrow("gave up");
    expect(clock.timers).toBe(0);
  });

  test("one that is already aborted takes no token", async () => {
    const bucket = new TokenBucket(new FakeClock(), { perSecond: 1, burst: 1 });
    await expect(bucket.wait(AbortSignal.abort(new Error("gave up")))).rejects.toThrow("gave up");
    expect(bucket.reserve()).toBe(0);
  });

  test("a step of the wall clock gives no tokens", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    bucket.reserve();
    clock.jumpWall(3_600_000);
    expect(bucket.reserve()).toBe(1000);
  });
});

test.each([
  { perSecond: 0, burst: 1, want: /0 per second: nothing would ever pass \(Infinity is no limit\)/ },
  { perSecond: -1, burst: 1, want: /-1 per second/ },
  { perSecond: Number.NaN, burst: 1, want: /NaN per second/ },
  { perSecond: 1, burst: 0, want: /burst of 0/ },
  { perSecond: 1, burst: 1.5, want: /burst of 1.5/ },
  { perSecond: 1, burst: Number.POSITIVE_INFINITY, want: /burst of Infinity/ },
])("refuses $perSecond per second with a burst of $burst", ({ want, ...rate }) => {
  expect(() => new TokenBucket(new FakeClock(), rate)).toThrow(want);
});

test("no stretch of time sees more than burst + rate · t, however calls, aborts and pauses are mixed", async () => {
  const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 100 }), burst: fc.integer({ min: 1, max: 8 }) });
  const step = fc.oneof(
    fc.constantFrom("reserve" as const, "wait" as const, "wait" as const, "abort one" as const),
    fc.record({ advance: fc.double({ min: 0, max: 300, noNaN: true }) }),
  );
  await fc.assert(
    fc.asyncProperty(rate, fc.array(step, { maxLength: 60, size: "max" }), async ({ perSecond, burst }, steps) => {
      const clock = new FakeClock();
      const bucket = new TokenBucket(clock, { perSecond, burst });
      const passes: number[] = [];
      const served: number[] = [];
      const joined: number[] = [];
      const aborts: AbortController[] = [];
      for (const [index, step] of steps.entries()) {
        if (step === "reserve") {
          passes.push(clock.monotonic() + bucket.reserve());
        } else if (step === "wait") {
          const abort = new AbortController();
          aborts.push(abort);
          joined.push(index);
          bucket.wait(abort.signal).then(
            () => {
              passes.push(clock.monotonic());
              served.push(index);
            },
            () => joined.splice(joined.indexOf(index), 1),
          );
        } else if (step === "abort one") {
          aborts.splice(index % Math.max(1, aborts.length), 1)[0]?.abort();
        } else {
          await clock.advance(step.advance);
        }
      }
      await clock.advance(1000 * (steps.length + 1));
      await settle();
      expect(served).toEqual(joined);
      expect(clock.timers).toBe(0);
      passes.sort((a, b) => a - b);
      for (const [i, from] of passes.entries())
        for (const [j, to] of passes.entries())
          if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(burst + ((to - from) * perSecond) / 1000 + 1e-6);
    }),
  );
});
