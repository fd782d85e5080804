import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfWay, PieceReader, printPiece, writePiece } from "./pieces.ts";
import { End, startServer } from "./testing/ends.ts";
import { host } from "./testing/pair.ts";

const nothing = Buffer.alloc(0);

/** What a reader makes of these bytes, cut at these places. */
function readAll(bytes: Buffer, cuts: number[]) {
  const reader = new PieceReader();
  const heard: Buffer[] = [];
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let edge = 1; edge < edges.length; edge++) {
    const start = edges[edge - 1] as number;
    const end = reader.read(bytes.subarray(start, edges[edge]), (piece) => heard.push(piece));
    if (end !== undefined) return { heard: Buffer.concat(heard), rest: bytes.subarray(start + end) };
  }
  return { heard: Buffer.concat(heard), rest: undefined };
}

test("however a way is cut, its bytes come whole and in order, and its end where it is", () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 600 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(
      fc.array(bytes, { maxLength: 8 }),
      fc.uint8Array({ maxLength: 50 }),
      fc.array(fc.nat(5000), { maxLength: 30 }),
      (pieces, after, cuts) => {
        const way = Buffer.concat([...pieces.map((piece) => printPiece(piece, nothing)), endOfWay]);
        const { heard, rest } = readAll(Buffer.concat([way, after]), cuts);
        expect(heard).toEqual(Buffer.concat(pieces));
        expect(rest?.subarray(0, after.length)).toEqual(Buffer.from(after));
      },
    ),
  );
});

test("one byte at a time, two ways follow each other", () => {
  const reader = new PieceReader();
  const heard: string[] = [];
  const bytes = Buffer.concat([
    printPiece(Buffer.from("ab"), nothing),
    endOfWay,
    printPiece(Buffer.from("c"), nothing),
  ]);
  for (const byte of bytes) if (reader.read(Buffer.from([byte]), (piece) => heard.push(`${piece}`))) heard.push("end");
  expect(heard).toEqual(["a", "b", "end", "c"]);
});

test.each([1, 4095, 4096, 300_000])("a piece of %d bytes comes as it was written", async (size) => {
  const ends: End[] = [];
  await using server = await startServer((socket) => ends.push(new End(socket)));
  const socket = connect({ port: server.port, host });
  const bytes = Buffer.alloc(size, "0123456789");
  writePiece(socket, bytes);
  socket.end(endOfWay);
  await expect.poll(() => ends[0]?.state).toBe("end");
  const { heard, rest } = readAll(ends[0]?.received as Buffer, []);
  expect(heard.equals(bytes)).toBe(true);
  expect(rest).toEqual(nothing);
});
