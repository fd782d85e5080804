import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { AbortFollower, abortable, aborted } from "./abort.ts";
import { settle } from "./testing/fake-clock.ts";

test("a promise that settles in time is passed on, and leaves nothing on the signal", async () => {
  const { signal } = new AbortController();
  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error("x")), signal)).rejects.toThrow("x");
  expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort is passed on at once, and leaves nothing on the signal", async () => {
  const abort = new AbortController();
  const waiting = abortable(new Promise(() => {}), abort.signal);
  abort.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  await expect(abortable(Promise.resolve(1), abort.signal)).rejects.toBe("enough");
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("a promise that fails after the abort, or beside it, is no unhandled rejection", async () => {
  const abort = new AbortController();
  const late = Promise.withResolvers<void>();
  const waiting = abortable(late.promise, abort.signal);
  abort.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  late.reject(new Error("late"));
  await expect(abortable(Promise.reject(new Error("beside")), abort.signal)).rejects.toBe("enough");
  await settle();
});

test("aborted resolves with the abort, also one that was before", async () => {
  const abort = new AbortController();
  const waiting = aborted(abort.signal);
  abort.abort();
  await waiting;
  await aborted(abort.signal);
});

test("a follower is aborted by itself or with its leader, for the reason of whichever was first", () => {
  const leader = new AbortController();
  using early = new AbortFollower(leader.signal);
  using other = new AbortFollower(leader.signal);
  early.abort("early");
  expect([leader.signal.aborted, other.signal.aborted]).toEqual([false, false]);
  leader.abort("leader");
  using late = new AbortFollower(leader.signal);
  expect([early, other, late].map(({ signal }) => signal.reason)).toEqual(["early", "leader", "leader"]);
});

test("a follower that is disposed of follows no more, and leaves nothing on its leader", () => {
  const leader = new AbortController();
  const signals = Array.from({ length: 10 }, () => {
    using follower = new AbortFollower(leader.signal);
    return follower.signal;
  });
  expect(getEventListeners(leader.signal, "abort")).toEqual([]);
  leader.abort();
  expect(signals.some((signal) => signal.aborted)).toBe(false);
});
