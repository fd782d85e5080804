/**
 * The one file that reads the time, sets a timer or draws a random number. Everything else takes a Clock or a Random,
 * so that a test can hold time still and repeat chance.
 */
import { formatMicroTime, formatTime } from "@berg/apimachinery";

export interface Clock {
  /** Wall time in ms since 1970. It may jump: use it for what people and other machines read. */
  now(): number;
  /** Milliseconds that only grow. Use it to measure how long something took. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`, however long that is. */
  setTimer(delayMs: number, fire: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** A number in [0, 1). */
export type Random = () => number;

// Node fires a longer timer at once (the delay is a signed 32-bit integer), so it is re-armed in steps.
const longestNodeTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const due = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = () => {
      const left = due - performance.now();
      handle = left > longestNodeTimer ? setTimeout(arm, longestNodeTimer) : setTimeout(fire, Math.max(0, left));
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

export const systemRandom: Random = Math.random;

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** RFC 3339 in whole seconds, as Kubernetes writes its times. */
export function timestamp(clock: Clock): string {
  return formatTime(clock.now());
}

/** RFC 3339 with microseconds, as Lease and Event want theirs. */
export function microTimestamp(clock: Clock): string {
  return formatMicroTime(clock.now());
}
