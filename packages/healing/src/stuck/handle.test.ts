/** What is asked of the server about a stuck instance, and what is not: against a client that only takes notes. */
import type { Stored } from "@berg/apimachinery";
import type { Client, OwnWrites } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import type { ChallengeInstance } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { readListenerSettings } from "../settings/listener.ts";
import { at, containing, epoch, makeInstance, makePod, readyStatus } from "../testing/objects.ts";
import { stuckRestartsAnnotation } from "../vocabulary.ts";
import { confirmWith } from "./confirm.ts";
import { Findings } from "./findings.ts";
import { handleStuck } from "./handle.ts";
import { judge } from "./judge.ts";

const { signal } = new AbortController();
const crashing = makePod(
  containing({ restartCount: 9, state: { waiting: { reason: "CrashLoopBackOff" } } }, "Running"),
);
const told = {
  namespace: "challenge-1",
  conditions: [
    {
      ...{ type: "Stuck", status: "True" as const, reason: "ContainerCrashes" },
      message: "Container web: it ends by itself (exit code 1)",
    },
  ],
};
const clock = { now: () => epoch + 100_000, monotonic: () => 0, setTimer: () => ({ cancel() {} }) };

/** One look, at an instance with one pod that crashes; `pod` and `now` are what the server has by then. */
async function look(
  env: Record<string, string>,
  {
    instance = makeInstance(told),
    pod = crashing as typeof crashing | "gone",
    now = instance as Stored<ChallengeInstance> | "gone",
    seen = crashing as typeof crashing,
    pods = [crashing] as (typeof crashing)[],
  } = {},
) {
  const settings = readListenerSettings(env);
  const findings = new Findings();
  findings.put("instance-1", "uid-web-1", seen, judge(seen, epoch, clock.now(), settings));
  const calls: object[] = [];
  const get = async ({ kind }: { kind: string }) => {
    const found = kind === "Pod" ? pod : now;
    if (found === "gone") throw refusal(404);
    return found;
  };
  const note =
    (verb: string) =>
    async (type: { kind: string }, ...args: unknown[]) => {
      calls.push({ [verb]: type.kind, args });
      return instance;
    };
  const client = { get, apply: note("apply"), delete: note("delete"), patch: note("patch") } as unknown as Client;
  const events: string[] = [];
  const result = await handleStuck(
    "instance-1",
    {
      client,
      recorder: { event: (_, __, reason) => void events.push(reason) },
      instances: { byIndex: () => [instance], wrote() {} } as unknown as OwnWrites<ChallengeInstance>,
      pods: { byIndex: () => pods },
      findings,
      confirm: confirmWith({
        client,
        pods: { byIndex: () => [crashing] },
        findings,
        thresholds: settings,
        clock,
      }),
      settings,
      clock,
    },
    signal,
  );
  return { calls, events, result };
}

describe("a stuck instance", () => {
  test("is told so under our own name, by its UID, with nothing but our condition", async () => {
    const { calls, events } = await look(
      {},
      {
        instance: makeInstance({ phase: "Running", namespace: "challenge-1" }),
      },
    );
    const conditions = [{ ...told.conditions[0], lastTransitionTime: at(100) }];
    expect(calls).toEqual([
      {
        apply: "ChallengeInstance",
        args: [
          { metadata: { namespace: "berg", name: "one", uid: "instance-1" }, status: { conditions } },
          { subresource: "status", fieldManager: "berg-listener", force: true, signal },
        ],
      },
    ]);
    expect(events).toEqual(["InstanceStuck"]);
  });

  test("is told that it is well when every pod was looked at, and not before", async () => {
    const seen = makePod(readyStatus());
    const unseen = makePod(crashing.status ?? {}, { name: "db-1", container: "db" });
    expect(await look({}, { seen, pods: [seen, unseen] })).toEqual({ calls: [], events: [], result: undefined });
    expect(await look({}, { seen, pods: [seen] })).toMatchObject({ events: ["InstanceRecovered"] });
  });

  test("is not one whose labels somebody has put on a pod elsewhere", async () => {
    const copy = makePod(crashing.status ?? {}, { namespace: "elsewhere" });
    const nothing = { calls: [], events: [], result: undefined };
    for (const policy of ["report", "restart", "terminate"]) {
      const instance = makeInstance({ phase: "Running", namespace: "challenge-1" });
      expect(await look({ STUCK_POLICY: policy }, { instance, seen: copy, pod: copy, pods: [copy] })).toEqual(nothing);
    }
    const seen = makePod(readyStatus());
    const unseen = makePod(crashing.status ?? {}, { name: "copy", namespace: "elsewhere" });
    expect(await look({}, { seen, pods: [seen, unseen] })).toMatchObject({ events: ["InstanceRecovered"] });
  });

  test("costs nothing once it is told", async () => {
    expect(await look({})).toEqual({ calls: [], events: [], result: undefined });
  });
});

