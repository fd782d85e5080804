import type { ObjectKey } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { StopTracker } from "./stop-tracker.ts";

const [a, b] = ["berg/a", "berg/b"] as ObjectKey[] as [ObjectKey, ObjectKey];

function setUp() {
  const clock = new FakeClock();
  return { clock, stopping: new StopTracker(clock) };
}

test("there is no longest stop where no instance stops", () => {
  expect(setUp().stopping.longestMs).toBeUndefined();
});

test("the oldest stop counts, until its workloads are deleted or it is gone", async () => {
  const { clock, stopping } = setUp();
  stopping.record(a, clock.now());
  await clock.advance(300);
  stopping.record(b, clock.now());
  await clock.advance(50);
  stopping.record(a, clock.now());
  expect(stopping.longestMs).toBe(350);
  stopping.record(a, undefined);
  expect(stopping.longestMs).toBe(50);
  stopping.record(b, undefined);
  expect(stopping.longestMs).toBeUndefined();
});

test("an instance that cannot be stopped throttles starts for ten seconds only, however often it is reconciled", async () => {
  const { clock, stopping } = setUp();
  const began = clock.now();
  stopping.record(a, began);
  await clock.advance(9_999);
  expect([stopping.longestMs, stopping.isRecent(a)]).toEqual([9_999, true]);
  await clock.advance(1);
  expect(stopping.isRecent(a)).toBe(false);
  expect(stopping.longestMs).toBeUndefined();
  expect(stopping.isRecent(a)).toBe(false);
  stopping.record(a, began);
  expect([stopping.longestMs, stopping.elapsedMs(a)]).toEqual([undefined, 10_000]);
  stopping.record(a, undefined);
  expect(stopping.elapsedMs(a)).toBe(0);
});

test("after a restart the time counts anew, and an end that began long ago throttles no start", async () => {
  const { clock, stopping } = setUp();
  stopping.record(a, clock.now() - 60_000);
  await clock.advance(300);
  stopping.record(a, clock.now() - 60_300);
  expect([stopping.longestMs, stopping.elapsedMs(a), stopping.elapsedMs(b)]).toEqual([undefined, 300, 0]);
});
