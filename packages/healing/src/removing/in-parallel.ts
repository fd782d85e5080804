/** So many at once: enough to be quick where a thousand end together, and few enough for the server to serve others. */
const atOnce = 10;

/** Every item is tried before the first failure is thrown; once aborted, no further one is. */
export async function inParallel<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) {
      signal.throwIfAborted();
      await work(item).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
