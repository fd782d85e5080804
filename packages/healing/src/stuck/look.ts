/** One look at one pod: is it stuck, and when is the next look due? */
import type { Stored } from "@berg/apimachinery";
import type { Client, Clock, Pod, TimerHeap } from "@berg/kube";
import type { Findings } from "./findings.ts";
import { judge, type Thresholds, type Verdict } from "./judge.ts";
import { isPulling } from "./pulling.ts";

export interface StuckLook {
  client: Pick<Client, "listAll">;
  findings: Findings;
  /** Pods to be looked at again, by UID. */
  timers: TimerHeap<string>;
  thresholds: Thresholds;
  clock: Clock;
}

/** Returns whether there is news for its instance. */
export async function lookAtPod(
  instance: string,
  pod: Stored<Pod>,
  { client, findings, timers, thresholds, clock }: StuckLook,
  signal: AbortSignal,
): Promise<boolean> {
  const { uid } = pod.metadata;
  const now = clock.now();
  let verdict: Verdict = judge(pod, findings.firstSeen(uid, pod, now), now, thresholds);
  if (verdict.is === "stuck" && verdict.kind === "creating" && (await isPulling(client, pod, signal)))
    verdict = { is: "waiting", againAt: now + thresholds.creatingMs };
  timers.cancel(uid);
  if (verdict.is === "waiting" && verdict.againAt !== undefined) timers.schedule(uid, verdict.againAt - now);
  return findings.put(instance, uid, pod, verdict);
}
