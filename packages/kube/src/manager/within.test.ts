import { expect, test } from "vitest";
import { sleep } from "../clock.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { within } from "./within.ts";

test("work that ends in time is passed on, and leaves no timer", async () => {
  const clock = new FakeClock();
  expect(await within(clock, 1000, async () => 7)).toBe(7);
  await expect(within(clock, 1000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(
    within(clock, 1000, () => {
      throw new Error("at once");
    }),
  ).rejects.toThrow("at once");
  expect(clock.timers).toBe(0);
});

test("work that takes too long is told to end", async () => {
  const clock = new FakeClock();
  const work = within(clock, 1000, (signal) => sleep(clock, 5000, signal));
  const failure = expect(work).rejects.toThrow("it took longer than 1000 ms");
  await clock.advance(1000);
  await failure;
  expect(clock.timers).toBe(0);
});
