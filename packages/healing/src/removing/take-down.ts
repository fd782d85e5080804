/**
 * What to do next with a namespace of ours that has to go: workloads first, so that no pod outlives the network policy
 * that holds it. Pure. The controller does the same, and forces a pod whose node is lost; this does not.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { Deployment, Namespace, Pod } from "@berg/kube";
import type { Workloads } from "./sight.ts";

/** The garbage collector takes about one second for the pods of a deleted Deployment; after this they are deleted by us. */
const mayLingerMs = 5000;
/** A pod that has not ended so long after its time is on a lost node, or held by somebody: it must not hold up the rest. */
const mayHangMs = 60_000;
/** How often to look at what was asked to go. */
const lookAgainMs = 1000;
/** With so many being taken apart about six a second go, and others still start and stop in time. */
const mostGoing = 30;

export type TakeDown =
  | { next: "stop"; deployments: Stored<Deployment>[]; pods: Stored<Pod>[]; lookAgainAt: number }
  | { next: "wait"; lookAgainAt: number; why: string }
  | { next: "remove" }
  /** It goes already. */
  | { next: "nothing" };

export interface Circumstances {
  /** When it fell due. All times in ms since 1970. */
  since: number;
  now: number;
  /** How many namespaces are being taken apart. */
  going: number;
  /** Until when the empty namespace is somebody else's to remove. */
  leftUntil?: number;
}

export function takeDown(
  namespace: Stored<Namespace>,
  workloads: Workloads,
  { since, now, going, leftUntil = 0 }: Circumstances,
): TakeDown {
  if (namespace.metadata.deletionTimestamp !== undefined) return { next: "nothing" };
  const deployments = workloads.deployments.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (deployments.length > 0) return { next: "stop", deployments, pods: [], lookAgainAt: now + lookAgainMs };

  const running = workloads.pods.filter(isRunning);
  const left = running.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const pods = left.filter((pod) => lingersUntil(pod, since) <= now);
  if (pods.length > 0) return { next: "stop", deployments: [], pods, lookAgainAt: now + lookAgainMs };

  const waits = running.map((pod) => endsBy(pod, since)).filter((until) => until > now);
  if (waits.length > 0) {
    const why = waits.length === 1 ? "one pod is still there" : `${waits.length} pods are still there`;
    return { next: "wait", why, lookAgainAt: Math.max(now + lookAgainMs, Math.min(...waits)) };
  }
  if (leftUntil > now)
    return { next: "wait", why: "nothing runs, and the controller is at it", lookAgainAt: leftUntil };
  if (going >= mostGoing) {
    return { next: "wait", why: `${going} namespaces are being taken apart already`, lookAgainAt: now + lookAgainMs };
  }
  return { next: "remove" };
}

function isRunning({ status }: Stored<Pod>): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** By its own creation too: until the garbage collector comes, a ReplicaSet makes a new pod for each that is deleted. */
function lingersUntil({ metadata }: Stored<Pod>, since: number): number {
  return Math.max(since, parseTime(metadata.creationTimestamp)) + mayLingerMs;
}

/** The deletion time of a pod is the end of the time that it was given. */
function endsBy(pod: Stored<Pod>, since: number): number {
  const { deletionTimestamp } = pod.metadata;
  return deletionTimestamp === undefined ? lingersUntil(pod, since) : parseTime(deletionTimestamp) + mayHangMs;
}
