/**
 * How the bytes of a stream lie on a data connection. Each way they come in pieces, `length u32 | bytes`; the length 0 is
 * that way's end. So a stream can end and its connection stay: the next one follows.
 */
import type { Socket } from "node:net";

const lengthSize = 4;

/** Below it a copy costs less than a second buffer on its way to the kernel. */
const worthCopying = 4096;

/** The end of one way. */
export const endOfWay = Buffer.alloc(lengthSize);

/** A piece with something in front of it, in one buffer. */
export function printPiece(bytes: Buffer, before: Buffer): Buffer {
  const printed = Buffer.allocUnsafe(before.length + lengthSize + bytes.length);
  before.copy(printed);
  printed.writeUInt32BE(bytes.length, before.length);
  bytes.copy(printed, before.length + lengthSize);
  return printed;
}

const nothing = Buffer.alloc(0);

export function writePiece(to: Socket, bytes: Buffer): void {
  if (bytes.length < worthCopying) {
    to.write(printPiece(bytes, nothing));
    return;
  }
  const length = Buffer.allocUnsafe(lengthSize);
  length.writeUInt32BE(bytes.length);
  to.cork();
  to.write(length);
  to.write(bytes);
  to.uncork();
}

/** Reads one way of a data connection, however it is cut. */
export class PieceReader {
  /** Of the present piece. */
  #left = 0;
  #length = 0;
  #lengthBytes = 0;

  /** Hands over what is the stream's. Where the way ends in it: how many bytes that took; what follows is not touched. */
  read(chunk: Buffer, onBytes: (bytes: Buffer) => void): number | undefined {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const end = Math.min(chunk.length, at + this.#left);
        this.#left -= end - at;
        onBytes(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
        at = end;
        continue;
      }
      this.#length = this.#length * 256 + (chunk[at++] as number);
      if (++this.#lengthBytes < lengthSize) continue;
      this.#left = this.#length;
      this.#length = 0;
      this.#lengthBytes = 0;
      if (this.#left === 0) return at;
    }
    return undefined;
  }
}
