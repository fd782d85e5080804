import { formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { containerOf } from "../builders/testing/blueprints.ts";
import { makeChallenge, makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot, podOf } from "../testing/make-snapshot.ts";
import { podHealth } from "./pod-health.ts";

const settings = makeSettings();
const one = makeSnapshot(makeInstance().identified()).made(settings);
type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

function container(more: Partial<ContainerStatus>): NonNullable<Pod["status"]> {
  const usual = { name: "web", image: "web:1", imageID: "", ready: false, restartCount: 0 };
  return { phase: "Pending", containerStatuses: [{ ...usual, ...more }] };
}
const pulls = (message: string, reason = "ImagePullBackOff") => container({ state: { waiting: { reason, message } } });
const crashed = { terminated: { exitCode: 3, reason: "Error" } };

describe("a container that is not ready is told of in words for players:", () => {
  test.each([
    { status: {}, reason: "WaitingForPods", message: "Waiting for web." },
    {
      status: container({ state: { waiting: { reason: "ContainerCreating" } } }),
      reason: "WaitingForPods",
      message: "Waiting for web.",
    },
    {
      status: {
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }],
      },
      reason: "NoNodeFits",
      message: "Container web: no node of the cluster has room for it",
    },
    {
      status: pulls('Back-off pulling image "web:1": manifest unknown'),
      reason: "ImageCannotBePulled",
      message: "Container web: the image web:1 cannot be pulled: it does not exist",
    },
    {
      status: pulls("pull access denied", "ErrImagePull"),
      reason: "ImageCannotBePulled",
      message: "Container web: the image web:1 cannot be pulled: the registry asks for other credentials",
    },
    {
      status: pulls("dial tcp: lookup registry: no such host"),
      reason: "ImageCannotBePulled",
      message: "Container web: the image web:1 cannot be pulled: the registry is not reached",
    },
    {
      status: pulls("?", "InvalidImageName"),
      reason: "ImageCannotBePulled",
      message: "Container web: the image web:1 cannot be pulled",
    },
    {
      status: container({ state: { waiting: { reason: "CreateContainerConfigError", message: "secret value" } } }),
      reason: "ContainerCannotStart",
      message: "Container web: it cannot be started (CreateContainerConfigError)",
    },
    {
      status: container({ state: crashed }),
      reason: "ContainerCrashes",
      message: "Container web: it ends by itself (exit code 3)",
    },
    {
      status: container({
        restartCount: 5,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } },
        lastState: crashed,
      }),
      reason: "ContainerCrashes",
      message: "Container web: it ends by itself (exit code 3)",
    },
    {
      status: container({ restartCount: 1, lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } } }),
      reason: "OutOfMemory",
      message: "Container web: it was stopped because it used more memory than it may",
    },
    {
      status: container({
        restartCount: 2,
        state: { terminated: { exitCode: 137, reason: "OOMKilled" } },
        lastState: crashed,
      }),
      reason: "OutOfMemory",
      message: "Container web: it was stopped because it used more memory than it may",
    },
    {
      status: container({
        restartCount: 1,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 128, reason: "StartError" } },
      }),
      reason: "ContainerCannotStart",
      message: "Container web: it cannot be started (RunContainerError)",
    },
    {
      status: {
        ...container({ state: { terminated: { exitCode: 137, reason: "Error" } } }),
        phase: "Failed",
        reason: "Evicted",
        message: "Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. ",
      },
      reason: "OutOfDisk",
      message: "Container web: it was stopped because it used more disk space than it may",
    },
    {
      status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory. " },
      reason: "Evicted",
      message: "Container web: it was stopped because its node ran short of memory or disk space",
    },
  ])("$message", ({ status, reason, message }) => {
    expect(podHealth(one.withPods(status).seen)).toEqual({ ready: false, reason, message });
  });
});

test("texts stay the same while a container crashes again and again", () => {
  const backoff = (count: number) => ({ reason: "CrashLoopBackOff", message: `back-off ${count}m0s restarting` });
  const texts = [1, 2, 3].map((count) => {
    const status = container({ restartCount: count, state: { waiting: backoff(count) }, lastState: crashed });
    return podHealth(one.withPods(status).seen).message;
  });
  expect(new Set(texts).size).toBe(1);
});

