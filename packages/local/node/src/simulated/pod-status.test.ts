import type { Pod } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { parseBehaviour } from "./behaviour.ts";
import { beginLife, changeLife, type RestartPolicy } from "./life.ts";
import { lostStatus, type PodStatus, statusOf, unscheduledStatus } from "./pod-status.ts";

const birth = Date.parse("2026-01-01T00:00:00Z");
const place = { hostIP: "10.0.0.1", podIP: "10.128.0.7" };

function makePod(more: { spec?: Partial<NonNullable<Pod["spec"]>>; status?: PodStatus } = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "ctf", name: "web-1", uid: "u-1", generation: 2 },
    spec: { containers: [{ name: "web", image: "registry.example/web:1" }], nodeName: "simulated-1", ...more.spec },
    ...(more.status && { status: more.status }),
  };
}

function statusAt(behaviour: string, ageMs: number, pod = makePod()): PodStatus {
  const policy = (pod.spec?.restartPolicy ?? "Always") as RestartPolicy;
  return statusOf(pod, beginLife(parseBehaviour(behaviour), birth, policy), place, birth + ageMs);
}

test("a ready pod has all that kubelet tells of one", () => {
  expect(statusAt("ready", 0)).toMatchInlineSnapshot(`
    {
      "conditions": [
        {
          "lastTransitionTime": "2026-01-01T00:00:00Z",
          "observedGeneration": 2,
          "status": "True",
          "type": "PodReadyToStartContainers",
        },
        {
          "lastTransitionTime": "2026-01-01T00:00:00Z",
          "observedGeneration": 2,
          "status": "True",
          "type": "Initialized",
        },
        {
          "lastTransitionTime": "2026-01-01T00:00:00Z",
          "observedGeneration": 2,
          "status": "True",
          "type": "Ready",
        },
        {
          "lastTransitionTime": "2026-01-01T00:00:00Z",
          "observedGeneration": 2,
          "status": "True",
          "type": "ContainersReady",
        },
        {
          "lastTransitionTime": "2026-01-01T00:00:00Z",
          "observedGeneration": 2,
          "status": "True",
          "type": "PodScheduled",
        },
      ],
      "containerStatuses": [
        {
          "containerID": "containerd://a940c7003c2bfec3d56140403cd793d304bddad8da5ff63ea55172f28d647ac7",
          "image": "registry.example/web:1",
          "imageID": "registry.example/web@sha256:ec6e8757e69753f95ec02a633a598061002bd779008313907235b9e47b846866",
          "lastState": {},
          "name": "web",
          "ready": true,
          "restartCount": 0,
          "started": true,
          "state": {
            "running": {
              "startedAt": "2026-01-01T00:00:00Z",
            },
          },
        },
      ],
      "hostIP": "10.0.0.1",
      "hostIPs": [
        {
          "ip": "10.0.0.1",
        },
      ],
      "observedGeneration": 2,
      "phase": "Running",
      "podIP": "10.128.0.7",
      "podIPs": [
        {
          "ip": "10.128.0.7",
        },
      ],
      "startTime": "2026-01-01T00:00:00Z",
    }
  `);
});

