import { formatTime } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { type TargetCheck, TargetUnavailable } from "../../target/target.ts";
import { makeCluster } from "../testing/make-objects.ts";
import { look } from "../testing/make-seen.ts";
import { lineOf, reach } from "./reach.ts";
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
  const { until } = await reach(look(makeCluster()), around, new AbortController().signal);
  expect(until).toBe(1_000 + 5 * 60_000);
});

test.each([
  { what: "away", again: true, secret: "seen", seconds: 30 },
  { what: "not to be reached with this Secret, which is seen", again: false, secret: "seen", seconds: 300 },
  { what: "not to be reached with this Secret, which nobody sees", again: false, secret: undefined, seconds: 30 },
])("one that is $what is tried again after $seconds s", async ({ again, secret, seconds }) => {
  const targets = { check: () => Promise.reject(new TargetUnavailable("Why", "so", again)) };
  const around = { clock: new FakeClock(), targets, random: () => 0.5 } as unknown as Surroundings;
  const reached = await reach(look(makeCluster(), { secret }), around, new AbortController().signal);
  expect(reached).toMatchObject({ secret, isFinal: !again, until: seconds * 1000 });
});

test("one that stays away is tried ever more rarely, until it answers or something changes", async () => {
  let answer: () => Promise<TargetCheck> = () => Promise.reject(new TargetUnavailable("Why", "so", true));
  const around = { clock: new FakeClock(), targets: { check: () => answer() }, random: () => 0.5 };
  let seen = look(makeCluster(), { secret: "seen" });
  const rest = async () => {
    const reached = await reach(seen, around as unknown as Surroundings, new AbortController().signal);
    seen = { ...seen, facts: { reached } };
    return reached.until / 1000;
  };
  const rests: number[] = [];
  for (let time = 0; time < 6; time++) rests.push(await rest());
  expect(rests).toEqual([30, 60, 120, 240, 300, 300]);
  seen = { ...seen, secret: "another" };
  expect([await rest(), await rest()]).toEqual([30, 60]);
  seen = { ...seen, cluster: makeCluster({ generation: 2 }) };
  expect([await rest(), await rest()]).toEqual([30, 60]);
  answer = async () => checked(undefined);
  await rest();
  answer = () => Promise.reject(new TargetUnavailable("Why", "so", true));
  expect(await rest()).toBe(30);
});

describe("those that did not answer", () => {
  const silent = (status: "True" | "False") =>
    makeCluster({ status: { conditions: [{ type: "Reachable", status, reason: "Why", message: "" }] } });
  const reached = { status: "False", reason: "Why", message: "", isFinal: false, generation: 1, until: 0 } as const;
  const others = lineOf(look(makeCluster()));

  test("wait for each other, and those that did answer, or were not tried yet, wait for none of them", () => {
    const line = lineOf(look(silent("False")));
    expect(line).not.toBe(others);
    expect(lineOf(look(silent("False"), { facts: { reached } }))).toBe(line);
    expect(lineOf(look(silent("True")))).toBe(others);
  });

  test("wait no more when there is something new to try", () => {
    expect(lineOf(look(silent("False"), { facts: { reached }, secret: "new" }))).toBe(others);
    expect(lineOf(look(silent("False"), { facts: { reached: { ...reached, generation: 0 } } }))).toBe(others);
  });

  test("have three lines, and the others four: of ten workers some are left for those who need neither", () => {
    const uids = Array.from({ length: 200 }, (_, at) => `uid-${at}`);
    const lines = (status: "True" | "False") =>
      new Set(uids.map((uid) => lineOf(look({ ...silent(status), metadata: { ...silent(status).metadata, uid } }))));
    expect([lines("False").size, lines("True").size]).toEqual([3, 4]);
  });
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
    const seen = look(makeCluster(), { secret: "seen" });
    const reached = await reach(seen, around as unknown as Surroundings, new AbortController().signal);
    expect(reached).toMatchObject({ status: "True", reason, isFinal: false, server: "https://one" });
    if (reason === "CredentialsExpireSoon") expect(reached.message).toContain(`expire at ${ends}: put a new`);
  });
});
