import type { Clock } from "@berg/kube";
import { TargetUnavailable } from "./target.ts";
import { answerTexts, targetReasons } from "./vocabulary.ts";

/**
 * Work at a target, for so long. A server that keeps everybody waiting holds up those of others, who wait for the same
 * workers; and it must be told apart from a reconcile that was ended.
 */
export async function withLimit<T>(
  limitMs: number,
  clock: Clock,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const text = answerTexts.unreachable(`no answer in ${limitMs / 1000} s`);
  const tooSlow = new TargetUnavailable(targetReasons.unreachable, text, true);
  const timer = clock.setTimer(limitMs, () => limit.abort(tooSlow));
  try {
    return await work(AbortSignal.any([outer, limit.signal]));
  } finally {
    timer.cancel();
  }
}
