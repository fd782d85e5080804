import { afterAll, beforeAll } from "vitest";

/** Many files start their servers at once, and share a processor. */
const patienceMs = 300_000;

/**
 * What all tests of a file, or of a `describe`, share: there from before the first of them until after the last.
 *
 *     const world = whileTesting(embeddedPlace);
 *     test("…", async () => {
 *       await using stage = await openStage(world);
 */
export function whileTesting<T extends AsyncDisposable>(open: () => Promise<T>): () => T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  }, patienceMs);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!opened) throw new Error("it is there while tests run: ask for it in one, or in a hook of it");
    return opened;
  };
}
