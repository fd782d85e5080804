/** What the organiser decides about the listener. */

import * as read from "@berg/kube/variables";
import { janitorVariables } from "./janitor.ts";

export const listenerVariables = {
  workers: read.variable(
    "CHALLENGE_WATCHER_WORKER_COUNT",
    "20",
    "How many pods are looked at at a time: each pod has its line, and lines do not wait for each other.",
    read.count(1, 1000),
  ),
  policy: read.variable(
    "STUCK_POLICY",
    "report",
    "What is done about a stuck instance, beside telling its owner: report (nothing), restart (its stuck pods are made anew) or terminate (it ends).",
    read.choice("report", "restart", "terminate"),
  ),
  restarts: read.variable(
    "STUCK_RESTARTS",
    "3",
    "With STUCK_POLICY=restart: how often the pods of one instance are made anew before they are left alone.",
    read.count(0, 1000),
  ),
  youngMs: read.variable(
    "STUCK_IGNORE_YOUNGER",
    "15s",
    "Pods younger than this are never taken for stuck.",
    read.duration,
  ),
  errorMs: read.variable(
    "STUCK_ERROR_AFTER",
    "30s",
    "How long an image that cannot be pulled, or a container that cannot be made, may go on.",
    read.duration,
  ),
  crashes: read.variable(
    "STUCK_CRASHES",
    "2",
    "How often a container may end by itself, or for want of memory, and be started again.",
    read.count(0, 1_000_000),
  ),
  creatingMs: read.variable(
    "STUCK_CREATING_AFTER",
    "5m",
    "How long a container may take to be made. The time in which its image is pulled does not count.",
    read.duration,
  ),
  notReadyMs: read.variable(
    "STUCK_NOT_READY_AFTER",
    "3m",
    "How long a container may run without being ready. The time that its startup probe leaves it does not count.",
    read.duration,
  ),
  unschedulableMs: read.variable(
    "STUCK_UNSCHEDULABLE_AFTER",
    "5m",
    "How long a pod may wait for a node that has room for it.",
    read.duration,
  ),
  ghostGraceMs: janitorVariables.ghostGraceMs,
};

export type ListenerSettings = read.Values<typeof listenerVariables>;

/** Those of the environment, or every mistake in it at once. An empty variable counts as a missing one. */
export function readListenerSettings(env: Record<string, string | undefined>): ListenerSettings {
  return read.readVariables(listenerVariables, env);
}

export function listenerSettingsReference(): { name: string; default: string; description: string }[] {
  return read.referenceOf(listenerVariables);
}
