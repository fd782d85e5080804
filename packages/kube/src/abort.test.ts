import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { abortable } from "./abort.ts";
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
