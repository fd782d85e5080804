import type { Pod } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { at, containing, makePod, readyStatus } from "../testing/objects.ts";
import { troubleOf } from "./trouble.ts";

type Status = NonNullable<Pod["status"]>;

const waits = (reason: string, message?: string): Status =>
  containing({ state: { waiting: { reason, ...(message !== undefined && { message }) } } });
const ends = (reason: string, exitCode: number): Status =>
  containing({
    restartCount: 4,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting" } },
    lastState: { terminated: { reason, exitCode } },
  });

describe("a player reads what is wrong, without counts, times or the words of machines:", () => {
  test.each<{ status: Status; reason: string; message: string }>([
    {
      status: waits("ImagePullBackOff", 'Back-off pulling image "web:1": manifest unknown'),
      reason: "ImageCannotBePulled",
      message: "the image web:1 cannot be pulled: it does not exist",
    },
    {
      status: waits("ErrImagePull", "pull access denied"),
      reason: "ImageCannotBePulled",
      message: "the image web:1 cannot be pulled: the registry asks for other credentials",
    },
    {
      status: waits("ErrImagePull", "dial tcp: lookup registry: no such host"),
      reason: "ImageCannotBePulled",
      message: "the image web:1 cannot be pulled: the registry is not reached",
    },
    {
      status: waits("ErrImagePull", 'pulling "forbidden.example/denied:1": toomanyrequests'),
      reason: "ImageCannotBePulled",
      message: "the image web:1 cannot be pulled: the registry is asked too often",
    },
    { status: waits("InvalidImageName"), reason: "ImageCannotBePulled", message: "the image web:1 cannot be pulled" },
    {
      status: waits("CreateContainerConfigError", 'secret "flag{x}" not found'),
      reason: "ContainerCannotStart",
      message: "it cannot be started (CreateContainerConfigError)",
    },
    { status: ends("Error", 3), reason: "ContainerCrashes", message: "it ends by itself (exit code 3)" },
    { status: ends("Completed", 0), reason: "ContainerCrashes", message: "it ends by itself (exit code 0)" },
    {
      status: ends("OOMKilled", 137),
      reason: "OutOfMemory",
      message: "it was stopped because it used more memory than it may",
    },
    {
      status: ends("StartError", 128),
      reason: "ContainerCannotStart",
      message: "it cannot be started (RunContainerError)",
    },
    {
      status: { phase: "Failed", reason: "Evicted", message: "Pod ephemeral local storage usage exceeds the limit" },
      reason: "OutOfDisk",
      message: "it was stopped because it used more disk space than it may",
    },
    {
      status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
      reason: "Evicted",
      message: "it was stopped because its node ran short of memory or disk space",
    },
    {
      status: { phase: "Failed", reason: "NodeAffinity" },
      reason: "PodFailed",
      message: "it has failed (NodeAffinity)",
    },
    { status: { phase: "Failed" }, reason: "PodFailed", message: "it has failed" },
    {
      status: {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }],
      },
      reason: "NoNodeFits",
      message: "no node of the cluster has room for it",
    },
    { status: waits("ContainerCreating"), reason: "NotStarted", message: "its node takes too long to make it" },
    {
      status: containing({ state: { running: { startedAt: at(0) } } }, "Running"),
      reason: "NotReady",
      message: "it runs, but is not ready",
    },
  ])("$reason: $message", ({ status, reason, message }) => {
    expect(troubleOf(makePod(status))).toMatchObject({ reason, message });
  });

  test("a pod that is waiting for a gate of somebody else is not unschedulable", () => {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }];
    expect(troubleOf(makePod({ phase: "Pending", conditions }))?.kind).toBe("creating");
  });

  test("a pod that is ready has none", () => {
    expect(troubleOf(makePod(readyStatus()))).toBeUndefined();
  });
});
