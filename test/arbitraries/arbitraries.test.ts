/** A generator that never makes the case that matters finds nothing: what each of these makes is looked at here. */
import { validateChallenge, validateChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { challengeArbitrary } from "./challenge.ts";
import { flagArbitrary } from "./flag.ts";
import { instanceArbitrary } from "./instance.ts";
import { admittedChallengeArbitrary, wildChallengeArbitrary } from "./wild-challenge.ts";

const some = <T>(arbitrary: fc.Arbitrary<T>, count = 500) => fc.sample(arbitrary, { seed: 7, numRuns: count });

describe("Challenges that make sense", () => {
  const challenges = some(challengeArbitrary());
  const containers = challenges.flatMap(({ spec }) => spec.containers);
  const ports = containers.flatMap((container) => container.ports);

  test("are valid, and stored as they are", () => {
    for (const challenge of challenges) expect(validateChallenge(challenge)).toEqual({ object: challenge, errors: [] });
  });

  test("have all that a Challenge can have", () => {
    expect(new Set(ports.map(({ type }) => type)).size).toBe(4);
    expect(new Set(ports.map(({ protocol }) => protocol.toLowerCase()))).toEqual(new Set(["tcp", "udp"]));
    const ways = containers.flatMap(({ dynamicFlag = {} }) => Object.keys(dynamicFlag));
    expect(new Set(ways)).toEqual(new Set(["env", "content", "executable"]));
    expect(new Set(challenges.map(({ spec }) => spec.containers.length))).toEqual(new Set([1, 2, 3]));
    expect(containers.some(({ readinessProbe }) => readinessProbe)).toBe(true);
    expect(challenges.some(({ metadata }) => metadata.name.length === 64)).toBe(true);
  });

  test("have names that are unique, and routes that carry TCP", () => {
    for (const { spec } of challenges) {
      const names = spec.containers.flatMap((container) => container.ports.flatMap(({ name }) => name ?? []));
      expect(new Set(names).size).toBe(names.length);
    }
    for (const { type, protocol } of ports) if (type.endsWith("Route")) expect(protocol.toLowerCase()).toBe("tcp");
  });
});

describe("Challenges from the schema", () => {
  const admitted = some(admittedChallengeArbitrary());
  const wild = some(wildChallengeArbitrary(), 1000);
  const text = JSON.stringify(admitted);

  test("are admitted where that is promised", () => {
    expect(admitted.flatMap(({ refused }) => refused)).toEqual([]);
  });

  test.each([
    ["a hostname of 63 characters", `"hostname":"${"a".repeat(63)}"`],
    ["the highest port", '"port":65535'],
    ["a port name over 15 characters", `"name":"${"a".repeat(16)}"`],
    ["a timeout of nothing", '"timeout":"0s"'],
    ["an absurd timeout", '"timeout":"99999999h"'],
    ["a quantity of nothing", '"cpu":"0"'],
    ["an image that is none", '"image":"::"'],
    ["two entropies", '"path":"/{entropy}/{entropy}"'],
    ["an environment that shadows the flag", '"FLAG":'],
    ["an environment name that is none", '"1A=":'],
    ["a capability that is all", '"ALL"'],
    ["a probe that asks nothing", '"readinessProbe":{}'],
    ["a runtime class that is not there", '"runtimeClassName":"no-such-class"'],
    ["a NUL", "\\u0000"],
  ])("hold %s", (_, want) => {
    expect(text).toContain(want);
  });

  test("are refused often enough, by many fields, and not always", () => {
    const refused = wild.filter((challenge) => challenge.refused.length > 0);
    expect(refused.length).toBeGreaterThan(200);
    expect(refused.length).toBeLessThan(800);
    const fields = new Set(refused.flatMap((challenge) => challenge.refused.map(({ field }) => field)));
    expect(fields.size).toBeGreaterThan(40);
  });
});

test("instances are valid, with and without all that an instance can have", () => {
  const [challenge] = some(challengeArbitrary(), 1);
  const instances = some(instanceArbitrary(challenge), 200);
  for (const instance of instances) {
    expect(validateChallengeInstance(instance)).toEqual({ object: instance, errors: [] });
    expect(instance.spec.challengeRef.name).toBe(challenge?.metadata.name);
  }
  for (const field of ["flag", "timeout", "until"] as const) {
    expect(new Set(instances.map(({ spec }) => spec[field] === undefined))).toEqual(new Set([true, false]));
  }
});

test("flags are what an instance admits, survive JSON, and go up to the last byte", () => {
  const flags = some(flagArbitrary());
  for (const flag of flags) {
    expect(flag).not.toContain("\0");
    expect([...flag].length).toBeGreaterThan(0);
    expect([...flag].length).toBeLessThanOrEqual(1024);
    expect(Buffer.from(flag, "utf8").toString("utf8")).toBe(flag);
  }
  expect(Math.max(...flags.map((flag) => Buffer.byteLength(flag)))).toBe(4096);
});
