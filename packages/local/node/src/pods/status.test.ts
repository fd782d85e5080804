import type { Pod } from "@berg/kube";
import { describe, expect, test } from "vitest";
import type { PodSpec } from "../containers/shapes.ts";
import { makePod } from "../containers/testing/pods.ts";
import { decide } from "./decide.ts";
import { PodMemory } from "./memory.ts";
import { type PodStatus, statusOf, unreachableStatus } from "./status.ts";
import { exited, makeView, named, now, pause, seen, type ViewChanges } from "./testing/views.ts";

const host = { ip: "192.0.2.7", runtime: "podman" };

function status(changes: ViewChanges): PodStatus {
  const view = makeView(changes);
  return statusOf(view, decide(view).ending, host);
}

/** `Running | c running ready started ×0`, then the conditions that are not as usual. */
function shown(status: PodStatus): string[] {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const state = (one: object | undefined): string => {
    const [kind, value] = Object.entries(one ?? {})[0] ?? ["-", {}];
    const { reason, exitCode } = value as { reason?: string; exitCode?: number };
    return [kind, reason, exitCode].filter((part) => part !== undefined).join(" ");
  };
  return [
    [status.phase, status.reason].filter(Boolean).join(" "),
    ...containers.map(({ name, state: is, lastState: was, ready, started, restartCount }) =>
      [`${name}: ${state(is)}`, `last ${state(was)}`, ready && "ready", started && "started", `×${restartCount}`]
        .filter(Boolean)
        .join(", "),
    ),
    ...(status.conditions ?? []).map(
      ({ type, status: value, reason }) => `${type}=${value}${reason ? ` ${reason}` : ""}`,
    ),
  ];
}

const usual = [
  "PodReadyToStartContainers=True",
  "Initialized=True",
  "Ready=True",
  "ContainersReady=True",
  "PodScheduled=True",
];
const unready = [
  "PodReadyToStartContainers=True",
  "Initialized=True",
  "Ready=False ContainersNotReady",
  "ContainersReady=False ContainersNotReady",
  "PodScheduled=True",
];
const ended = (reason: string, network: "True" | "False") => [
  `PodReadyToStartContainers=${network}`,
  reason === "PodCompleted" ? "Initialized=True PodCompleted" : "Initialized=True",
  `Ready=False ${reason}`,
  `ContainersReady=False ${reason}`,
  "PodScheduled=True",
];
const withSpec = (spec: Partial<PodSpec>, metadata = {}) => makePod({}, spec, metadata);
const never = withSpec({ restartPolicy: "Never" });
const crashed = (times: number) => {
  const memory = new PodMemory();
  for (let time = 0; time < times; time++) memory.restarting("c", now - 60_000, now - 60_000);
  return memory;
};
const failing = (reason: string, startedId?: string) => {
  const memory = new PodMemory();
  memory.startFailed("c", { reason, message: "why", startedId }, now);
  return memory;
};
const deleted = { deletionTimestamp: "2026-01-01T01:00:00Z", deletionGracePeriodSeconds: 30 };
const running: Pod["status"] = { phase: "Running", podIP: "10.202.0.2" };

interface Case extends ViewChanges {
  name: string;
  want: string[];
}

