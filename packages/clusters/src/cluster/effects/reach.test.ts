import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { makeCluster } from "../testing/make-objects.ts";
import { reach } from "./reach.ts";
import type { Surroundings } from "./surroundings.ts";

test("the next try is due by a clock that nobody sets", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  clock.jumpWall(-86_400_000);
  const targets = { check: async () => ({ server: "https://one", version: "v1.36.0", expiresAt: undefined }) };
  const around = { clock, targets, random: () => 0.5 } as unknown as Surroundings;
  const { until } = await reach(makeCluster(), around, new AbortController().signal);
  expect(until).toBe(1_000 + 5 * 60_000);
});
