import type { Pod } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readListenerSettings } from "../settings/listener.ts";
import { at, containing, epoch, makePod, readyStatus } from "../testing/objects.ts";
import { judge } from "./judge.ts";

const thresholds = readListenerSettings({});
type Status = NonNullable<Pod["status"]>;

/** The verdict on a pod made at 0, `now` seconds later, whose trouble was seen first at `since`. */
function verdict(status: Status, now: number, since = 0, pod = makePod(status)) {
  return judge(pod, epoch + since * 1000, epoch + now * 1000, thresholds);
}

const waitingFor = (reason: string, message?: string) =>
  containing({ state: { waiting: { reason, ...(message !== undefined && { message }) } } });
const ended = { exitCode: 3, reason: "Error", startedAt: at(0), finishedAt: at(1) };
const down = (restartCount: number, terminated = ended) =>
  containing(
    { restartCount, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated } },
    "Running",
  );
const scheduled = (seconds: number) => [{ type: "PodScheduled", status: "True", lastTransitionTime: at(seconds) }];
const unschedulable = (seconds: number): Status => ({
  phase: "Pending",
  conditions: [
    { type: "PodScheduled", status: "False", reason: "Unschedulable", lastTransitionTime: at(seconds), message: "0/3" },
  ],
});
const running = (startedAt: number, notReadySince: number): Status => ({
  ...containing({ started: true, state: { running: { startedAt: at(startedAt) } } }, "Running"),
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(notReadySince) }],
});

describe("a trouble makes a pod stuck when it has lasted for too long, and not a second earlier:", () => {
  test.each([
    { what: "a pull that fails", status: waitingFor("ErrImagePull"), since: 0, due: 30 },
    { what: "a pull that fails later", status: waitingFor("ImagePullBackOff"), since: 100, due: 130 },
    { what: "a name that is none", status: waitingFor("InvalidImageName"), since: 0, due: 30 },
    { what: "an image that must not be pulled", status: waitingFor("ErrImageNeverPull"), since: 0, due: 30 },
    { what: "a config error", status: waitingFor("CreateContainerConfigError"), since: 0, due: 30 },
    { what: "a container that is not made", status: waitingFor("CreateContainerError"), since: 5, due: 35 },
    { what: "a program that is not found", status: waitingFor("RunContainerError"), since: 0, due: 30 },
    { what: "no node", status: unschedulable(10), since: 0, due: 310 },
    { what: "making the container", status: waitingFor("ContainerCreating"), since: 0, due: 300 },
    {
      what: "making it once there was a node",
      status: { ...waitingFor("ContainerCreating"), conditions: scheduled(200) },
      since: 0,
      due: 500,
    },
    { what: "silence", status: { phase: "Pending" }, since: 0, due: 300 },
    { what: "running and never ready", status: running(20, 0), since: 20, due: 200 },
    { what: "running and no longer ready", status: running(20, 1000), since: 1000, due: 1180 },
    {
      what: "made again while it runs",
      status: containing({ state: { waiting: { reason: "ContainerCreating" } } }, "Running"),
      since: 1000,
      due: 1300,
    },
    { what: "failing for good", status: { phase: "Failed", reason: "NodeLost" }, since: 100, due: 115 },
  ])("$what", ({ status, since, due }) => {
    expect(verdict(status, due - 1, since)).toEqual({ is: "waiting", againAt: epoch + due * 1000 });
    expect(verdict(status, due, since)).toMatchObject({ is: "stuck" });
  });

  test.each([
    { restarts: 0, is: "waiting" },
    { restarts: 2, is: "waiting" },
    { restarts: 3, is: "stuck" },
    { restarts: 90, is: "stuck" },
  ])("a crash loop with $restarts restarts: $is", ({ restarts, is }) => {
    expect(verdict(down(restarts), 60)).toMatchObject({ is });
    expect(verdict(down(restarts, { ...ended, reason: "OOMKilled", exitCode: 137 }), 60)).toMatchObject({ is });
    const between = containing({ restartCount: restarts, state: { terminated: ended } }, "Running");
    expect(verdict(between, 60)).toMatchObject({ is });
  });
});

describe("a clock that is wrong elsewhere makes nothing stuck before it has lasted for too long here:", () => {
  const behind = 240;
  test.each([
    { what: "no node", status: unschedulable(0), due: 300 },
    { what: "making the container", status: waitingFor("ContainerCreating"), due: 300 },
    { what: "silence", status: { phase: "Pending" }, due: 300 },
    { what: "running and never ready", status: running(0, 0), due: 180 },
    { what: "running and no longer ready", status: running(0, 100), due: 180 },
  ])("$what", ({ status, due }) => {
    expect(verdict(status, behind + due - 1, behind)).toEqual({
      is: "waiting",
      againAt: epoch + (behind + due) * 1000,
    });
    expect(verdict(status, behind + due, behind)).toMatchObject({ is: "stuck" });
  });

  test("its probes have their time, and what they had of it before it was no longer ready is not given twice", () => {
    const spec = { containers: [{ name: "web", readinessProbe: { initialDelaySeconds: 400 } }] };
    const never = { ...makePod(running(0, 0)), spec };
    expect(verdict({}, behind + 579, behind, never)).toMatchObject({ is: "waiting" });
    expect(verdict({}, behind + 580, behind, never)).toMatchObject({ is: "stuck" });
    const noLonger = { ...makePod(running(0, 1000)), spec };
    expect(verdict({}, 1000 + behind + 179, 1000 + behind, noLonger)).toMatchObject({ is: "waiting" });
    expect(verdict({}, 1000 + behind + 180, 1000 + behind, noLonger)).toMatchObject({ is: "stuck" });
  });
});

