/** How long something that failed waits before it is tried again: twice as long each time. Pure. */

export interface BackOff {
  readonly delayMs: number;
  /** When it was last raised. */
  readonly at: number;
}

const firstMs = 10_000;
const longestMs = 300_000;
/** Who ran for so long begins anew. */
const forgottenAfterMs = 2 * longestMs;

/** Until when one that ended at `endedAt` waits; undefined where it does not. */
export function waitsUntil(backOff: BackOff | undefined, endedAt: number, now: number): number | undefined {
  if (!backOff || endedAt - backOff.at > forgottenAfterMs) return undefined;
  const until = endedAt + backOff.delayMs;
  return now < until ? until : undefined;
}

/** To be kept when it is tried again. */
export function raise(backOff: BackOff | undefined, endedAt: number, now: number): BackOff {
  if (!backOff || endedAt - backOff.at > forgottenAfterMs) return { delayMs: firstMs, at: now };
  return { delayMs: Math.min(longestMs, backOff.delayMs * 2), at: now };
}
