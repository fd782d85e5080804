/**
 * Does the same thing so many times: first once, then twice as many at once each time, until one fails. What is refused
 * to all, by a quota for example, is then asked for once and not a hundred times.
 */
export async function slowStart(times: number, work: () => Promise<void>): Promise<void> {
  for (let left = times, batch = 1; left > 0; left -= batch, batch *= 2) {
    batch = Math.min(batch, left);
    const outcomes = await Promise.allSettled(Array.from({ length: batch }, work));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
  }
}
