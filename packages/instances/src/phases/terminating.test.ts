import { formatTime } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { type ChallengeInstanceStatus, finalizers } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot, type SnapshotBuilder } from "../testing/make-snapshot.ts";
import { decide } from "./decide.ts";

const settings = makeSettings();
const second = 1000;
/** For what others have to do. */
const lingers = 1 * second;
const ends = makeInstance()
  .held()
  .identified()
  .inPhase("Terminating")
  .withStatus({ terminationReason: "UserRequest", namespace: "challenge-of-ann" })
  .withCondition("NamespaceCreated", "True", "Created")
  .withCondition("NamespaceDeleted", "False", "StoppingWorkload")
  .deletedAt(startOfTest);
const whole = makeSnapshot(ends).made(settings).withPods("ready");
const noDeployment = whole.withoutChild("Deployment", "web");
const deleted = { deletionTimestamp: formatTime(startOfTest) };

const told = ({ seen }: SnapshotBuilder) =>
  decide(seen, settings).effects.map((effect) => {
    if (effect.do !== "delete") return effect.do;
    return `${effect.force ? "force " : ""}delete ${effect.type.kind} ${effect.object.metadata.uid}`;
  });

const withPod = (metadata: object) =>
  noDeployment.with({
    pods: noDeployment.seen.pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, ...metadata } })),
  });

test("the reason is written before anything is deleted", () => {
  const running = ends.withStatus({ phase: "Running" });
  const { object } = running;
  delete object.status?.terminationReason;
  const seen = makeSnapshot(running).made(settings).withPods("ready").seen;
  expect(decide(seen, settings)).toMatchObject({
    effects: [],
    statusFirst: true,
    status: { phase: "Terminating", terminationReason: "UserRequest" },
  });
});

describe("the conditions do not contradict each other", () => {
  const conditionsOf = (status: ChallengeInstanceStatus) =>
    Object.fromEntries((status.conditions ?? []).map((condition) => [condition.type, condition]));
  const created = ["NamespaceCreated", "NetworkPolicyCreated", "ServicesCreated", "RoutesCreated"] as const;
  const running = created
    .reduce((instance, type) => instance.withCondition(type, "True", "Created"), makeInstance().held().identified())
    .withCondition("DeploymentsCreated", "Unknown", "RevisionLost")
    .withCondition("PodsReady", "True", "Ready")
    .withCondition("Healthy", "True", "Ready")
    .inPhase("Running")
    .withStatus({ services: [{ name: "web", hostname: "a.example.com", port: 80 }] })
    .withSpec({ terminationReason: "AdminTermination" });

  test("when termination begins, nothing is ready, healthy or reachable", () => {
    const { status } = decide(makeSnapshot(running).made(settings).withPods("ready").seen, settings);
    expect(status.phase).toBe("Terminating");
    expect(status.services).toBeUndefined();
    expect(conditionsOf(status)).toMatchObject({
      PodsReady: { status: "False", reason: "Terminating" },
      Healthy: { status: "False", reason: "Terminating" },
      NamespaceCreated: { status: "True" },
    });
  });

  test("when it completes, nothing is created", () => {
    const { status } = decide(makeSnapshot(running).seen, settings);
    expect(status.phase).toBe("Terminated");
    const conditions = conditionsOf(status);
    for (const type of [...created, "DeploymentsCreated"])
      expect(conditions[type]).toMatchObject({ status: "False", reason: "Gone" });
    expect(conditions).toMatchObject({
      PodsReady: { status: "False", reason: "Terminating" },
      Healthy: { status: "False", reason: "Terminating" },
      NamespaceDeleted: { status: "True" },
    });
  });

  test("why something was never created stays", () => {
    const refused = makeInstance().held().identified().inPhase("Failed", "ManifestRefused").deletedAt(startOfTest);
    const seen = makeSnapshot(refused.withCondition("NamespaceCreated", "False", "ManifestRefused")).seen;
    expect(conditionsOf(decide(seen, settings).status).NamespaceCreated).toMatchObject({
      status: "False",
      reason: "ManifestRefused",
    });
  });
});

