import { expect, test } from "vitest";
import { competitionPeriod } from "./competition.ts";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const times = { start: at(100), end: at(200), pauseStart: at(120), pauseEnd: at(140), afterEnd: "closed" } as const;

test.each([
  { second: 99, want: "before" },
  { second: 100, want: "during" },
  { second: 119, want: "during" },
  { second: 120, want: "paused" },
  { second: 139, want: "paused" },
  { second: 140, want: "during" },
  { second: 200, want: "over" },
])("second $second is $want", ({ second, want }) => {
  expect(competitionPeriod(times, second * 1000)).toBe(want);
});

test("a pause without an end lasts until the end of the competition", () => {
  const open = { ...times, pauseEnd: null };
  expect([130, 199, 200].map((second) => competitionPeriod(open, second * 1000))).toEqual(["paused", "paused", "over"]);
});

test("after the end, practice goes on where the organisers say so", () => {
  expect(competitionPeriod({ ...times, afterEnd: "practice" }, 300_000)).toBe("practice");
});