test("pods that are not even made are told of without their names", () => {
  const refused = (name: string) => {
    const message = `pods "${name}" is forbidden: exceeded quota`;
    const children = new Map(
      [...one.seen.children].map(([key, child]) => {
        const conditions = [{ type: "ReplicaFailure", status: "True", message }];
        return [key, child.kind === "Deployment" ? { ...child, status: { conditions } } : child];
      }),
    );
    return podHealth(one.with({ children }).seen);
  };
  expect(refused("web-1")).toEqual(refused("web-2"));
  expect(refused("web-1")).toMatchObject({
    reason: "PodsRefused",
    message: "Container web: the cluster refuses its pod: it is forbidden: exceeded quota",
  });
});

test("a pod that is going does not count, ready or not", () => {
  const going = one.withPods("ready");
  const pods = going.seen.pods.map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: "2026-10-01T12:00:00Z" },
  }));
  expect(podHealth(going.with({ pods }).seen)).toMatchObject({ ready: false, reason: "WaitingForPods" });
});

test("an evicted pod has its say until its successor has one", () => {
  const evicted = podOf("web", { phase: "Failed", reason: "Evicted", message: "usage exceeds the limit" });
  const successor = (status: NonNullable<Pod["status"]>) => {
    const pod = podOf("web", status);
    return { ...pod, metadata: { ...pod.metadata, name: "web-2" } };
  };
  const reasonOf = (status: NonNullable<Pod["status"]>) =>
    podHealth(one.with({ pods: [evicted, successor(status)] }).seen).reason;
  expect(reasonOf({ phase: "Pending" })).toBe("OutOfDisk");
  expect(reasonOf(container({ state: crashed }))).toBe("ContainerCrashes");
});

test("without any Deployment nothing is ready", () => {
  expect(podHealth(makeSnapshot().seen)).toMatchObject({ ready: false, reason: "PodsMissing" });
});

test("in whatever order containers are found, the same is said", () => {
  const challenge = makeChallenge({ containers: [containerOf("web"), containerOf("db")] });
  const two = makeSnapshot(makeInstance().identified()).with({ challenge }).made(settings);
  const turned = two.with({ children: new Map([...two.seen.children].reverse()) });
  expect(podHealth(two.seen).message).toBe("Waiting for db, web.");
  expect(podHealth(turned.seen)).toEqual(podHealth(two.seen));
  const pods = ["web", "db"].map((name) => podOf(name, container({ state: crashed })));
  expect(podHealth(turned.with({ pods }).seen)).toEqual(podHealth(two.with({ pods: pods.toReversed() }).seen));
});

describe("containers that are evicted again and again", () => {
  const minute = 60_000;
  const evictedAgo = (index: number, minutes: number) => {
    const time = formatTime(startOfTest - minutes * minute);
    const conditions = [{ type: "Ready", status: "False", reason: "PodFailed", lastTransitionTime: time }];
    const message = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ";
    const pod = podOf("web", { phase: "Failed", reason: "Evicted", message, conditions });
    return { ...pod, metadata: { ...pod.metadata, name: `web-${index}` } };
  };
  const healthOf = (...minutes: number[]) => {
    const ready = podOf("web", {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [],
    });
    return podHealth(one.with({ pods: [...minutes.map((ago, index) => evictedAgo(index, ago)), ready] }).seen);
  };

  test("have failed, though the next one is ready, until half an hour has passed", () => {
    expect(healthOf(20, 5, 1)).toEqual({
      ready: false,
      failed: true,
      reason: "OutOfDisk",
      message: "Container web: again and again, it was stopped because it used more disk space than it may.",
      dueAt: startOfTest + 10 * minute,
    });
  });

  test.each([[], [1], [1, 0], [40, 31, 30, 1, 0]])("do not count as such after %j minutes", (...minutes) => {
    expect(healthOf(...(minutes as number[])).ready).toBe(true);
  });
});

test("a pod that its node does not admit says why", () => {
  const message = "Pod was rejected: no container is privileged (container web)";
  const pods = [podOf("web", { phase: "Failed", reason: "PodForbidden", message })];
  expect(podHealth(one.with({ pods }).seen)).toMatchObject({
    ready: false,
    reason: "PodsRefused",
    message: `Container web: the node refuses its pod: ${message}`,
  });
});
