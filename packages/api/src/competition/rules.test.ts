import { type Challenge, type CompetitionSpec, competitionDefaults } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { hasStarted, isClosed, isPaused, nextChange, timeoutOf } from "./rules.ts";

const competition = (changes: Partial<CompetitionSpec>): CompetitionSpec => ({ ...competitionDefaults(), ...changes });
const now = Date.parse("2026-11-18T12:00:00Z");
const [before, after] = ["2026-11-18T11:00:00Z", "2026-11-18T13:00:00Z"];

test("it has started from its start on, and without one always", () => {
  expect(hasStarted(competition({}), now)).toBe(true);
  expect(hasStarted(competition({ start: "2026-11-18T12:00:00Z" }), now)).toBe(true);
  expect(hasStarted(competition({ start: after }), now)).toBe(false);
});

test("a pause lasts until its end, and without one until it is removed", () => {
  expect(isPaused(competition({}), now)).toBe(false);
  expect(isPaused(competition({ pause: { start: before, end: after } }), now)).toBe(true);
  expect(isPaused(competition({ pause: { start: before } }), now)).toBe(true);
  expect(isPaused(competition({ pause: { start: before, end: "2026-11-18T12:00:00Z" } }), now)).toBe(false);
});

test("it is closed from its end on, unless players may practise", () => {
  expect(isClosed(competition({}), now)).toBe(false);
  expect(isClosed(competition({ end: after }), now)).toBe(false);
  expect(isClosed(competition({ end: before }), now)).toBe(true);
  expect(isClosed(competition({ end: before, afterEnd: "practice" }), now)).toBe(false);
});

test("the next change is the earliest time ahead", () => {
  expect(nextChange(competition({ start: before, end: "2026-11-18T15:00:00Z", pause: { start: after } }), now)).toBe(
    Date.parse(after),
  );
  expect(nextChange(competition({ start: before }), now)).toBeUndefined();
});

describe("the timeout of a new instance", () => {
  const challenge = (timeout?: string) => ({ spec: timeout === undefined ? {} : { timeout } }) as Challenge;
  const rules = competition({ instances: { owner: "player", timeout: "1h" } });

  test.each([
    ["the competition's where the Challenge has none", undefined, "1h"],
    ["the Challenge's where it is shorter", "30m", undefined],
    ["the competition's where the Challenge's is longer", "2h", "1h"],
  ])("is %s", (_, own, wanted) => {
    expect(timeoutOf(rules, challenge(own))).toBe(wanted);
  });

  test("is left to Challenge and controller where the competition has none", () => {
    expect(timeoutOf(competition({}), challenge())).toBeUndefined();
  });
});
