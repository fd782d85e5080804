import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, type Goal, median } from "./figure.ts";

describe("compare", () => {
  const cases: { value: number; beside: number; goal: Goal; want: { ratio: number; goal: string; met: boolean } }[] = [
    { value: 60, beside: 100, goal: { atLeast: 0.5 }, want: { ratio: 0.6, goal: ">= 0.5", met: true } },
    { value: 50, beside: 100, goal: { atLeast: 0.5 }, want: { ratio: 0.5, goal: ">= 0.5", met: true } },
    { value: 49, beside: 100, goal: { atLeast: 0.5 }, want: { ratio: 0.49, goal: ">= 0.5", met: false } },
    { value: 80, beside: 80, goal: { atMost: 1 }, want: { ratio: 1, goal: "<= 1", met: true } },
    { value: 88, beside: 80, goal: { atMost: 1 }, want: { ratio: 1.1, goal: "<= 1", met: false } },
  ];
  test.each(cases)("$value beside $beside with $goal is met: $want.met", ({ want, ...measured }) => {
    const figure = compare({ name: "speed", unit: "frames/s", ...measured });
    expect(figure).toMatchObject({ name: "speed", unit: "frames/s", goal: want.goal, met: want.met });
    expect(figure.ratio).toBeCloseTo(want.ratio);
  });

  test.each([
    [0, 5],
    [5, 0],
    [Number.NaN, 5],
    [-3, 5],
  ])("refuses %d beside %d, which nobody can have measured", (value, beside) => {
    expect(() => compare({ name: "speed", unit: "s", value, beside, goal: { atLeast: 1 } })).toThrow(
      `cannot compare speed: ${value} and ${beside} s`,
    );
  });
});

describe("median", () => {
  test.each([
    { values: [3], want: 3 },
    { values: [9, 1, 5], want: 5 },
    { values: [100, 9, 10, 1], want: 9.5 },
  ])("of $values is $want", ({ values, want }) => {
    expect(median(values)).toBe(want);
  });

  test("has as many values below it as above it, and leaves them as they were", () => {
    const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(numbers, (values) => {
        const before = [...values];
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
        expect(values).toEqual(before);
      }),
    );
  });

  test("of nothing is a mistake", () => {
    expect(() => median([])).toThrow("median of nothing");
  });
});