describe("step by step:", () => {
  test("the Deployments go first", () => {
    expect(told(whole)).toEqual(["delete Deployment uid-of-Deployment-web"]);
  });

  test("their pods are waited for, but not for ever", () => {
    const late = startOfTest + 600 * second;
    const untold = noDeployment.at(late);
    expect(told(untold)).toEqual([]);
    expect(decide(untold.seen, settings).dueAt).toBe(late + lingers);
    expect(told(untold.with({ stoppingMs: lingers }))).toEqual(["delete Pod uid-of-Pod-web-1"]);
  });

  test("a pod that was made meanwhile has two seconds, however long ago the end began", () => {
    const late = startOfTest + 600 * second;
    const made = withPod({ creationTimestamp: formatTime(late) }).with({ stoppingMs: 600 * second });
    expect(told(made.at(late))).toEqual([]);
    expect(decide(made.at(late).seen, settings).dueAt).toBe(late + 2 * second);
    expect(told(made.at(late + 2 * second))).toEqual(["delete Pod uid-of-Pod-web-1"]);
  });

  test("whoever starts makes way until all of it has been told to stop, and not until it has stopped", () => {
    const since = (seen: typeof whole) => decide(seen.seen, settings).stoppingSince;
    expect([whole, noDeployment, withPod(deleted)].map(since)).toEqual([startOfTest, startOfTest, undefined]);
  });

  test("a pod that is on its way out is waited for too: its containers may still run", () => {
    const going = withPod(deleted);
    expect(told(going.at(startOfTest + 10 * second))).toEqual([]);
    expect(decide(going.seen, settings).dueAt).toBe(startOfTest + 30 * second);
  });

  test("a pod whose node does not end it is removed without asking, and then no more waited for", () => {
    const late = startOfTest + 600 * second;
    const going = withPod({ deletionTimestamp: formatTime(late) });
    expect(told(going.at(late + 29 * second))).toEqual([]);
    expect(told(going.at(late + 30 * second))).toEqual(["force delete Pod uid-of-Pod-web-1"]);
    const forced = withPod({ deletionTimestamp: formatTime(late), deletionGracePeriodSeconds: 0 });
    expect(told(forced.at(late + 30 * second))).toEqual([]);
    expect(decide(forced.at(late + 30 * second).seen, settings).dueAt).toBe(late + 60 * second);
    // Somebody's finalizer holds it.
    expect(told(forced.at(late + 60 * second))).toEqual([expect.stringMatching(/^delete Namespace/)]);
  });

  test("a pod that hangs in a namespace that somebody else has deleted is removed as well", () => {
    const going = withPod(deleted).withNamespace(undefined, deleted);
    expect(decide(going.seen, settings)).toMatchObject({ effects: [], dueAt: startOfTest + 30 * second });
    expect(told(going.at(startOfTest + 30 * second))).toEqual(["force delete Pod uid-of-Pod-web-1"]);
  });

  test("a Deployment that somebody's finalizer holds does not keep the namespace for ever", () => {
    const children = new Map(
      [...whole.seen.children].map(([key, child]) => [key, { ...child, metadata: { ...child.metadata, ...deleted } }]),
    );
    const held = whole.with({ children, pods: [] });
    expect(told(held)).toEqual([]);
    expect(decide(held.seen, settings).dueAt).toBe(startOfTest + lingers);
    expect(told(held.at(startOfTest + lingers))).toEqual([expect.stringMatching(/^delete Namespace/)]);
    // With pods, which would only be made anew, it has longer.
    const making = whole.with({ children, stoppingMs: lingers });
    expect(told(making.at(startOfTest + 59 * second))).toEqual(["delete Pod uid-of-Pod-web-1"]);
    expect(told(making.at(startOfTest + 60 * second))).toEqual([expect.stringMatching(/^delete Namespace/)]);
  });

  test("the namespace follows, and is waited for", () => {
    expect(told(noDeployment.with({ pods: [] }))).toEqual([expect.stringMatching(/^delete Namespace/)]);
    expect(told(makeSnapshot(ends).withNamespace(undefined, deleted))).toEqual([]);
  });

  describe("where many others end,", () => {
    const crowded = noDeployment.with({ pods: [], namespaceDeletionDelayMs: () => 30 * second });
    const rival = makeInstance("next-of-ann").held();

    test("the namespace waits for its turn, from when its end began, without a word", () => {
      const { seen } = crowded.at(startOfTest + 5 * second);
      const { effects, queuedSince, dueAt, status } = decide(seen, settings);
      expect([effects, queuedSince]).toEqual([[], startOfTest]);
      expect(dueAt).toBe(startOfTest + 35 * second);
      expect(status).toEqual(seen.instance.status);
      const asked: number[] = [];
      const { dueAt: soon } = decide(
        crowded.with({ namespaceDeletionDelayMs: (since) => asked.push(since) }).seen,
        settings,
      );
      expect([asked, soon]).toEqual([[startOfTest], startOfTest + 1]);
    });

    test("so does the namespace of one that the server has refused", () => {
      const refused = makeInstance()
        .held()
        .identified()
        .inPhase("Failed", "ManifestRefused")
        .withCondition("NamespaceCreated", "False", "ManifestRefused", startOfTest - second);
      const { seen } = makeSnapshot(refused).withNamespace();
      const { effects, queuedSince, dueAt } = decide(
        { ...seen, namespaceDeletionDelayMs: () => 30 * second },
        settings,
      );
      expect({ effects, queuedSince, dueAt }).toEqual({
        effects: [],
        queuedSince: startOfTest - second,
        dueAt: startOfTest + 30 * second,
      });
    });

    test("the workload stops at once", () => {
      expect(told(whole.with({ namespaceDeletionDelayMs: () => 30 * second }))).toEqual([
        "delete Deployment uid-of-Deployment-web",
      ]);
    });

    test("it waits for nobody if the owner's next instance waits for it", () => {
      expect(told(crowded.withRivals(rival))).toEqual([expect.stringMatching(/^delete Namespace/)]);
      expect(told(crowded.withRivals(rival.deletedAt(startOfTest)))).toEqual([]);
    });
  });

  test("with nothing left, the last word is written before our finalizer goes", () => {
    const last = decide(makeSnapshot(ends).at(startOfTest + 5 * second).seen, settings);
    expect(last).toMatchObject({ effects: [], statusFirst: true });
    expect(last.status).toMatchObject({ phase: "Terminated", terminatedAt: formatTime(startOfTest + 5 * second) });
    expect(findCondition(last.status.conditions, "NamespaceDeleted")).toMatchObject({ status: "True", reason: "Gone" });
    expect(told(makeSnapshot(ends.withStatus(last.status)))).toEqual(["removeFinalizer"]);
  });

  test("one that ends by itself is deleted by us, once its workload was told to stop and in the end", () => {
    const live = makeInstance()
      .held()
      .identified()
      .withStatus({ ...ends.object.status });
    const running = makeSnapshot(live).made(settings).withPods("ready");
    expect(told(running)).toEqual(["delete Deployment uid-of-Deployment-web"]);
    expect(told(running.withoutChild("Deployment", "web"))).toEqual(["deleteInstance"]);
    const last = decide(makeSnapshot(live).seen, settings);
    expect(told(makeSnapshot(live.withStatus(last.status)))).toEqual(["deleteInstance"]);
  });

  test("one that only others hold is left alone, without a write", () => {
    const { object } = ends.withStatus({ phase: "Terminated" });
    const others = { ...object, metadata: { ...object.metadata, finalizers: [finalizers.api], generation: 7 } };
    const decision = decide(makeSnapshot().with({ instance: others }).seen, settings);
    expect(decision).toMatchObject({ effects: [], status: others.status });
  });
});

