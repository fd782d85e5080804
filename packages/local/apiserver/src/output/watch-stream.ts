/**
 * Writes a watch to a client no faster than the client reads. Until it has read, nothing more is taken from the
 * history: so a slow client costs what is on its way to it, and in the end falls out of the history by itself.
 */
import type { Writable } from "node:stream";
import type { WatchFrame } from "../registry/verbs.ts";

// Large enough to be cheap, small enough that a thousand stalled watchers do not fill the memory.
const chunkBytes = 64 << 10;

/** Returns when there is nothing more to come, or when the client is gone. */
export async function streamWatch(
  batches: AsyncIterable<readonly WatchFrame[]>,
  encode: (frame: WatchFrame) => Buffer,
  to: Writable,
): Promise<void> {
  for await (const batch of batches) {
    for (const chunk of chunksOf(batch, encode)) {
      if (to.destroyed) return;
      if (!to.write(chunk)) await untilRead(to);
    }
    if (to.destroyed) return;
  }
}

function* chunksOf(batch: readonly WatchFrame[], encode: (frame: WatchFrame) => Buffer): Generator<Buffer> {
  let lines: Buffer[] = [];
  let bytes = 0;
  for (const frame of batch) {
    const line = encode(frame);
    lines.push(line);
    bytes += line.length;
    if (bytes < chunkBytes) continue;
    yield join(lines);
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield join(lines);
}

function join(lines: readonly Buffer[]): Buffer {
  const [first] = lines;
  return lines.length === 1 && first ? first : Buffer.concat(lines);
}

function untilRead(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      to.off("drain", done);
      to.off("close", done);
      resolve();
    };
    to.on("drain", done);
    to.on("close", done);
  });
}
