import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { Fence, instant } from "./fence.ts";

const deadlineMs = 10_000;

function setUp() {
  const clock = new FakeClock();
  return { clock, fence: new Fence(clock, deadlineMs) };
}

test("it is shut until the first renewal", () => {
  const { clock, fence } = setUp();
  expect(fence.isOpen).toBe(false);
  expect(fence.wasOpen).toBe(false);
  expect(fence.renewed(instant(clock))).toBe(true);
  expect(fence.isOpen).toBe(true);
});

test("it shuts when the last renewal was begun its deadline ago", async () => {
  const { clock, fence } = setUp();
  fence.renewed(instant(clock));
  await clock.advance(4000);
  const begun = instant(clock);
  await clock.advance(3000);
  expect(fence.renewed(begun)).toBe(true);
  expect(fence.leftMs).toBe(7000);
  await clock.advance(6999);
  expect(fence.isOpen).toBe(true);
  await clock.advance(1);
  expect(fence.isOpen).toBe(false);
});

test("a renewal begun in time and confirmed too late does not open it again, nor does any later one", async () => {
  const { clock, fence } = setUp();
  fence.renewed(instant(clock));
  await clock.advance(9000);
  const begun = instant(clock);
  await clock.advance(1000);
  expect(fence.renewed(begun)).toBe(false);
  expect(fence.isOpen).toBe(false);
  expect(fence.renewed(instant(clock))).toBe(false);
  expect(fence.isOpen).toBe(false);
});

test("a first renewal that is confirmed too late does not open it, and leaves it to the next", async () => {
  const { clock, fence } = setUp();
  const begun = instant(clock);
  await clock.advance(deadlineMs);
  expect(fence.renewed(begun)).toBe(false);
  expect(fence.wasOpen).toBe(false);
  expect(fence.renewed(instant(clock))).toBe(true);
});

test("the clock that has gone further counts", () => {
  const { clock, fence } = setUp();
  fence.renewed(instant(clock));
  clock.jumpWall(-60_000);
  expect(fence.isOpen).toBe(true);
  clock.jumpWall(60_000 + deadlineMs);
  expect(fence.isOpen).toBe(false);
});

test("closed by hand it stays shut", () => {
  const { clock, fence } = setUp();
  fence.renewed(instant(clock));
  fence.close();
  expect(fence.isOpen).toBe(false);
  expect(fence.renewed(instant(clock))).toBe(false);
});
