import type { LogChunk } from "@berg/local-engine";

/** Both streams as one, up to so many bytes. */
export async function* limitTo(most: number, log: AsyncIterable<LogChunk>): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const { bytes } of log) {
    yield bytes.length > left ? bytes.subarray(0, left) : bytes;
    left -= bytes.length;
    if (left <= 0) return;
  }
}
