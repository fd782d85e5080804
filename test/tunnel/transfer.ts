/** Much data whose order and content can be proved by a checksum, without having it all at once. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";

const pieceBytes = 1024 * 1024;

/** Sends so many bytes, no faster than they are taken, and ends; what their checksum is. */
export async function sendMuch(socket: Socket, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  const pattern = randomBytes(pieceBytes);
  for (let sent = 0; sent < bytes; ) {
    const piece = Buffer.from(pattern.subarray(0, Math.min(pieceBytes, bytes - sent)));
    // No two are the same, so that one in the wrong place is noticed.
    piece.writeDoubleBE(sent, 0);
    hash.update(piece);
    sent += piece.length;
    if (!socket.write(piece)) await once(socket, "drain");
  }
  socket.end();
  return hash.digest("hex");
}

/** To the end. */
export async function receiveMuch(socket: Socket): Promise<{ bytes: number; checksum: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  socket.on("data", (piece) => {
    hash.update(piece);
    bytes += piece.length;
  });
  await once(socket, "end");
  return { bytes, checksum: hash.digest("hex") };
}
