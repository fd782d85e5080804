import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

const almostOne = () => 1 - Number.EPSILON;

describe("Backoff", () => {
  test("the ceiling doubles with each failure, from 200 ms to 5 min", () => {
    const backoff = new Backoff(almostOne);
    const delays = Array.from({ length: 14 }, () => Math.round(backoff.failed("a")));
    expect(delays).toEqual([
      200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 204_800, 300_000, 300_000, 300_000,
    ]);
  });

  test("keys do not slow each other, and a forgotten key starts anew", () => {
    const backoff = new Backoff(almostOne);
    for (let i = 0; i < 5; i++) backoff.failed("a");
    expect([backoff.retries("a"), backoff.retries("b")]).toEqual([5, 0]);
    expect(Math.round(backoff.failed("b"))).toBe(200);
    backoff.forget("a");
    expect(backoff.retries("a")).toBe(0);
    expect(Math.round(backoff.failed("a"))).toBe(200);
  });

  test("every delay lies between nothing and the ceiling, after thousands of failures too", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 3000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (firstMs, more, failures, draw) => {
          const backoff = new Backoff(() => draw, { firstMs, maxMs: firstMs + more });
          for (let i = 0; i < failures; i++) backoff.failed("a");
          const ceiling = Math.min(firstMs + more, firstMs * 2 ** failures);
          expect(backoff.failed("a")).toBe(draw * ceiling);
        },
      ),
    );
  });

  test("remembers no more keys than failed and were not forgotten", () => {
    const backoff = new Backoff(almostOne);
    for (let i = 0; i < 1000; i++) backoff.failed(`key ${i}`);
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
