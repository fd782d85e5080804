import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstState, nextState, type ProbeKind } from "./probe-state.ts";

type Outcome = "success" | "failure";
const letters: Record<string, Outcome> = { s: "success", f: "failure" };

function verdicts(kind: ProbeKind, probe: object, row: string): string {
  let state = firstState(kind);
  const shown = [state.verdict[0]];
  for (const letter of row) {
    if (state.isDone) return `${shown.join("")}.`;
    state = nextState(kind, probe, state, letters[letter] as Outcome);
    shown.push(state.verdict[0]);
  }
  return `${shown.join("")}${state.isDone ? "." : ""}`;
}

describe("what a row of outcomes makes of a container", () => {
  const cases: { kind: ProbeKind; probe?: object; row: string; want: string }[] = [
    { kind: "readiness", row: "sffsfffs", want: "fssssssfs" },
    { kind: "readiness", probe: { failureThreshold: 1 }, row: "sfs", want: "fsfs" },
    { kind: "readiness", probe: { successThreshold: 2 }, row: "ssfs", want: "ffsss" },
    { kind: "liveness", probe: { failureThreshold: 2 }, row: "fsffff", want: "ssssf." },
    { kind: "startup", probe: { failureThreshold: 2 }, row: "fsf", want: "uus." },
    { kind: "startup", probe: { failureThreshold: 2 }, row: "fff", want: "uuf." },
  ];
  test.each(cases)("$kind $probe $row", ({ kind, probe = {}, row, want }) => {
    expect(verdicts(kind, probe, row)).toBe(want);
  });

  test("a verdict changes only after as many in a row as its threshold", () => {
    const outcomes = fc.array(fc.constantFrom<Outcome>("success", "failure"), { maxLength: 30 });
    fc.assert(
      fc.property(
        outcomes,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (row, failures, successes) => {
          let state = firstState("readiness");
          for (const [index, outcome] of row.entries()) {
            const before = state.verdict;
            state = nextState("readiness", { failureThreshold: failures, successThreshold: successes }, state, outcome);
            const needed = outcome === "failure" ? failures : successes;
            const last = row.slice(Math.max(0, index + 1 - needed), index + 1);
            const isEnough = last.length === needed && last.every((one) => one === outcome);
            expect(state.verdict).toBe(isEnough ? outcome : before);
          }
        },
      ),
    );
  });
});
