import { expect, test } from "vitest";
import { Life } from "../instances/lives.ts";
import { spread, waveFigures } from "./wave.ts";

const life = (fields: Partial<Life>) =>
  Object.assign(
    new Life(),
    {
      runningAt: 1,
      expiresAt: 10_000,
      terminationReason: "Timeout",
      deploymentGoneAt: 10_200,
      podsGoneAt: 10_900,
      namespaceGoneAt: 13_000,
    },
    fields,
  );

test("the slowest of each counts, from its own end", () => {
  const lives = [
    life({}),
    life({ expiresAt: 20_000, deploymentGoneAt: 20_100, podsGoneAt: 22_500, namespaceGoneAt: 21_000 }),
  ];
  expect(waveFigures("wave", lives, 1).map(({ value, beside, met }) => [value, beside, met])).toEqual([
    [2, 2, true],
    [200, 2000, true],
    [2500, 2000, false],
    [3, 2, true],
  ]);
});

test.each([
  ["never ran", { runningAt: undefined }],
  ["ended for another reason", { terminationReason: "Failure" }],
])("one that %s is lost", (_, fields) => {
  const [lost] = waveFigures("wave", [life({}), life(fields as Partial<Life>)], 1);
  expect([lost?.value, lost?.met]).toEqual([1, false]);
});

test("the spread of every step is told", () => {
  const lives = [1, 2, 3].map((n) => life({ createdAt: 1000, runningAt: 1000 + n * 100, endingAt: 10_000 + n }));
  expect(spread(lives).slice(0, 2)).toEqual([
    "created to Running: p50 200, p99 300, slowest 300 ms",
    "time up to its end's being decided: p50 2, p99 3, slowest 3 ms",
  ]);
});