describe("what a pod shows", () => {
  const pullError =
    'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/web:1": failed to resolve reference "registry.example/web:1": registry.example/web:1: not found';
  const cases: {
    behaviour: string;
    ageMs: number;
    restartPolicy?: RestartPolicy;
    want: { phase: string; state: object; ready?: true; hasNetwork?: false; restartCount?: number };
  }[] = [
    {
      behaviour: "ready after=5s",
      ageMs: 4999,
      want: { phase: "Pending", state: { waiting: { reason: "ContainerCreating" } }, hasNetwork: false },
    },
    {
      behaviour: "ready after=5s",
      ageMs: 5000,
      want: { phase: "Running", state: { running: { startedAt: "2026-01-01T00:00:05Z" } }, ready: true },
    },
    {
      behaviour: "never-ready",
      ageMs: 3_600_000,
      want: { phase: "Running", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } },
    },
    {
      behaviour: "stuck-creating",
      ageMs: 3_600_000,
      want: { phase: "Pending", state: { waiting: { reason: "ContainerCreating" } }, hasNetwork: false },
    },
    {
      behaviour: "image-pull",
      ageMs: 0,
      want: { phase: "Pending", state: { waiting: { reason: "ErrImagePull", message: pullError } } },
    },
    {
      behaviour: "image-pull message=unauthorized",
      ageMs: 1000,
      want: {
        phase: "Pending",
        state: {
          waiting: {
            reason: "ImagePullBackOff",
            message: 'Back-off pulling image "registry.example/web:1": ErrImagePull: unauthorized',
          },
        },
      },
    },
    {
      behaviour: "invalid-image-name",
      ageMs: 0,
      want: {
        phase: "Pending",
        state: {
          waiting: {
            reason: "InvalidImageName",
            message:
              'Failed to apply default image tag "registry.example/web:1": couldn\'t parse image name "registry.example/web:1": invalid reference format',
          },
        },
      },
    },
    {
      behaviour: 'create-container-config-error message=secret "flag" not found',
      ageMs: 0,
      want: {
        phase: "Pending",
        state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "flag" not found' } },
      },
    },
    {
      behaviour: "crash-loop",
      ageMs: 2000,
      want: {
        phase: "Running",
        state: {
          waiting: {
            reason: "CrashLoopBackOff",
            message: "back-off 10s restarting failed container=web pod=web-1_ctf(u-1)",
          },
        },
        restartCount: 1,
      },
    },
    {
      behaviour: "oom run=3s",
      ageMs: 3500,
      want: {
        phase: "Running",
        state: {
          terminated: {
            exitCode: 137,
            reason: "OOMKilled",
            startedAt: "2026-01-01T00:00:00Z",
            finishedAt: "2026-01-01T00:00:03Z",
          },
        },
      },
    },
    {
      behaviour: "exits run=1s",
      ageMs: 1000,
      restartPolicy: "Never",
      want: { phase: "Succeeded", state: { terminated: { exitCode: 0, reason: "Completed" } } },
    },
    {
      behaviour: "exits exitCode=3",
      ageMs: 0,
      restartPolicy: "Never",
      want: { phase: "Failed", state: { terminated: { exitCode: 3, reason: "Error" } } },
    },
  ];
  test.each(cases)("$behaviour after $ageMs ms", ({ behaviour, ageMs, restartPolicy = "Always", want }) => {
    const { phase, containerStatuses, conditions, podIP } = statusAt(
      behaviour,
      ageMs,
      makePod({ spec: { restartPolicy, containers: [{ name: "web", image: "registry.example/web:1" }] } }),
    );
    expect(phase).toBe(want.phase);
    const ready = want.ready ?? false;
    expect(containerStatuses).toMatchObject([{ state: want.state, ready, restartCount: want.restartCount ?? 0 }]);
    for (const type of ["Ready", "ContainersReady"])
      expect(conditions).toContainEqual(expect.objectContaining({ type, status: ready ? "True" : "False" }));
    expect(podIP).toBe(want.hasNetwork === false ? undefined : place.podIP);
  });

  test("a crash loop shows how the last container ended", () => {
    const [container] = statusAt("crash-loop exitCode=42", 2000).containerStatuses ?? [];
    expect(container?.lastState?.terminated).toMatchObject({ exitCode: 42, reason: "Error" });
    const [restarted] = statusAt("crash-loop exitCode=42 run=5s", 6000).containerStatuses ?? [];
    expect(restarted?.lastState?.terminated?.containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    expect(restarted?.containerID).not.toBe(restarted?.lastState?.terminated?.containerID);
  });

  test("why a pod is not ready names its containers", () => {
    const spec = { containers: [{ name: "web" }, { name: "db" }] };
    expect(statusAt("never-ready", 0, makePod({ spec })).conditions).toContainEqual(
      expect.objectContaining({
        type: "Ready",
        reason: "ContainersNotReady",
        message: "containers with unready status: [web db]",
      }),
    );
  });

  test("an evicted pod has failed, and says why", () => {
    const life = changeLife(beginLife({ kind: "ready" }, birth, "Always"), { kind: "evicted" }, birth + 1000);
    const status = statusOf(makePod(), life, place, birth + 1000);
    expect(status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory. ",
      containerStatuses: [
        { state: { terminated: { exitCode: 137, reason: "Error" } }, lastState: {}, restartCount: 0 },
      ],
    });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    expect(statusAt("evicted", 0).containerStatuses).toBeUndefined();
  });
});

describe("init containers", () => {
  const spec = {
    containers: [{ name: "web" }],
    initContainers: [{ name: "flag" }, { name: "proxy", restartPolicy: "Always" }],
  };

  test("hold back the others while the pod is made", () => {
    const status = statusAt("ready after=1s", 0, makePod({ spec }));
    const waiting = { state: { waiting: { reason: "PodInitializing" } }, ready: false };
    expect(status.initContainerStatuses).toMatchObject([waiting, waiting]);
    expect(status.containerStatuses).toMatchObject([waiting]);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({
        type: "Initialized",
        status: "False",
        message: "containers with incomplete status: [flag proxy]",
      }),
    );
  });

  test("have ended, and sidecars run, when the pod runs", () => {
    const status = statusAt("ready", 0, makePod({ spec }));
    expect(status.initContainerStatuses).toMatchObject([
      { state: { terminated: { exitCode: 0, reason: "Completed" } }, ready: true },
      { state: { running: {} }, ready: true, started: true },
    ]);
  });
});

describe("conditions", () => {
  test("keep their time until they change, and leave those of others alone", () => {
    const gate = { type: "example.com/gate", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" };
    const first = statusAt("ready after=5s", 0, makePod({ status: { conditions: [gate] } }));
    const second = statusAt("ready after=5s", 5000, makePod({ status: first }));
    const times = Object.fromEntries(
      second.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]) ?? [],
    );
    expect(times).toEqual({
      "example.com/gate": "2025-01-01T00:00:00Z",
      PodScheduled: "2026-01-01T00:00:00Z",
      Initialized: "2026-01-01T00:00:00Z",
      PodReadyToStartContainers: "2026-01-01T00:00:05Z",
      ContainersReady: "2026-01-01T00:00:05Z",
      Ready: "2026-01-01T00:00:05Z",
    });
    expect(second.startTime).toBe("2026-01-01T00:00:00Z");
  });

  test("of a pod that has no place say so", () => {
    expect(unscheduledStatus(makePod(), "no room", birth)).toEqual({
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "no room",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          observedGeneration: 2,
        },
      ],
    });
  });

  test("of a pod on a lost node are not ready, and nothing else", () => {
    const status = statusAt("ready", 0);
    const lost = lostStatus(makePod({ status }), birth + 60_000);
    const changed = lost.conditions?.filter(
      (condition) =>
        !status.conditions?.some(({ type, status }) => type === condition.type && status === condition.status),
    );
    expect(changed).toMatchObject([{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" }]);
    expect(lostStatus(makePod(), birth)).toEqual({});
  });
});
