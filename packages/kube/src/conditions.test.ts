import type { Condition } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCondition, isConditionTrue, removeCondition, setCondition, type WantedCondition } from "./conditions.ts";

const before = "2026-01-01T00:00:00Z";
const now = "2026-01-01T00:05:00Z";

const ready: Condition = {
  type: "Ready",
  status: "False",
  reason: "Starting",
  message: "waiting for pods",
  lastTransitionTime: before,
  observedGeneration: 1,
};
const routed: Condition = {
  type: "Routed",
  status: "True",
  reason: "Created",
  message: "",
  lastTransitionTime: before,
};

describe("setCondition", () => {
  const cases: { name: string; old: Condition[] | undefined; set: WantedCondition; want: Condition[] }[] = [
    {
      name: "adds the first condition",
      old: undefined,
      set: { type: "Ready", status: "True", reason: "Running", message: "" },
      want: [{ type: "Ready", status: "True", reason: "Running", message: "", lastTransitionTime: now }],
    },
    {
      name: "adds another behind the others",
      old: [ready],
      set: { type: "Routed", status: "Unknown", reason: "Waiting", message: "m", observedGeneration: 3 },
      want: [
        ready,
        {
          type: "Routed",
          status: "Unknown",
          reason: "Waiting",
          message: "m",
          lastTransitionTime: now,
          observedGeneration: 3,
        },
      ],
    },
    {
      name: "moves the transition time with the status, and keeps the place",
      old: [ready, routed],
      set: { type: "Ready", status: "True", reason: "Running", message: "", observedGeneration: 2 },
      want: [
        {
          type: "Ready",
          status: "True",
          reason: "Running",
          message: "",
          lastTransitionTime: now,
          observedGeneration: 2,
        },
        routed,
      ],
    },
    {
      name: "keeps the transition time while the status stays",
      old: [routed, ready],
      set: { type: "Ready", status: "False", reason: "ImagePull", message: "slow registry", observedGeneration: 1 },
      want: [routed, { ...ready, reason: "ImagePull", message: "slow registry" }],
    },
    {
      name: "drops an observedGeneration that is no longer given",
      old: [{ ...routed, observedGeneration: 7 }],
      set: { type: "Routed", status: "True", reason: "Created", message: "" },
      want: [routed],
    },
    {
      name: "keeps the first of duplicates that somebody else wrote",
      old: [ready, routed, { ...ready, message: "twice" }],
      set: { type: "Ready", status: "False", reason: "Starting", message: "waiting for pods", observedGeneration: 1 },
      want: [ready, routed],
    },
    {
      name: "repairs a missing transition time",
      old: [{ type: "Routed", status: "True", reason: "Created", message: "" }],
      set: { type: "Routed", status: "True", reason: "Created", message: "" },
      want: [{ ...routed, lastTransitionTime: now }],
    },
  ];
  for (const { name, old, set, want } of cases) {
    test(name, () => {
      const frozen = old && Object.freeze(old.map((condition) => Object.freeze(condition)));
      expect(setCondition(frozen as Condition[] | undefined, set, now)).toEqual(want);
    });
  }

  test("returns the same array where nothing changes", () => {
    const old = [ready, routed];
    expect(
      setCondition(
        old,
        { type: "Ready", status: "False", reason: "Starting", message: "waiting for pods", observedGeneration: 1 },
        now,
      ),
    ).toBe(old);
  });

  test("after any sequence there is one condition a type, whose time is that of its last change of status", () => {
    const wanted = fc.record({
      type: fc.constantFrom("Ready", "Routed", "Admitted"),
      status: fc.constantFrom<Condition["status"]>("True", "False", "Unknown"),
      reason: fc.constantFrom("A", "B"),
      message: fc.constantFrom("", "m"),
    });
    fc.assert(
      fc.property(fc.array(wanted), (sequence) => {
        let conditions: Condition[] = [];
        const changed = new Map<string, { status: string; at: string }>();
        sequence.forEach((set, step) => {
          const at = `t${step}`;
          if (changed.get(set.type)?.status !== set.status) changed.set(set.type, { status: set.status, at });
          conditions = setCondition(conditions, set, at);
          expect(setCondition(conditions, set, "later")).toBe(conditions);
        });
        expect(conditions.map((condition) => condition.type)).toEqual([...changed.keys()]);
        for (const { type, status, lastTransitionTime } of conditions)
          expect({ status, at: lastTransitionTime }).toEqual(changed.get(type));
      }),
    );
  });
});

describe("reading conditions", () => {
  test("a condition is found by its type", () => {
    expect(findCondition([ready, routed], "Routed")).toBe(routed);
    expect(findCondition([ready], "Routed")).toBeUndefined();
    expect(findCondition(undefined, "Routed")).toBeUndefined();
  });

  test("only True is true", () => {
    expect(isConditionTrue([ready, routed], "Routed")).toBe(true);
    expect(isConditionTrue([ready, routed], "Ready")).toBe(false);
    expect(isConditionTrue([{ ...ready, status: "Unknown" }], "Ready")).toBe(false);
    expect(isConditionTrue(undefined, "Ready")).toBe(false);
  });

  test("removing gives the same array where there is nothing to remove", () => {
    const old = [ready, routed];
    expect(removeCondition(old, "Ready")).toEqual([routed]);
    expect(removeCondition(old, "Admitted")).toBe(old);
    expect(removeCondition(undefined, "Ready")).toEqual([]);
  });
});
