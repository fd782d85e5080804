import { expect, test } from "vitest";
import { Life } from "../instances/lives.ts";
import { endedFigures } from "./ends.ts";

const life = (fields: Partial<Life>) =>
  Object.assign(new Life(), { expiresAt: 10_000, endingAt: 10_100, deploymentGoneAt: 10_300 }, fields);

test("the slowest of each counts, from its own end", () => {
  const lives = [life({}), life({ expiresAt: 20_000, endingAt: 21_500, deploymentGoneAt: 21_900 })];
  expect(endedFigures("wave", lives).map(({ value, beside, met }) => [value, beside, met])).toEqual([
    [1500, 1000, false],
    [1900, 2000, true],
  ]);
});

test("one that never began to end is no measurement", () => {
  const never = Object.assign(new Life(), { expiresAt: 10_000 });
  expect(() => endedFigures("wave", [life({}), never])).toThrow("wave: begun after their time");
});
