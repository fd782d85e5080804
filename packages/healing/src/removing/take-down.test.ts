import { describe, expect, test } from "vitest";
import type { Workloads } from "./sight.ts";
import { type Circumstances, takeDown } from "./take-down.ts";
import { makeDeployment, makeNamespace, makePod, start } from "./testing/objects.ts";

const namespace = makeNamespace("challenge-a");
const second = (seconds: number) => start + seconds * 1000;

interface Case extends Partial<Workloads> {
  namespace?: typeof namespace;
  /** In seconds after the start, as all times here; it fell due at the start. */
  now: number;
  around?: Partial<Circumstances>;
  want: object;
}

const web = makeDeployment("web");
const db = makeDeployment("db");
const pod = makePod("web-1");

const cases: Record<string, Case> = {
  "a namespace that goes already is left alone": {
    namespace: makeNamespace("challenge-a", { deleted: 0 }),
    deployments: [web],
    now: 0,
    want: { next: "nothing" },
  },
  "Deployments go first, all at once, and no pod with them": {
    deployments: [web, db],
    pods: [pod],
    now: 100,
    want: { next: "stop", deployments: [web, db], pods: [], lookAgainAt: second(101) },
  },
  "a Deployment that goes already is not deleted again": {
    deployments: [makeDeployment("web", { deleted: 0 }), db],
    now: 0,
    want: { next: "stop", deployments: [db] },
  },
  "pods are left to the garbage collector for some seconds": {
    pods: [pod],
    now: 4,
    want: { next: "wait", why: "one pod is still there", lookAgainAt: second(5) },
  },
  "and deleted then": { pods: [pod], now: 5, want: { next: "stop", deployments: [], pods: [pod] } },
  "a pod that was made anew meanwhile has the same time": {
    pods: [makePod("web-2", { created: 4 })],
    now: 8,
    want: { next: "wait", lookAgainAt: second(9) },
  },
  "pods that are ending are waited for": {
    pods: [makePod("web-1", { deleted: 30 }), makePod("db-1", { deleted: 30 })],
    now: 10,
    want: { next: "wait", why: "2 pods are still there", lookAgainAt: second(90) },
  },
  "but not for ever": { pods: [makePod("web-1", { deleted: 30 })], now: 90, want: { next: "remove" } },
  "a pod that has ended holds up nobody": {
    pods: [makePod("a", { phase: "Succeeded" }), makePod("b", { phase: "Failed" })],
    now: 0,
    want: { next: "remove" },
  },
  "one that says nothing of itself runs": { pods: [makePod("a", { phase: "" })], now: 0, want: { next: "wait" } },
  "an empty namespace goes": { now: 0, want: { next: "remove" } },
  "unless the controller is at it": {
    now: 0,
    around: { leftUntil: second(60) },
    want: { next: "wait", why: "nothing runs, and the controller is at it", lookAgainAt: second(60) },
  },
  "which does not keep workloads": {
    deployments: [web],
    now: 0,
    around: { leftUntil: second(60) },
    want: { next: "stop", deployments: [web] },
  },
  "with many going it waits for its turn": {
    now: 0,
    around: { going: 30 },
    want: { next: "wait", why: "30 namespaces are being taken apart already", lookAgainAt: second(1) },
  },
  "one fewer leaves room": { now: 0, around: { going: 29 }, want: { next: "remove" } },
};

describe("what is done next with a namespace that has to go", () => {
  test.each(Object.entries(cases))("%s", (_, { now, around, want, ...seen }) => {
    const { deployments = [], pods = [] } = seen;
    const circumstances = { since: start, now: second(now), going: 0, ...around };
    expect(takeDown(seen.namespace ?? namespace, { deployments, pods }, circumstances)).toMatchObject(want);
  });
});