// Each of them was seen on a real kubelet.
describe("a pod's status is kubelet's", () => {
  const cases: Case[] = [
    {
      name: "before anything is there",
      want: [
        "Pending",
        "c: waiting ContainerCreating, last -, ×0",
        "PodReadyToStartContainers=False",
        ...unready.slice(1),
      ],
    },
    {
      name: "with its network",
      seen: [pause()],
      want: ["Pending", "c: waiting ContainerCreating, last -, ×0", ...unready],
    },
    {
      name: "running",
      seen: [pause(), seen("c")],
      want: ["Running", "c: running, last -, ready, started, ×0", ...usual],
    },
    {
      name: "not ready yet",
      pod: makePod({ readinessProbe: {} }),
      seen: [pause(), seen("c")],
      verdicts: { c0: { readiness: "failure" } },
      want: ["Running", "c: running, last -, started, ×0", ...unready],
    },
    {
      name: "not started yet",
      pod: makePod({ startupProbe: {} }),
      seen: [pause(), seen("c")],
      verdicts: { c0: { startup: "unknown" } },
      want: ["Running", "c: running, last -, ×0", ...unready],
    },
    {
      name: "crashed",
      seen: [pause(), exited(seen("c"), 3)],
      busy: ["c"],
      want: ["Running", "c: terminated Error 3, last -, ×0", ...unready],
    },
    {
      name: "crashed again",
      seen: [pause(), exited(seen("c"), 3), exited(seen("c", { attempt: 1 }), 3)],
      memory: crashed(1),
      want: ["Running", "c: waiting CrashLoopBackOff, last terminated Error 3, ×1", ...unready],
    },
    {
      name: "out of memory",
      seen: [pause(), exited(seen("c"), 137, 0, { oomKilled: true }), seen("c", { attempt: 1 })],
      want: ["Running", "c: running, last terminated OOMKilled 137, ready, started, ×1", ...usual],
    },
    {
      name: "no image",
      seen: [pause()],
      memory: failing("ErrImagePull"),
      want: ["Pending", "c: waiting ErrImagePull, last -, ×0", ...unready],
    },
    {
      name: "no such program",
      seen: [pause(), { ...seen("c"), status: "created" }],
      memory: failing("RunContainerError", "c0"),
      want: ["Running", "c: waiting RunContainerError, last terminated StartError 128, ×0", ...unready],
    },
    {
      name: "no such program, never again",
      pod: { ...never, status: { phase: "Pending" } },
      seen: [pause(), { ...seen("c"), status: "created" }],
      memory: failing("RunContainerError", "c0"),
      want: ["Pending", "c: terminated StartError 128, last -, ×0", ...ended("PodFailed", "True")],
    },
    {
      name: "all is well, and its network still there",
      pod: { ...never, status: running },
      seen: [pause(), exited(seen("c"), 0)],
      want: ["Running", "c: terminated Completed 0, last -, ×0", ...ended("PodCompleted", "True")],
    },
    {
      name: "all is well",
      pod: { ...never, status: running },
      seen: [pause({ status: "exited" }), exited(seen("c"), 0)],
      want: ["Succeeded", "c: terminated Completed 0, last -, ×0", ...ended("PodCompleted", "False")],
    },
    {
      name: "failed",
      pod: { ...never, status: running },
      seen: [pause({ status: "exited" }), exited(seen("c"), 9)],
      want: ["Failed", "c: terminated Error 9, last -, ×0", ...ended("PodFailed", "False")],
    },
    {
      name: "one of two has ended",
      pod: withSpec({ restartPolicy: "Never", containers: named("c", "d") }),
      seen: [pause(), exited(seen("c"), 1), seen("d")],
      want: ["Running", "c: terminated Error 1, last -, ×0", "d: running, last -, ready, started, ×0", ...unready],
    },
    {
      name: "being deleted",
      pod: { ...makePod({}, {}, deleted), status: running },
      seen: [pause(), seen("c")],
      want: ["Running", "c: running, last -, ready, started, ×0", ...usual],
    },
    {
      name: "deleted",
      pod: { ...makePod({}, {}, deleted), status: running },
      seen: [pause({ status: "exited" }), exited(seen("c"), 137)],
      want: ["Failed", "c: terminated Error 137, last -, ×0", ...ended("PodFailed", "False")],
    },
    {
      name: "past its deadline",
      pod: { ...withSpec({ activeDeadlineSeconds: 1 }), status: { ...running, startTime: "2026-01-01T00:00:00Z" } },
      seen: [pause({ status: "exited" }), exited(seen("c"), 137)],
      want: ["Failed DeadlineExceeded", "c: terminated Error 137, last -, ×0", ...ended("PodFailed", "False")],
    },
    {
      name: "that took too much of the disk",
      pod: { ...makePod(), status: running },
      seen: [pause({ status: "exited" }), exited(seen("c"), 0)],
      memory: Object.assign(new PodMemory(), { evicted: "too much" }),
      want: ["Failed Evicted", "c: terminated Completed 0, last -, ×0", ...ended("PodFailed", "False")],
    },
    {
      name: "initializing",
      pod: withSpec({ initContainers: named("i") }),
      seen: [pause(), seen("i")],
      want: [
        ...["Pending", "i: running, last -, started, ×0", "c: waiting PodInitializing, last -, ×0"],
        ...["PodReadyToStartContainers=True", "Initialized=False ContainersNotInitialized", ...unready.slice(2)],
      ],
    },
    {
      name: "initialized",
      pod: withSpec({ initContainers: named("i") }),
      seen: [pause(), exited(seen("i"), 0), seen("c")],
      want: [
        "Running",
        "i: terminated Completed 0, last -, ready, ×0",
        "c: running, last -, ready, started, ×0",
        ...usual,
      ],
    },
    {
      name: "failed to initialize",
      pod: { ...withSpec({ initContainers: named("i"), restartPolicy: "Never" }), status: { phase: "Pending" } },
      seen: [pause({ status: "exited" }), exited(seen("i"), 2)],
      want: [
        ...[
          "Failed",
          "i: terminated Error 2, last -, ×0",
          "c: waiting PodInitializing, last -, ×0",
          "PodReadyToStartContainers=False",
        ],
        ...[
          "Initialized=False ContainersNotInitialized",
          "Ready=False PodFailed",
          "ContainersReady=False PodFailed",
          "PodScheduled=True",
        ],
      ],
    },
    {
      name: "with a sidecar",
      pod: withSpec({ initContainers: [{ name: "s", image: "web:1", restartPolicy: "Always" }] }),
      seen: [pause(), seen("s")],
      want: ["Pending", "s: running, last -, ready, started, ×0", "c: waiting PodInitializing, last -, ×0", ...unready],
    },
    {
      name: "while its first hook runs",
      pod: makePod({ lifecycle: { postStart: {} } }),
      seen: [pause(), seen("c")],
      busy: ["c"],
      starting: "c",
      want: ["Pending", "c: waiting ContainerCreating, last -, ×0", ...unready],
    },
    {
      name: "whose gate nobody opened",
      pod: withSpec({ readinessGates: [{ conditionType: "ctf/open" }] }),
      seen: [pause(), seen("c")],
      want: [
        "Running",
        "c: running, last -, ready, started, ×0",
        ...usual.slice(0, 2),
        "Ready=False ReadinessGatesNotReady",
        ...usual.slice(3),
      ],
    },
  ];
  test.each(cases)("$name", ({ name: _, want, ...changes }) => expect(shown(status(changes))).toEqual(want));
});

