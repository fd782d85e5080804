import type { ObjectKey } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { Stopping } from "./stopping.ts";

const [a, b] = ["berg/a", "berg/b"] as ObjectKey[] as [ObjectKey, ObjectKey];

function setUp() {
  const clock = new FakeClock();
  return { clock, stopping: new Stopping(clock) };
}

test("nobody is waited for where nobody stops", () => {
  expect(setUp().stopping.longestMs).toBeUndefined();
});

test("the one that has waited longest counts, until it has been told or is gone", async () => {
  const { clock, stopping } = setUp();
  stopping.note(a, clock.now());
  await clock.advance(300);
  stopping.note(b, clock.now());
  await clock.advance(50);
  stopping.note(a, clock.now());
  expect(stopping.longestMs).toBe(350);
  stopping.note(a, undefined);
  expect(stopping.longestMs).toBe(50);
  stopping.note(b, undefined);
  expect(stopping.longestMs).toBeUndefined();
});

test("one that cannot be stopped keeps nobody from starting for long, however often it is looked at", async () => {
  const { clock, stopping } = setUp();
  const began = clock.now();
  stopping.note(a, began);
  await clock.advance(9_999);
  expect([stopping.longestMs, stopping.counts(a)]).toEqual([9_999, true]);
  await clock.advance(1);
  expect(stopping.counts(a)).toBe(false);
  expect(stopping.longestMs).toBeUndefined();
  expect(stopping.counts(a)).toBe(false);
  stopping.note(a, began);
  expect([stopping.longestMs, stopping.msOf(a)]).toEqual([undefined, 10_000]);
  stopping.note(a, undefined);
  expect(stopping.msOf(a)).toBe(0);
});

test("after a restart it has its time anew, and nobody makes way for what began long ago", async () => {
  const { clock, stopping } = setUp();
  stopping.note(a, clock.now() - 60_000);
  await clock.advance(300);
  stopping.note(a, clock.now() - 60_300);
  expect([stopping.longestMs, stopping.msOf(a), stopping.msOf(b)]).toEqual([undefined, 300, 0]);
});