describe("with STUCK_POLICY=restart", () => {
  const restart = { STUCK_POLICY: "restart" };

  test("it is counted first, then the pod goes, in the very version that was judged", async () => {
    const { calls, events } = await look(restart, { pod: { ...crashing } });
    expect(calls).toEqual([
      {
        apply: "ChallengeInstance",
        args: [
          {
            metadata: {
              ...{ namespace: "berg", name: "one", uid: "instance-1", resourceVersion: "1" },
              annotations: { [stuckRestartsAnnotation]: `1 ${at(100)}` },
            },
          },
          { fieldManager: "berg-listener", force: true, signal },
        ],
      },
      {
        delete: "Pod",
        args: ["challenge-1", "web-1", { preconditions: { uid: "uid-web-1", resourceVersion: "1" }, signal }],
      },
    ]);
    expect(events).toEqual(["StuckPodsRestarted"]);
  });

  test.each([
    { what: "is well by now", pod: makePod(readyStatus()) },
    { what: "is gone", pod: "gone" as const },
    { what: "is another one", pod: makePod(crashing.status ?? {}, { uid: "other" }) },
    { what: "is going", pod: makePod(crashing.status ?? {}, { deletionTimestamp: at(99) }) },
  ])("a pod that $what on the server is left alone, and looked at again soon", async ({ pod }) => {
    const again = { calls: [], events: [], result: { requeueAfterMs: 5_000 } };
    expect(await look(restart, { pod })).toEqual(again);
    expect(await look({ STUCK_POLICY: "terminate" }, { pod })).toEqual(again);
  });

  test("a pause is waited for", async () => {
    const instance = makeInstance(told, { annotations: { [stuckRestartsAnnotation]: `1 ${at(70)}` } });
    expect(await look(restart, { instance })).toEqual({ calls: [], events: [], result: { requeueAfterMs: 30_000 } });
  });

  test("one that the copy does not show yet counts", async () => {
    const counted = (mark: string) => makeInstance(told, { annotations: { [stuckRestartsAnnotation]: mark } });
    const nothing = { calls: [], events: [] };
    expect(await look(restart, { now: counted(`3 ${at(0)}`) })).toEqual({ ...nothing, result: undefined });
    expect(await look(restart, { now: counted(`1 ${at(70)}`) })).toEqual({
      ...nothing,
      result: { requeueAfterMs: 30_000 },
    });
    expect(await look(restart, { now: "gone" })).toEqual({ ...nothing, result: undefined });
  });
});

describe("with STUCK_POLICY=terminate", () => {
  const terminate = { STUCK_POLICY: "terminate" };

  test("its end is asked for, of this life and this version", async () => {
    const { calls, events } = await look(terminate);
    const operations = [
      { op: "test", path: "/metadata/uid", value: "instance-1" },
      { op: "replace", path: "/metadata/resourceVersion", value: "1" },
      { op: "add", path: "/spec/terminationReason", value: "Failure" },
    ];
    const options = { fieldManager: "berg-listener", signal };
    expect(calls).toEqual([
      { patch: "ChallengeInstance", args: ["berg", "one", { type: "json", operations }, options] },
    ]);
    expect(events).toEqual(["StuckInstanceEnded"]);
  });

  test.each([
    { what: "is gone", now: "gone" as const },
    { what: "is another one", now: makeInstance(told, { uid: "instance-2" }) },
    { what: "ends by its owner's wish", now: makeInstance(told, { deletionTimestamp: at(99) }) },
  ])("nothing is done where it $what", async ({ now }) => {
    expect(await look(terminate, { now })).toMatchObject({ calls: [], events: [] });
  });
});
