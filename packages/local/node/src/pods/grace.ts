/** How long the containers of a pod get to end by themselves. Pure. */
import type { View } from "./view.ts";

/** kubelet never gives less: a container is asked before it is killed. */
const leastGraceSeconds = 2;
const defaultGraceSeconds = 30;
/** What kubelet gives one that has taken too much already. */
const evictionGraceSeconds = 1;

export function graceOf({ pod, memory }: Pick<View, "pod" | "memory">): number {
  if (memory.evicted !== undefined) return evictionGraceSeconds;
  const asked = pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds;
  return Math.max(leastGraceSeconds, asked ?? defaultGraceSeconds);
}
