/** How long a pod has to end by itself. One that runs nowhere, or has ended, is gone at once. */
import type { Pod } from "../types.ts";

export function gracePeriod({ spec, status }: Pod, wanted: number | undefined): number {
  if (!spec.nodeName || status.phase === "Failed" || status.phase === "Succeeded") return 0;
  const seconds = wanted ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}