describe("a time that is null is one that nobody has written:", () => {
  const never = null as unknown as string;
  test.each([
    { what: "of a start", status: containing({ state: { running: { startedAt: never } } }, "Running"), due: 200 },
    {
      what: "of a condition",
      status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: never }] },
      due: 320,
    },
  ])("$what", ({ status, due }) => {
    expect(verdict(status, due - 1, 20)).toEqual({ is: "waiting", againAt: epoch + due * 1000 });
    expect(verdict(status, due, 20)).toMatchObject({ is: "stuck" });
  });

  test("of a start between two crashes", () => {
    const status = readyStatus({ restartCount: 3, state: { running: { startedAt: never } } });
    expect(verdict(status, 100)).toEqual({ is: "waiting", againAt: epoch + 115_000 });
  });
});

test("a young pod is never stuck", () => {
  expect(verdict(down(9), 14)).toEqual({ is: "waiting", againAt: epoch + 15_000 });
  expect(verdict(down(9), 15)).toMatchObject({ is: "stuck" });
});

describe("a slow but healthy start is never stuck:", () => {
  const withProbes = (status: Status, probes: object) => {
    const pod = makePod(status);
    return { ...pod, spec: { containers: [{ name: "web", ...probes }] } };
  };

  test.each([
    { probes: { startupProbe: { periodSeconds: 10, failureThreshold: 60 } }, due: 20 + 600 + 1 + 180 },
    { probes: { startupProbe: { initialDelaySeconds: 30 } }, due: 20 + 30 + 30 + 1 + 180 },
    { probes: { startupProbe: { timeoutSeconds: 5, periodSeconds: 5 } }, due: 20 + 15 + 5 + 180 },
    { probes: { readinessProbe: { initialDelaySeconds: 400 } }, due: 20 + 400 + 180 },
    { probes: { readinessProbe: { periodSeconds: 60 } }, due: 20 + 180 },
  ])("its probes leave it its time: $probes", ({ probes, due }) => {
    const pod = withProbes(running(20, 0), probes);
    expect(verdict({}, due - 1, 20, pod)).toEqual({ is: "waiting", againAt: epoch + due * 1000 });
    expect(verdict({}, due, 20, pod)).toMatchObject({ is: "stuck", reason: "NotReady" });
  });
});

describe("well is only what is ready, and has not just crashed for the third time:", () => {
  test.each([
    { what: "ready", status: readyStatus(), now: 1, want: { is: "well" } },
    { what: "ready again", status: readyStatus({ restartCount: 2 }), now: 1, want: { is: "well" } },
    {
      what: "ready between two crashes",
      status: readyStatus({ restartCount: 3, state: { running: { startedAt: at(100) } } }),
      now: 110,
      want: { is: "waiting", againAt: epoch + 115_000 },
    },
    {
      what: "ready, and for a while",
      status: readyStatus({ restartCount: 3, state: { running: { startedAt: at(100) } } }),
      now: 115,
      want: { is: "well" },
    },
    { what: "ended as it should", status: { phase: "Succeeded" }, now: 9999, want: { is: "waiting" } },
  ])("$what", ({ status, now, want }) => {
    expect(verdict(status, now)).toEqual(want);
  });

  test("what is going is nothing to wait for", () => {
    const pod = makePod(down(9), { deletionTimestamp: at(1) });
    expect(verdict({}, 9999, 0, pod)).toEqual({ is: "waiting" });
  });

  test("an init container that has done its work is no crash", () => {
    const init = { name: "i", image: "", imageID: "", ready: true, restartCount: 0 };
    const done = { ...init, state: { terminated: { ...ended, exitCode: 0, reason: "Completed" } } };
    expect(verdict({ ...readyStatus(), initContainerStatuses: [done] }, 100)).toEqual({ is: "well" });
    const failing = { ...init, ready: false, restartCount: 3, state: { terminated: ended } };
    expect(verdict({ phase: "Pending", initContainerStatuses: [failing] }, 100)).toMatchObject({ is: "stuck" });
  });
});

test("whoever is told when to look again finds the pod stuck then, and not before", () => {
  const states = [
    { waiting: { reason: "ErrImagePull" } },
    { waiting: { reason: "ContainerCreating" } },
    { waiting: { reason: "CrashLoopBackOff" } },
    { running: { startedAt: at(50) } },
    { terminated: ended },
  ];
  const anyStatus = fc.record({
    state: fc.constantFrom(...states),
    restartCount: fc.nat(5),
    phase: fc.constantFrom("Pending", "Running", "Failed"),
    ready: fc.boolean(),
  });
  fc.assert(
    fc.property(anyStatus, fc.nat(1000), fc.nat(1000), ({ state, restartCount, phase, ready }, since, now) => {
      const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: at(60) }];
      const status = { ...containing({ state, restartCount, ready }, phase), conditions };
      const first = verdict(status, now, since);
      if (first.is !== "waiting" || first.againAt === undefined) return;
      expect(first.againAt).toBeGreaterThan(epoch + now * 1000);
      const then = (first.againAt - epoch) / 1000;
      expect(verdict(status, then - 0.001, since)).toEqual(first);
      expect(verdict(status, then, since).is).not.toBe("waiting");
    }),
  );
});
