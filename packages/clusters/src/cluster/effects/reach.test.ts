import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { TargetUnavailable } from "../../target/target.ts";
import { makeCluster } from "../testing/make-objects.ts";
import { reach } from "./reach.ts";
import type { Surroundings } from "./surroundings.ts";

test("the next try is due by a clock that nobody sets", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  clock.jumpWall(-86_400_000);
  const targets = { check: async () => ({ server: "https://one", version: "v1.36.0", expiresAt: undefined }) };
  const around = { clock, targets, random: () => 0.5 } as unknown as Surroundings;
  const { until } = await reach({ cluster: makeCluster(), secret: undefined }, around, new AbortController().signal);
  expect(until).toBe(1_000 + 5 * 60_000);
});

test.each([
  { what: "away", again: true, secret: "seen", seconds: 30 },
  { what: "not to be reached with this Secret, which is seen", again: false, secret: "seen", seconds: 300 },
  { what: "not to be reached with this Secret, which nobody sees", again: false, secret: undefined, seconds: 30 },
])("one that is $what is tried again after $seconds s", async ({ again, secret, seconds }) => {
  const targets = { check: () => Promise.reject(new TargetUnavailable("Why", "so", again)) };
  const around = { clock: new FakeClock(), targets, random: () => 0.5 } as unknown as Surroundings;
  const reached = await reach({ cluster: makeCluster(), secret }, around, new AbortController().signal);
  expect(reached).toMatchObject({ secret, isFinal: !again, until: seconds * 1000 });
});
