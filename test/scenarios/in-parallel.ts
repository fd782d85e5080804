/** Does something with each, at most so many at a time, and returns what went wrong with which. */
export async function inParallel<T>(
  most: number,
  items: readonly T[],
  name: (item: T) => string,
  run: (item: T) => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  const left = items.values();
  const work = async () => {
    for (const item of left) {
      await run(item).catch((error: Error) => failures.push(`${name(item)}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return failures;
}
