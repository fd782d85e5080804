import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

const almostOne = () => 1 - Number.EPSILON;

describe("Backoff", () => {
  test("the ceiling doubles with each failure, from 200 ms to two minutes", () => {
    const backoff = new Backoff(almostOne);
    const delays = Array.from({ length: 11 }, () => Math.round(backoff.failed("a", 0)));
    expect(delays).toEqual([200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 120_000]);
  });

  test("a key rests for a tenth of it, up to 5 s", () => {
    const backoff = new Backoff(almostOne);
    const rests = Array.from({ length: 11 }, () => {
      backoff.failed("a", 1000);
      return backoff.restMs("a", 1000);
    });
    expect(rests).toEqual([20, 40, 80, 160, 320, 640, 1280, 2560, 5000, 5000, 5000]);
    expect([backoff.restMs("a", 4000), backoff.restMs("a", 7000), backoff.restMs("b", 1000)]).toEqual([2000, 0, 0]);
    backoff.forget("a");
    expect(backoff.restMs("a", 1000)).toBe(0);
  });

  test("keys do not slow each other, and a forgotten key starts anew", () => {
    const backoff = new Backoff(almostOne);
    for (let i = 0; i < 5; i++) backoff.failed("a", 0);
    expect([backoff.retries("a"), backoff.retries("b")]).toEqual([5, 0]);
    expect(Math.round(backoff.failed("b", 0))).toBe(200);
    backoff.forget("a");
    expect(backoff.retries("a")).toBe(0);
    expect(Math.round(backoff.failed("a", 0))).toBe(200);
  });

  test("every delay lies between the rest and the ceiling, after thousands of failures too", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 3000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (firstMs, more, failures, draw) => {
          const backoff = new Backoff(() => draw, { firstMs, maxMs: firstMs + more });
          for (let i = 0; i < failures; i++) backoff.failed("a", 0);
          const ceiling = Math.min(firstMs + more, firstMs * 2 ** failures);
          const rest = Math.min(5000, ceiling / 10);
          expect(backoff.failed("a", 0)).toBe(rest + draw * (ceiling - rest));
        },
      ),
    );
  });

  test("remembers no more keys than failed and were not forgotten", () => {
    const backoff = new Backoff(almostOne);
    for (let i = 0; i < 1000; i++) backoff.failed(`key ${i}`, 0);
    for (let i = 0; i < 1000; i++) backoff.forget(`key ${i}`);
    expect(backoff.retries("never failed")).toBe(0);
    expect(backoff.size).toBe(0);
  });

  test.each([
    { firstMs: 0, maxMs: 10 },
    { firstMs: 20, maxMs: 10 },
    { firstMs: 1, maxMs: Number.POSITIVE_INFINITY },
    { firstMs: Number.NaN, maxMs: 10 },
  ])("refuses $firstMs ms to $maxMs ms", (options) => {
    expect(() => new Backoff(almostOne, options)).toThrow(/cannot back off from/);
  });
});
