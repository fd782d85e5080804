import type { CoreEvent, Pod } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { isComplete, timelineOf } from "./timeline.ts";

const row = { id: "0190d6a0-0000-7000-8000-000000000001", started_at: Date.parse("2026-11-18T10:00:00.400Z") };
const at = (second: number) => `2026-11-18T10:00:${String(second).padStart(2, "0")}Z`;

function instance(status: ChallengeInstance["status"]): ChallengeInstance {
  return { metadata: { name: "x" }, spec: {}, status } as ChallengeInstance;
}

function pod(uid: string, { scheduled, started }: { scheduled?: string; started?: string }): Pod {
  return {
    metadata: { name: uid, uid },
    status: {
      conditions: scheduled ? [{ type: "PodScheduled", status: "True", lastTransitionTime: scheduled }] : [],
      containerStatuses: started ? [{ state: { running: { startedAt: started } } }] : [],
    },
  } as unknown as Pod;
}

const pulled = (uid: string, lastTimestamp: string) =>
  ({ metadata: { name: "e" }, reason: "Pulled", involvedObject: { uid }, lastTimestamp }) as unknown as CoreEvent;

const condition = (type: string, lastTransitionTime: string) => ({
  ...{ type, status: "True", reason: "x", message: "", lastTransitionTime },
});

function times(observed: Partial<Parameters<typeof timelineOf>[0]>): Record<string, string | null> {
  const { stages } = timelineOf({ row, object: undefined, pods: [], events: [], ...observed });
  return Object.fromEntries(stages.map(({ stage, at }) => [stage, at?.slice(17, 23) ?? null]));
}

describe("the timeline", () => {
  const running = instance({
    phase: "Running",
    readyAt: at(9),
    conditions: [condition("Admitted", at(1)), condition("NamespaceCreated", at(2))],
  } as never);

  test("has only the request before the object exists", () => {
    expect(times({})).toMatchObject({ requested: "00.400", accepted: null, ready: null });
  });

  test("takes a step as done when it is done for all pods", () => {
    const pods = [pod("a", { scheduled: at(3) }), pod("b", { scheduled: at(5) })];
    expect(times({ object: running, pods })).toMatchObject({ scheduled: "05.000", "image-pulled": null });
    expect(times({ object: running, pods: [...pods, pod("c", {})] }).scheduled).toBeNull();
  });

  test("knows the pull from events, and without them from containers that run", () => {
    const pods = [pod("a", { scheduled: at(3), started: at(8) })];
    expect(times({ object: running, pods, events: [pulled("a", at(6))] })["image-pulled"]).toBe("06.000");
    expect(times({ object: running, pods, events: [pulled("other", at(6))] })["image-pulled"]).toBe("08.000");
  });

  test("never has a later step before an earlier one, since conditions have whole seconds", () => {
    const early = instance({ conditions: [condition("Admitted", at(0))] } as never);
    expect(times({ object: early }).accepted).toBe("00.400");
  });

  test("says why a start failed", () => {
    const failed = instance({ phase: "Failed", reason: "ImagePullFailed", message: "no such image" });
    const { failure } = timelineOf({ row, object: failed, pods: [], events: [] });
    expect(failure).toMatchObject({ reason: "ImagePullFailed", message: "no such image" });
  });

  test("is complete when the instance was ready", () => {
    const stored = (object: ChallengeInstance) => JSON.stringify(timelineOf({ row, object, pods: [], events: [] }));
    expect(isComplete(stored(running))).toBe(true);
    expect(isComplete(stored(instance({ phase: "Failed" })))).toBe(false);
    expect(isComplete(null)).toBe(false);
  });
});
