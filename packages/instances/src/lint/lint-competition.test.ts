import { expect, test } from "vitest";
import { lintCompetition } from "./lint-competition.ts";
import { formatProblem } from "./problem.ts";

const manifest = (spec: object) => ({
  apiVersion: "berg.norelect.ch/v1",
  kind: "Competition",
  metadata: { name: "main" },
  spec,
});
const toldOf = (spec: object) =>
  lintCompetition(manifest(spec)).map((problem) => `${problem.severity}: ${formatProblem(problem)}`);
const [first, second, third] = ["2026-10-01T18:00:00Z", "2026-10-02T18:00:00Z", "2026-10-03T18:00:00Z"];

test("a good Competition has no problem", () => {
  expect(toldOf({})).toEqual([]);
  expect(toldOf({ start: first, end: third, freeze: { start: second } })).toEqual([]);
  // The board is shown again after the end, at the ceremony.
  expect(toldOf({ start: first, end: second, freeze: { start: first, end: third } })).toEqual([]);
});

test("a freeze outside the competition is a warning", () => {
  expect(toldOf({ start: second, end: third, freeze: { start: first } })).toEqual([
    `warning: spec.freeze.start: the freeze starts at ${first}, before the competition does (${second}); set it to a time between start and end`,
  ]);
  expect(toldOf({ start: first, end: second, freeze: { start: third } })).toEqual([
    `warning: spec.freeze.start: the freeze starts at ${third}, when the competition has ended (${second}); set it to a time between start and end`,
  ]);
});

test("what the API server refuses is an error with its field, value and fix", () => {
  expect(toldOf({ afterEnd: "open", visibilty: {} })).toEqual([
    'error: spec.afterEnd: Unsupported value: "open": supported values: "closed", "practice"',
    "error: spec.visibilty: Forbidden: there is no such field; remove it, or correct its name",
  ]);
  expect(toldOf({ registration: { mode: "open", opensAt: second, closesAt: first } })).toEqual([
    "error: spec.registration.closesAt: Invalid value: closesAt must be after opensAt",
  ]);
});
