/** The one file that reads the time, sets a timer or draws a random number, so that a test can hold them still. */
export interface Clock {
  /** Wall time of this device in ms since 1970. It may be wrong: what the server decides is compared with useServerNow. */
  now(): number;
  /** Calls `fire` once after `delayMs`; returns what cancels it. */
  setTimer(delayMs: number, fire: () => void): () => void;
  /** A number in [0, 1). */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    return () => clearTimeout(handle);
  },
  random: () => Math.random(),
};
