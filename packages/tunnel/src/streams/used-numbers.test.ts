import fc from "fast-check";
import { expect, test } from "vitest";
import { UsedNumbers } from "./used-numbers.ts";

test("each number is good once, in whatever order they come", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4000 })), (numbers) => {
      const used = new UsedNumbers();
      const model = new Set<number>();
      for (const number of numbers) {
        expect(used.take(number)).toBe(!model.has(number));
        model.add(number);
      }
    }),
  );
});

test("an old one is refused, seen or not, and nothing grows without bound", () => {
  const used = new UsedNumbers();
  for (let number = 2; number <= 100_000; number++) expect(used.take(number)).toBe(true);
  expect(used.size).toBeLessThan(10_000);
  expect(used.take(1)).toBe(false);
  expect(used.take(50_000)).toBe(false);
  expect(used.take(100_000 - 4096)).toBe(false);
  expect(used.take(99_999)).toBe(false);
  expect(used.take(100_001)).toBe(true);
});

test("one that overtakes thousands of others does not shut them out", () => {
  const used = new UsedNumbers();
  expect(used.take(4096)).toBe(true);
  expect(used.take(1)).toBe(true);
});

test.each([0, -1, 0.5, 2 ** 53, Number.NaN])("%d is none", (number) => {
  expect(new UsedNumbers().take(number)).toBe(false);
});
