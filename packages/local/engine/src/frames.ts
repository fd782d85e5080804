/**
 * Two streams on one connection, as engines send them: before each piece eight bytes, the first of which says which
 * stream it is, the last four how long the piece is. Pieces and headers are split anywhere on the way.
 */
import { EngineError, type LogChunk } from "./engine.ts";

const headerSize = 8;
// Engines send pieces of at most 16 or 32 KiB; a length beyond this means that these are no frames.
const longestPiece = 16 * 1024 * 1024;

/** What comes without a terminal. A piece is given on as it arrives, so that a long one takes no memory. */
export async function* readFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunk> {
  let header = Buffer.alloc(0);
  let stream: LogChunk["stream"] = "stdout";
  let left = 0;
  for await (const chunk of bytes) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (left > 0) {
        const piece = rest.subarray(0, left);
        left -= piece.length;
        rest = rest.subarray(piece.length);
        yield { stream, bytes: piece };
        continue;
      }
      const missing = rest.subarray(0, headerSize - header.length);
      header = Buffer.concat([header, missing]);
      rest = rest.subarray(missing.length);
      if (header.length < headerSize) break;
      stream = streamOf(header);
      left = header.readUInt32BE(4);
      if (left > longestPiece) throw new EngineError("cannot read what the container says: not in frames", 0);
      header = Buffer.alloc(0);
    }
  }
  if (left > 0 || header.length > 0) throw new EngineError("what the container says broke off", 0);
}

/** What comes from a terminal: one stream, as it is. */
export async function* readRaw(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunk> {
  for await (const chunk of bytes) yield { stream: "stdout", bytes: chunk };
}

function streamOf(header: Buffer): LogChunk["stream"] {
  const kind = header[0] ?? 0;
  if (kind > 2 || header[1] !== 0 || header[2] !== 0 || header[3] !== 0) {
    throw new EngineError("cannot read what the container says: not in frames", 0);
  }
  return kind === 2 ? "stderr" : "stdout";
}