describe("a namespace that does not go", () => {
  const conditions = [
    { type: "NamespaceContentRemaining", status: "True", message: "Some resources are remaining: pods." },
    { type: "NamespaceDeletionDiscoveryFailure", status: "False", message: "All is well." },
  ];
  const going = makeSnapshot(ends).withNamespace(undefined, deleted);
  const stuck = going.with({ namespace: { ...going.seen.namespace, status: { conditions } } as never });

  test("has a minute", () => {
    const { status, dueAt } = decide(stuck.at(startOfTest + 59 * second).seen, settings);
    expect(dueAt).toBe(startOfTest + 60 * second);
    expect(findCondition(status.conditions, "NamespaceDeleted")?.reason).toBe("StoppingWorkload");
  });

  test("is told of with its own words", () => {
    const { status, effects } = decide(stuck.at(startOfTest + 60 * second).seen, settings);
    expect(effects).toEqual([]);
    const { reason, message } = findCondition(status.conditions, "NamespaceDeleted") ?? {};
    expect(reason).toBe("NamespaceStuck");
    expect(message).toMatch(/does not go away\. NamespaceContentRemaining: Some resources are remaining: pods\.$/);
    expect(status.phase).toBe("Terminating");
  });

  test("and has lost our marks is left alone, and asked for again", () => {
    const { effects, status, dueAt } = decide(makeSnapshot(ends).withNamespace("").seen, settings);
    expect(effects).toEqual([]);
    expect(findCondition(status.conditions, "NamespaceDeleted")?.reason).toBe("NameConflict");
    expect(dueAt).toBe(startOfTest + 60 * second);
  });

  test("but is another instance's is none of ours", () => {
    expect(decide(makeSnapshot(ends).withNamespace("uid-of-another").seen, settings).status.phase).toBe("Terminated");
  });
});
