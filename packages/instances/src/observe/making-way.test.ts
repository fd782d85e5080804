import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { MakingWay } from "./making-way.ts";

function setUp() {
  const clock = new FakeClock();
  const makingWay = new MakingWay(clock);
  return { clock, makingWay };
}

test("few start beside those who stop in time, and many beside nobody", () => {
  const { makingWay } = setUp();
  expect([undefined, 0, 399, undefined].map((ms) => makingWay.atOnce(ms))).toEqual([24, 4, 4, 24]);
});

test("once one is late, nobody starts while others stop, and one at a time in between, for five seconds", async () => {
  const { makingWay, clock } = setUp();
  expect(makingWay.atOnce(400)).toBe(0);
  await clock.advance(600);
  expect(makingWay.atOnce(undefined)).toBe(1);
  await clock.advance(600);
  expect(makingWay.atOnce(10)).toBe(0);
  await clock.advance(3_799);
  expect(makingWay.atOnce(undefined)).toBe(1);
});

test("after that, more and more start", async () => {
  const { makingWay, clock } = setUp();
  makingWay.atOnce(400);
  const allowed: number[][] = [];
  for (let second = 4; second <= 9; second++) {
    await clock.advance(second === 4 ? 4_000 : 1_000);
    allowed.push([undefined, 10].map((ms) => makingWay.atOnce(ms)));
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

test("where ends are always late, one at a time starts for half of the time", async () => {
  const { makingWay, clock } = setUp();
  const allowed: number[] = [];
  for (let second = 0; second < 4; second++) {
    allowed.push(makingWay.atOnce(900));
    await clock.advance(999);
    allowed.push(makingWay.atOnce(900));
    await clock.advance(1);
  }
  expect(allowed).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
});
