import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ProblemError } from "../problems.ts";
import { RateLimits } from "./rate-limit.ts";

/** How many of these in a row are allowed. */
function allowed(limits: RateLimits, who: string): number {
  for (let count = 0; ; count++) {
    try {
      limits.take("start", who);
    } catch (error) {
      expect(error).toBeInstanceOf(ProblemError);
      expect((error as ProblemError).problem).toMatchObject({ status: 429, retryAfter: 1 });
      return count;
    }
  }
}

test("a burst is allowed, then one for each interval, for each who asks", async () => {
  const clock = new FakeClock();
  const limits = new RateLimits(clock);
  expect(allowed(limits, "a")).toBe(30);
  expect(allowed(limits, "b")).toBe(30);
  await clock.advance(2_000);
  expect(allowed(limits, "a")).toBe(2);
  await clock.advance(3_600_000);
  expect(allowed(limits, "a")).toBe(30);
});
