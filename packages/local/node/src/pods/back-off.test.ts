import { expect, test } from "vitest";
import { type BackOff, raise, waitsUntil } from "./back-off.ts";

const seconds = 1000;

test("10 s, then twice as long each time, up to 5 minutes", () => {
  let backOff: BackOff | undefined;
  const delays = [];
  for (let time = 0; time < 7; time++) {
    backOff = raise(backOff, 0, 0);
    delays.push(backOff.delayMs / seconds);
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
});

test("who ended waits from its end on; who ran for ten minutes begins anew", () => {
  expect(waitsUntil(undefined, 0, 0)).toBeUndefined();
  const backOff = { delayMs: 20 * seconds, at: 0 };
  expect(waitsUntil(backOff, 5 * seconds, 24 * seconds)).toBe(25 * seconds);
  expect(waitsUntil(backOff, 5 * seconds, 25 * seconds)).toBeUndefined();
  expect(waitsUntil(backOff, 600 * seconds, 600 * seconds)).toBe(620 * seconds);
  expect(waitsUntil(backOff, 601 * seconds, 601 * seconds)).toBeUndefined();
  expect(raise(backOff, 601 * seconds, 601 * seconds)).toEqual({ delayMs: 10 * seconds, at: 601 * seconds });
});
