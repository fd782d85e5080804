import { formatTime } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { type TargetCheck, TargetUnavailable } from "../../target/target.ts";
import { makeCluster } from "../testing/make-objects.ts";
import { reach } from "./reach.ts";
import type { Surroundings } from "./surroundings.ts";

const checked = (expiresAt: string | undefined): TargetCheck => ({
  server: "https://one",
  certificateAuthority: "ca",
  version: "v1.36.0",
  expiresAt,
});

test("the next try is due by a clock that nobody sets", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  clock.jumpWall(-86_400_000);
  const targets = { check: async () => checked(undefined) };
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

describe("credentials", () => {
  const week = 7 * 24 * 3_600_000;
  test.each([
    { what: "that never end", left: undefined, reason: "Reachable" },
    { what: "that end in a week and a second", left: week + 1000, reason: "Reachable" },
    { what: "that end in a week", left: week, reason: "Reachable" },
    { what: "that end in less than a week", left: week - 1000, reason: "CredentialsExpireSoon" },
    { what: "that end in a second", left: 1000, reason: "CredentialsExpireSoon" },
  ])("$what: $reason, and the cluster is reached all the same", async ({ left, reason }) => {
    const clock = new FakeClock();
    const ends = left === undefined ? undefined : formatTime(clock.now() + left);
    const around = { clock, targets: { check: async () => checked(ends) }, random: () => 0.5 };
    const look = { cluster: makeCluster(), secret: "seen" };
    const reached = await reach(look, around as unknown as Surroundings, new AbortController().signal);
    expect(reached).toMatchObject({ status: "True", reason, isFinal: false, server: "https://one" });
    if (reason === "CredentialsExpireSoon") expect(reached.message).toContain(`expire at ${ends}: put a new`);
  });
});
