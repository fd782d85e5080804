import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { StartThrottle } from "./start-throttle.ts";

function setUp() {
  const clock = new FakeClock();
  const throttle = new StartThrottle(clock);
  const starts = (stoppingMs: number | undefined) => throttle.limits(stoppingMs).leisurely;
  return { clock, throttle, starts };
}

test("few instances start while others stop in time, and many while none stops", () => {
  const { starts } = setUp();
  expect([undefined, 0, 399, undefined].map(starts)).toEqual([24, 4, 4, 24]);
});

test("for five seconds after a late stop, none starts while others stop, and one at a time otherwise", async () => {
  const { starts, clock } = setUp();
  expect(starts(400)).toBe(0);
  await clock.advance(600);
  expect(starts(undefined)).toBe(1);
  await clock.advance(600);
  expect(starts(10)).toBe(0);
  await clock.advance(3_799);
  expect(starts(undefined)).toBe(1);
});

test("after that, the number of starts grows", async () => {
  const { starts, clock } = setUp();
  starts(400);
  const allowed: number[][] = [];
  for (let second = 4; second <= 9; second++) {
    await clock.advance(second === 4 ? 4_000 : 1_000);
    allowed.push([undefined, 10].map(starts));
  }
  expect(allowed).toEqual([
    [1, 0],
    [2, 2],
    [4, 4],
    [8, 4],
    [16, 4],
    [24, 4],
  ]);
});

test("where every stop is late, one at a time starts for half of the time", async () => {
  const { starts, clock } = setUp();
  const allowed: number[] = [];
  for (let second = 0; second < 4; second++) {
    allowed.push(starts(900));
    await clock.advance(999);
    allowed.push(starts(900));
    await clock.advance(1);
  }
  expect(allowed).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
});

test("ordinary reconciles go on, fewer at once while instances stop or the server is busy", async () => {
  const { throttle, clock } = setUp();
  const begun = (stoppingMs: number | undefined) => throttle.limits(stoppingMs).ordinary;
  expect([undefined, 10, 400, undefined].map(begun)).toEqual([16, 4, 4, 4]);
  await clock.advance(5_000);
  expect([undefined, 10].map(begun)).toEqual([16, 4]);
});
