const keysAtOnce = 1000;

/** How many keys a second go through `work`, which is given a thousand of them at a time. */
export async function cyclesPerSecond(cycles: number, work: (keys: string[]) => Promise<void>): Promise<number> {
  const keys = Array.from({ length: keysAtOnce }, (_, index) => `challenge-${index}/web`);
  const started = performance.now();
  for (let done = 0; done < cycles; done += keysAtOnce) await work(keys);
  return cycles / ((performance.now() - started) / 1000);
}
