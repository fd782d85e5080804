import type { Stored } from "@berg/apimachinery";
import type { Pod, ReplicaSet } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { inDeletionOrder } from "./deletion-order.ts";
import { availableInMs, replacementInMs } from "./pods.ts";
import { slowStart } from "./slow-start.ts";
import { isSameStatus, statusOf } from "./status.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

interface Traits {
  node?: string;
  phase?: string;
  readyFor?: number;
  cost?: string;
  restarts?: number;
  age?: number;
  labels?: Record<string, string>;
}
function pod(
  name: string,
  { node = "n1", phase = "Running", readyFor, cost, restarts = 0, age = 100, labels = {} }: Traits = {},
) {
  const annotations = cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": cost };
  return {
    metadata: { name, uid: name, labels, annotations, creationTimestamp: ago(age) },
    spec: { nodeName: node },
    status: {
      phase,
      containerStatuses: [{ restartCount: restarts }],
      conditions: readyFor === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }],
    },
  } as unknown as Stored<Pod>;
}

describe("the first to be deleted is the one that", () => {
  test.each<[string, Traits, Traits]>([
    ["has no node", { node: "", readyFor: 5 }, { readyFor: 1, phase: "Pending" }],
    ["is pending", { phase: "Pending", readyFor: 9 }, {}],
    ["is not ready", { cost: "9" }, { readyFor: 9 }],
    ["costs less", { readyFor: 50, cost: "-5" }, { readyFor: 1 }],
    ["is ready for much less long", { readyFor: 10 }, { readyFor: 90 }],
    ["restarted more often", { restarts: 3, age: 900 }, { age: 2 }],
    ["is much younger", { age: 10 }, { age: 90 }],
  ])("%s", (_, first, second) => {
    const pods = [pod("z", first), pod("a", second)];
    for (const given of [pods, pods.toReversed()])
      expect(inDeletionOrder(given, [], now).map(({ metadata }) => metadata.name)).toEqual(["z", "a"]);
  });
  test("has more company on its node, of any ReplicaSet of the same owner", () => {
    const [alone, crowded] = [pod("a", { node: "n1", readyFor: 9 }), pod("b", { node: "n2", readyFor: 9 })];
    const related = [alone, crowded, pod("c", { node: "n2" })];
    expect(inDeletionOrder([alone, crowded], related, now)[0]).toBe(crowded);
  });
  test("chance takes, where ages are alike: by UID", () => {
    const pods = [pod("b", { readyFor: 70 }), pod("a", { readyFor: 80 })];
    expect(inDeletionOrder(pods, [], now)[0]?.metadata.name).toBe("a");
  });
});

test.each([
  [undefined, 0, Number.POSITIVE_INFINITY],
  [5, 0, 0],
  [5, 5, 0],
  [5, 8, 3000],
])("ready for %s s of %d", (readyFor, minReadySeconds, wanted) => {
  expect(availableInMs(pod("a", readyFor === undefined ? {} : { readyFor }), minReadySeconds, now)).toBe(wanted);
});

test("the status counts what is active, labelled, ready and available", () => {
  const labels = { app: "web" };
  const set = {
    metadata: { generation: 3 },
    spec: { replicas: 4, minReadySeconds: 30, template: { metadata: { labels } } },
  } as unknown as Stored<ReplicaSet>;
  const active = [pod("a", { labels, readyFor: 60 }), pod("b", { labels, readyFor: 5 }), pod("c")];
  const status = statusOf(set, { active, terminating: [pod("d")], failure: undefined }, now);
  expect(status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 1,
    observedGeneration: 3,
  });
  const failed = statusOf(set, { active, terminating: [], failure: new Error("no room") }, now);
  const condition = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no room" };
  expect(failed.conditions).toEqual([{ ...condition, lastTransitionTime: "2026-01-01T12:00:00Z" }]);
  const again = { ...set, status: failed } as Stored<ReplicaSet>;
  expect(statusOf(again, { active, terminating: [], failure: new Error("other") }, now + 5e3).conditions).toBe(
    failed.conditions,
  );
  expect(statusOf(again, { active, terminating: [], failure: undefined }, now).conditions).toBeUndefined();
});

test.each([
  [undefined, { replicas: 0 }, true],
  [{ replicas: 0 }, { replicas: 0, terminatingReplicas: 0 }, false],
  [{ replicas: 1, readyReplicas: 0 }, { replicas: 1 }, true],
  [{ replicas: 1, readyReplicas: 1 }, { replicas: 1 }, false],
  [{ replicas: 1, conditions: [] }, { replicas: 1 }, true],
  [{ replicas: 1, conditions: [{ type: "A" }] }, { replicas: 1 }, false],
])("%j and %j are the same: %s", (a, b, wanted) => expect(isSameStatus(a, b)).toBe(wanted));

describe("slow start", () => {
  test("doubles, and does all", async () => {
    const batches: number[] = [];
    let running = 0;
    await slowStart(10, async () => {
      running++;
      await Promise.resolve();
      if (running > 0) batches.push(running);
      running = 0;
    });
    expect(batches).toEqual([1, 2, 4, 3]);
  });
  test("ends after the batch that failed", async () => {
    let calls = 0;
    const work = async () => {
      if (++calls === 2) throw new Error("no");
    };
    await expect(slowStart(100, work)).rejects.toThrow("no");
    expect(calls).toBe(3);
  });
});

test.each([
  { ages: [], want: 0 },
  { ages: [0], want: 0 },
  { ages: [3, 1], want: 9_000 },
  { ages: [30, 15], want: 0 },
  { ages: [90, 30, 4], want: 16_000 },
  { ages: [...Array(2_000).keys()], want: 300_000 },
])("of $ages.length pods that failed the next is made in $want ms", ({ ages, want }) => {
  const failed = ages.map((age) => pod(`failed-${age}`, { phase: "Failed", age }));
  expect(replacementInMs([...failed, pod("runs"), pod("done", { phase: "Succeeded", age: 0 })], now)).toBe(want);
});
