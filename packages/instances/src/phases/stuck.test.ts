import { formatTime } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { type ChallengeInstanceStatus, statusLimits } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { podStatus } from "../testing/model-cluster.ts";
import { decide } from "./decide.ts";

const settings = makeSettings();
const base = makeSnapshot(makeInstance().held().identified()).started(settings).made(settings);
const decided = (seen: typeof base) => decide(seen.seen, settings);
const statusOf = (seen: typeof base) => decided(seen).status;
const after = (status: ChallengeInstanceStatus, spec: object = {}) =>
  base.with({ instance: { ...base.seen.instance, status, spec: { ...base.seen.instance.spec, ...spec } } });

type Said = { status?: "True" | "False"; reason?: string; message?: string };
const why = { reason: "ImageNeverComes", message: "Container web: the image web:1 cannot be pulled" };
const withVerdict = (status: ChallengeInstanceStatus, said: Said = why): ChallengeInstanceStatus => ({
  ...status,
  conditions: [
    { type: "Stuck", status: "True", lastTransitionTime: formatTime(startOfTest), ...said },
    ...(status.conditions ?? []),
  ],
});

const starts = statusOf(base.withPods("unpullable"));
const runs = statusOf(base.withPods("ready"));
const stuckStart = withVerdict(starts);
const stuckLater = withVerdict(runs);

test("one that never got ready has failed, in the listener's words", () => {
  const failed = statusOf(after(stuckStart).withPods("unpullable"));
  expect(failed).toMatchObject({ phase: "Failed", ...why });
  expect(failed).not.toHaveProperty("readyAt");
  expect(findCondition(failed.conditions, "PodsReady")).toMatchObject({
    status: "False",
    reason: "ImageCannotBePulled",
  });
});

test("one that has been ready has failed too, and keeps its addresses", () => {
  const failed = statusOf(after(stuckLater).withPods("crashing"));
  expect(failed).toMatchObject({ phase: "Failed", ...why, readyAt: runs.readyAt, services: runs.services });
  expect(findCondition(failed.conditions, "Healthy")).toMatchObject({ status: "False", reason: "ContainerCrashes" });
});

describe("it has not failed, or no longer,", () => {
  test.each([
    {
      name: "where the listener takes it back",
      said: { status: "False" as const, ...why },
      script: "crashing" as const,
    },
    { name: "where all containers are ready, whatever was said before", said: why, script: "ready" as const },
  ])("$name", ({ said, script }) => {
    for (const before of [starts, runs]) {
      const failed = statusOf(after(withVerdict(before)).withPods("crashing"));
      expect(failed.phase).toBe("Failed");
      const again = statusOf(after({ ...failed, ...withVerdict(before, said), phase: "Failed" }).withPods(script));
      expect(again.phase).toBe(before === runs || script === "ready" ? "Running" : "Starting");
      if (script === "ready") expect(again).not.toHaveProperty("reason");
      else expect(again.reason).toBe("ContainerCrashes");
    }
  });
});

describe("one that ends again and again, and is ready for a moment,", () => {
  const readyAgain = (restartCount: number) => {
    const [container] = podStatus("ready").containerStatuses ?? [];
    const state = { running: { startedAt: formatTime(startOfTest) } };
    return { ...podStatus("ready"), containerStatuses: [{ ...container, restartCount, state }] } as never;
  };
  const seenAt = (seconds: number, restartCount = 3) =>
    after(stuckLater)
      .withPods(readyAgain(restartCount))
      .at(startOfTest + seconds * 1000);

  test("stays failed, and is looked at when it has run for a while", () => {
    const steadyAt = startOfTest + 30_000;
    expect(decided(seenAt(29))).toMatchObject({ status: { phase: "Failed", ...why }, dueAt: steadyAt });
    expect(statusOf(seenAt(30)).phase).toBe("Running");
    expect(statusOf(seenAt(1, 0)).phase).toBe("Running");
  });

  test.each([600_000, -600_000])("so, too, where our clock is %i ms ahead of the cluster's", (ahead) => {
    const dueAt = startOfTest + ahead + 30_000;
    expect(decided(seenAt(29).ahead(ahead))).toMatchObject({ status: { phase: "Failed" }, dueAt });
    expect(statusOf(seenAt(30).ahead(ahead)).phase).toBe("Running");
  });

  test("is well as soon as the listener says so", () => {
    const takenBack = after(withVerdict(runs, { ...why, status: "False" })).withPods(readyAgain(3));
    expect(statusOf(takenBack).phase).toBe("Running");
  });
});

