import type { Pod } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { behaviourKinds, parseBehaviour } from "./behaviour.ts";
import { decide, holds, type Situation } from "./decide.ts";
import { beginLife, type RestartPolicy } from "./life.ts";
import { statusOf } from "./pod-status.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const place = { hostIP: "10.0.0.1", podIP: "10.128.0.7", isAlive: true };

function makePod(spec: Partial<NonNullable<Pod["spec"]>> = {}, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "ctf", name: "web-1", uid: "u-1", generation: 1, ...metadata },
    spec: { containers: [{ name: "web", image: "web" }], ...spec },
    status: { phase: "Pending" },
  };
}

const bound = { nodeName: "simulated-1" };
const deleted = { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 };

function situation(pod: Pod, more: Partial<Situation> & { as?: string } = {}): Situation {
  const behaviour = parseBehaviour(more.as ?? "ready");
  return {
    pod,
    behaviour,
    life: beginLife(behaviour, now, (pod.spec?.restartPolicy ?? "Always") as RestartPolicy),
    place,
    chooseNode: () => ({ node: "simulated-1" }),
    endsAt: undefined,
    now,
    ...more,
  };
}

describe("the next step", () => {
  const ended = { ...makePod(bound), status: { phase: "Succeeded" } };
  const cases: { name: string; situation: Situation; want: object }[] = [
    {
      name: "binds a pod that has no node",
      situation: situation(makePod()),
      want: { do: "bind", node: "simulated-1" },
    },
    {
      name: "leaves binding to a real scheduler",
      situation: situation(makePod(), { chooseNode: undefined }),
      want: { do: "nothing" },
    },
    {
      name: "leaves a pod of another scheduler alone",
      situation: situation(makePod({ schedulerName: "other" })),
      want: { do: "nothing" },
    },
    {
      name: "leaves a gated pod alone",
      situation: situation(makePod({ schedulingGates: [{ name: "quota" }] })),
      want: { do: "nothing" },
    },
    {
      name: "says why there is no node",
      situation: situation(makePod(), { chooseNode: () => ({ message: "no room" }) }),
      want: { do: "write", status: { conditions: [{ type: "PodScheduled", status: "False", message: "no room" }] } },
    },
    {
      name: "finds no node for an unschedulable pod",
      situation: situation(makePod(), { as: "unschedulable" }),
      want: { do: "write", status: { conditions: [{ reason: "Unschedulable" }] } },
    },
    {
      name: "does not bind what is being deleted",
      situation: situation(makePod({}, deleted)),
      want: { do: "nothing" },
    },
    {
      name: "writes the status of a bound pod",
      situation: situation(makePod(bound)),
      want: { do: "write", status: { phase: "Running" } },
    },
    {
      name: "leaves pods of other nodes alone",
      situation: situation(makePod(bound), { place: undefined }),
      want: { do: "nothing" },
    },
    { name: "removes a pod whose time is up", situation: situation(makePod(bound, deleted)), want: { do: "remove" } },
    {
      name: "lets a pod end in peace",
      situation: situation(makePod(bound, deleted), { endsAt: now + 5000 }),
      want: { do: "wait", ms: 5000 },
    },
    {
      name: "removes a pod only once, though a finalizer holds it",
      situation: situation(makePod(bound, { ...deleted, deletionGracePeriodSeconds: 0 })),
      want: { do: "nothing" },
    },
    { name: "never changes a pod that has ended", situation: situation(ended), want: { do: "nothing" } },
    {
      name: "removes nothing on a dead node",
      situation: situation(makePod(bound, deleted), { place: { ...place, isAlive: false } }),
      want: { do: "nothing" },
    },
  ];
  test.each(cases)("$name", ({ situation, want }) => {
    expect(decide(situation)).toMatchObject(want);
  });

  test("makes the pods of a dead node not ready, once", () => {
    const pod = makePod(bound);
    const ready = { ...pod, status: statusOf(pod, beginLife({ kind: "ready" }, now, "Always"), place, now) };
    const dead = { place: { ...place, isAlive: false } };
    const step = decide(situation(ready, dead));
    if (step.do !== "write") throw new Error(`want a write, got ${step.do}`);
    expect(step.status.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
    const lost = { ...ready, status: { ...ready.status, ...step.status } };
    expect(decide(situation(lost, dead))).toEqual({ do: "nothing" });
  });

  test("after a write only waits for the next moment: no behaviour writes twice for one change", () => {
    const policies = fc.constantFrom("Always", "OnFailure", "Never");
    fc.assert(
      fc.property(fc.constantFrom(...behaviourKinds), policies, fc.nat({ max: 600_000 }), (as, restartPolicy, age) => {
        const pod = makePod({ ...bound, restartPolicy });
        const at = { as, now: now + age };
        const first = decide(situation(pod, at));
        if (first.do !== "write") throw new Error(`want a write, got ${first.do}`);
        const written = { ...pod, status: JSON.parse(JSON.stringify({ ...pod.status, ...first.status })) };
        expect(decide(situation(written, at)).do).not.toBe("write");
      }),
    );
  });
});

describe("what is wanted is there", () => {
  const cases: { actual: unknown; wanted: unknown; want: boolean }[] = [
    { actual: { a: 1, added: 2 }, wanted: { a: 1 }, want: true },
    { actual: { a: 2 }, wanted: { a: 1 }, want: false },
    { actual: undefined, wanted: { a: 1 }, want: false },
    { actual: undefined, wanted: {}, want: true },
    { actual: { time: null }, wanted: { time: undefined }, want: true },
    { actual: [1, 2], wanted: [1], want: false },
    { actual: [{ a: 1, b: 2 }], wanted: [{ a: 1 }], want: true },
    { actual: { running: {} }, wanted: { waiting: { reason: "x" } }, want: false },
  ];
  test.each(cases)("$wanted in $actual: $want", ({ actual, wanted, want }) => {
    expect(holds(actual, wanted)).toBe(want);
  });
});
