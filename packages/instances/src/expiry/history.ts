import { type ExpiryChange, historyReasons, lastCounted, statusLimits } from "@berg/resources";

/**
 * The history with one more entry. Where there is no room the oldest goes, but never the one that the timeout is counted
 * from.
 *
 * A refusal replaces the same refusal right before it: whoever asks again and again cannot remove what has happened.
 */
export function withEntry(history: readonly ExpiryChange[], entry: ExpiryChange): ExpiryChange[] {
  const isRepeated = refusals.has(entry.reason) && history.at(-1)?.reason === entry.reason;
  const all = [...(isRepeated ? history.slice(0, -1) : history), entry];
  const counted = lastCounted(all);
  while (all.length > statusLimits.history) all.splice(all[0] === counted ? 1 : 0, 1);
  return all;
}

const refusals = new Set<string>([historyReasons.renewalRefused, historyReasons.timeoutRefused]);