test("what the listener left out is said in our own words", () => {
  const failed = statusOf(after(withVerdict(starts, { reason: "", message: "" })).withPods("crashing"));
  expect(failed).toMatchObject({ phase: "Failed", reason: "ContainerCrashes" });
  expect(failed.message).toMatch(/^Container web: it ends by itself/);
});

test("it is decided the same again, and its condition is not touched", () => {
  for (const stuck of [stuckStart, stuckLater]) {
    const failed = statusOf(after(stuck).withPods("crashing"));
    expect(failed.conditions?.[0]).toEqual(stuck.conditions?.[0]);
    const again = after(failed)
      .withPods("crashing")
      .at(startOfTest + 60_000);
    expect(statusOf(again)).toEqual(failed);
  }
});

describe("nothing is taken down for it:", () => {
  const failed = statusOf(after(withVerdict(starts, { ...why, reason: "ManifestRefused" })).withPods("crashing"));

  test("whatever its reason is called", () => {
    expect(failed).toMatchObject({ phase: "Failed", reason: "ManifestRefused" });
    expect(decided(after(failed).withPods("crashing"))).toMatchObject({ effects: [], statusFirst: false });
  });

  test("what is missing is put back, and it stays failed meanwhile", () => {
    const seen = after(failed).withPods("crashing").withoutChild("NetworkPolicy", "challenge-network-policy");
    const { effects, status } = decided(seen);
    expect(effects).toMatchObject([
      { do: "make", child: { manifest: { metadata: { name: "challenge-network-policy" } } } },
    ]);
    expect(status.phase).toBe("Failed");
    const running = after(stuckLater).withPods("crashing").withoutChild("NetworkPolicy", "challenge-network-policy");
    expect(statusOf(running)).toMatchObject({ phase: "Failed", ...why });
  });

  test("it is renewed, warned and ended as any other", () => {
    const end = startOfTest + 7_200_000;
    const renewed = statusOf(
      after(failed, { renewals: 1 })
        .withPods("crashing")
        .at(startOfTest + 60_000),
    );
    expect(renewed).toMatchObject({ phase: "Failed", renewals: 1, expiresAt: formatTime(end + 60_000) });
    expect(
      decided(
        after(failed)
          .withPods("crashing")
          .at(end - 300_000),
      ),
    ).toMatchObject({ status: { phase: "Failed", expiresSoon: true }, dueAt: end });
    expect(statusOf(after(failed).withPods("crashing").at(end))).toMatchObject({
      phase: "Terminating",
      terminationReason: "Timeout",
      message: "This instance ends because its time is up.",
    });
  });
});

describe("where it is ended because it is stuck", () => {
  const failure = { terminationReason: "Failure" as const };

  test("its owner reads why, to the end", () => {
    const ending = decided(after(stuckStart, failure).withPods("unpullable"));
    const message = `This instance has failed. ${why.message}`;
    expect(ending).toMatchObject({ statusFirst: true, status: { phase: "Terminating", message, ...failure } });
    // The listener may take it back when the pods are gone, or be gone itself.
    const { conditions = [], ...rest } = ending.status;
    const gone = after({ ...rest, conditions: conditions.filter(({ type }) => type !== "Stuck") }, failure);
    expect(statusOf(gone.with({ namespace: undefined, children: new Map() }))).toMatchObject({
      phase: "Terminated",
      message,
      ...failure,
    });
  });

  test("a message that is as long as it may be still fits, and one that quotes the flag does not", () => {
    const flag = "flag{a-canary-in-the-mine}";
    const long = `${flag} ${"x".repeat(statusLimits.message - flag.length - 1)}`;
    const seen = after(withVerdict(starts, { ...why, message: long }), { ...failure, flag }).withPods("unpullable");
    const { message = "" } = statusOf(seen);
    expect(message).toHaveLength(statusLimits.message);
    expect(message).not.toContain(flag);
  });

  test("the usual words stand where it is not, or no longer", () => {
    const usual = { phase: "Terminating", message: "This instance ends because it has failed." };
    expect(statusOf(after(starts, failure).withPods("unpullable"))).toMatchObject(usual);
    expect(statusOf(after(stuckLater, failure).withPods("ready"))).toMatchObject(usual);
    const byAdmin = statusOf(after(stuckStart, { terminationReason: "AdminTermination" }).withPods("unpullable"));
    expect(byAdmin.message).toBe("This instance ends because an administrator decided so.");
  });
});
