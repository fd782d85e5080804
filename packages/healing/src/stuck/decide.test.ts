import { describe, expect, test } from "vitest";
import { at, epoch, makeInstance } from "../testing/objects.ts";
import { stuckRestartsAnnotation } from "../vocabulary.ts";
import { decideAction, wantedCondition } from "./decide.ts";
import type { Summary } from "./summary.ts";

const stuck: Summary = { is: "stuck", reason: "NotReady", message: "Container web: it runs", pods: ["1"] };
const well: Summary = { is: "well" };
const undecided: Summary = { is: "undecided" };
const said = { type: "Stuck", status: "True", reason: "NotReady", message: "Container web: it runs" } as const;
const ofIt = (condition: object) => makeInstance({ conditions: [condition as typeof said] });

describe("the condition", () => {
  test.each([
    { what: "is not written for one that was never stuck", instance: makeInstance(), summary: well, want: undefined },
    { what: "says that it is stuck", instance: makeInstance(), summary: stuck, want: said },
    { what: "is not said twice", instance: ofIt(said), summary: stuck, want: undefined },
    { what: "is said again", instance: ofIt({ ...said, status: "False" }), summary: stuck, want: said },
    { what: "follows the reason", instance: ofIt({ ...said, reason: "Evicted" }), summary: stuck, want: said },
    { what: "follows the text", instance: ofIt({ ...said, message: "else" }), summary: stuck, want: said },
    { what: "stays while nobody knows", instance: ofIt(said), summary: undecided, want: undefined },
    {
      what: "is taken back",
      instance: ofIt(said),
      summary: well,
      want: { type: "Stuck", status: "False", reason: "Recovered", message: "All containers are ready again." },
    },
    { what: "is not taken back twice", instance: ofIt({ ...said, status: "False" }), summary: well, want: undefined },
    {
      what: "is not written any more when it ends",
      instance: makeInstance({ terminationReason: "Timeout" }),
      summary: stuck,
      want: undefined,
    },
    {
      what: "is not written any more when it is deleted",
      instance: makeInstance({}, { deletionTimestamp: at(0) }),
      summary: stuck,
      want: undefined,
    },
  ])("$what", ({ instance, summary, want }) => {
    expect(wantedCondition(instance, summary)).toEqual(want);
  });
});

describe("the policy", () => {
  const restarted = (mark: string) => makeInstance({}, { annotations: { [stuckRestartsAnnotation]: mark } });
  const restart = { policy: "restart", restarts: 3 } as const;

  test.each([
    { what: "report does nothing", instance: makeInstance(), settings: { policy: "report", restarts: 3 } as const },
    { what: "nothing is done about those that are well", instance: makeInstance(), settings: restart, summary: well },
    { what: "nothing while nobody knows", instance: makeInstance(), settings: restart, summary: undecided },
    { what: "no restarts wanted", instance: makeInstance(), settings: { policy: "restart", restarts: 0 } as const },
    { what: "used up", instance: restarted(`3 ${at(0)}`), settings: restart },
    { what: "used up, and edited", instance: restarted("7 yesterday"), settings: restart },
    { what: "it ends", instance: makeInstance({ terminationReason: "Timeout" }), settings: restart },
    {
      what: "it ends already",
      instance: makeInstance({}, { deletionTimestamp: at(0) }),
      settings: { policy: "terminate", restarts: 3 } as const,
    },
  ])("$what", ({ instance, settings, summary = stuck }) => {
    expect(decideAction(instance, summary, settings, epoch + 9_999_000)).toEqual({ do: "nothing" });
  });

  test.each([
    { mark: "", now: 0, want: { do: "restart", mark: `1 ${at(0)}`, isLast: false } },
    { mark: "rubbish", now: 0, want: { do: "restart", mark: `1 ${at(0)}` } },
    { mark: `1 ${at(0)}`, now: 59, want: { do: "wait", untilMs: epoch + 60_000 } },
    { mark: `1 ${at(0)}`, now: 60, want: { do: "restart", mark: `2 ${at(60)}`, isLast: false } },
    { mark: `2 ${at(100)}`, now: 219, want: { do: "wait", untilMs: epoch + 220_000 } },
    { mark: `2 ${at(100)}`, now: 220, want: { do: "restart", mark: `3 ${at(220)}`, isLast: true } },
  ])("restart after $mark, at $now s: $want.do", ({ mark, now, want }) => {
    expect(decideAction(restarted(mark), stuck, restart, epoch + now * 1000)).toMatchObject(want);
  });

  test("the pause grows, and not without end", () => {
    const pauseAfter = (count: number) => {
      const action = decideAction(restarted(`${count} ${at(0)}`), stuck, { policy: "restart", restarts: 100 }, epoch);
      return action.do === "wait" ? (action.untilMs - epoch) / 60_000 : undefined;
    };
    expect([1, 2, 3, 4, 5, 6, 50].map(pauseAfter)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  test("terminate", () => {
    const settings = { policy: "terminate", restarts: 3 } as const;
    expect(decideAction(makeInstance(), stuck, settings, epoch)).toEqual({ do: "terminate", pods: ["1"] });
  });
});
