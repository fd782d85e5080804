import { type ExpiryChange, statusLimits } from "@berg/resources";
import { historyReasons } from "../vocabulary.ts";

/**
 * The history with one more entry; the oldest goes where there is no room. When the instance began stands in
 * `startedAt`, so that nothing is lost with its first entry.
 *
 * A refusal takes the place of one right before it: whoever asks again and again cannot wash away what has happened.
 */
export function withEntry(history: readonly ExpiryChange[], entry: ExpiryChange): ExpiryChange[] {
  const isRepeated =
    entry.reason === historyReasons.renewalRefused && history.at(-1)?.reason === historyReasons.renewalRefused;
  return [...(isRepeated ? history.slice(0, -1) : history), entry].slice(-statusLimits.history);
}