test("a running container's status is told in full", () => {
  const pod = makePod(
    {
      resources: { limits: { memory: "12Mi" }, requests: { memory: "12Mi" } },
      volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }],
    },
    {},
    { generation: 3 },
  );
  const { containerStatuses, ...rest } = status({ pod, seen: [pause(), seen("c")] });
  expect(rest).toMatchObject({
    observedGeneration: 3,
    hostIP: "192.0.2.7",
    hostIPs: [{ ip: "192.0.2.7" }],
    podIP: "10.202.0.2",
    podIPs: [{ ip: "10.202.0.2" }],
    startTime: "2026-01-01T01:00:00Z",
  });
  expect(containerStatuses).toEqual([
    {
      name: "c",
      state: { running: { startedAt: "2026-01-01T00:59:00Z" } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: "web:1",
      imageID: "sha256:1",
      containerID: "podman://c0",
      started: true,
      allocatedResources: { memory: "12Mi" },
      resources: { limits: { memory: "12Mi" }, requests: { memory: "12Mi" } },
      volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true, recursiveReadOnly: "Disabled" }],
    },
  ]);
});

test("what waits says for how long and why, and what ended says what it left", () => {
  const message = "left behind";
  const waiting = status({ seen: [pause(), exited(seen("c", { attempt: 1 }), 3, 0, { message })], memory: crashed(2) });
  expect(waiting.containerStatuses?.[0]).toMatchObject({
    state: { waiting: { message: "back-off 20s restarting failed container=c pod=web_ctf(u-1)" } },
    lastState: {
      terminated: {
        message,
        startedAt: "2026-01-01T00:59:00Z",
        finishedAt: "2026-01-01T01:00:00Z",
        containerID: "podman://c1",
      },
    },
  });
});

describe("what was written before", () => {
  const first = status({ seen: [pause(), seen("c")] });

  test("keeps its times where nothing changed, and others' conditions", () => {
    const theirs = { type: "ctf/open", status: "True" };
    const pod = { ...makePod(), status: { ...first, conditions: [theirs, ...(first.conditions ?? [])] } };
    const later = status({ pod, seen: [pause(), seen("c")], now: now + 5000 });
    expect(later.conditions).toEqual([theirs, ...(first.conditions ?? [])]);
    expect(later.startTime).toBe(first.startTime);
  });

  test("is not taken back when the pod has ended", () => {
    const pod = { ...never, status: { ...first, phase: "Failed", reason: "Evicted" } };
    expect(shown(status({ pod, seen: [pause(), seen("c")] }))[0]).toBe("Failed Evicted");
  });

  test("tells what became of a container that the engine lost", () => {
    const lost = status({ pod: { ...makePod(), status: first } });
    expect(shown(lost).slice(0, 2)).toEqual([
      "Running",
      "c: waiting ContainerCreating, last terminated ContainerStatusUnknown 137, ×1",
    ]);
  });

  test("tells of an end that is cleared away by now", () => {
    const end = status({
      pod: { ...never, status: running },
      seen: [pause({ status: "exited" }), exited(seen("c"), 9)],
    });
    const cleared = status({ pod: { ...makePod({}, { restartPolicy: "Never" }, deleted), status: end } });
    expect(cleared.containerStatuses).toEqual(end.containerStatuses);
    expect(cleared.phase).toBe("Failed");
  });

  test("is not ready while the engine cannot be asked", () => {
    const pod = { ...makePod(), status: first };
    const { conditions } = unreachableStatus(pod, "connect ENOENT", now);
    expect(conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "NodeNotReady",
      message: "the container engine cannot be reached: connect ENOENT",
    });
    expect(unreachableStatus({ ...pod, status: { ...first, phase: "Succeeded" } }, "x", now).conditions).toEqual(
      first.conditions,
    );
  });
});
