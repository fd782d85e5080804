import { expect, test } from "vitest";
import { announcedMinutes, formatCountdown, formatDuration, formatElapsed, isNever } from "./countdown.ts";

const minute = 60_000;

test.each([
  { ms: -5_000, want: "0:00" },
  { ms: 0, want: "0:00" },
  { ms: 59_999, want: "0:59" },
  { ms: 4 * minute + 5_000, want: "4:05" },
  { ms: 64 * minute + 5_000, want: "1:04:05" },
  { ms: (2 * 24 + 1) * 60 * minute + 4 * minute, want: "2d 1:04:00" },
])("shows $ms ms as $want", ({ ms, want }) => {
  expect(formatCountdown(ms)).toBe(want);
});

test("shows elapsed time in seconds, then in minutes", () => {
  expect([-1, 0, 42_900, 185_000].map(formatElapsed)).toEqual(["0 s", "0 s", "42 s", "3 min 05 s"]);
});

test("shows short durations to a tenth of a second", () => {
  expect([-1, 0, 420, 9_949, 12_300].map(formatDuration)).toEqual(["0.0 s", "0.0 s", "0.4 s", "9.9 s", "12 s"]);
});

test("announces ten, five and one minute, and the end", () => {
  const left = [60, 11, 10, 6, 5, 2, 1, 0.5, 0, -1].map((minutes) => announcedMinutes(minutes * minute));
  expect(left).toEqual([undefined, undefined, 10, 10, 5, 5, 1, 1, 0, 0]);
});

test("knows the end that stands for none", () => {
  expect(isNever("9999-12-31T23:59:59Z")).toBe(true);
  expect(isNever("2026-11-18T12:00:00Z")).toBe(false);
});
