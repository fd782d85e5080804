import { FakeClock } from "@berg/kube/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

test("what was in store costs no time", () => {
  const pace = new Pace(new FakeClock(), 10_000);
  expect(pace.spend(1000)).toBe(0);
  expect(pace.spend(1)).toBeCloseTo(0.1);
});

test("who waits as long as told never goes faster than the rate, nor much slower", async () => {
  const step = fc.record({ bytes: fc.integer({ min: 1, max: 65_536 }), restMs: fc.constantFrom(0, 0, 0, 50, 1000) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1000, max: 10_000_000 }), fc.array(step), async (rate, steps) => {
      const clock = new FakeClock();
      const pace = new Pace(clock, rate);
      let bytes = 0;
      let restedMs = 0;
      for (const step of steps) {
        bytes += step.bytes;
        await clock.advance(pace.spend(step.bytes));
        expect(bytes).toBeLessThanOrEqual((rate * (clock.monotonic() + 100)) / 1000 + 1);
        await clock.advance(step.restMs);
        restedMs += step.restMs;
      }
      expect(clock.monotonic() - restedMs).toBeLessThanOrEqual((bytes / rate) * 1000 + 1);
    }),
    { numRuns: 30 },
  );
});

test("a long rest does not fill the store beyond its size", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 10_000);
  await clock.advance(3_600_000);
  expect(pace.spend(2000)).toBeCloseTo(100);
});
