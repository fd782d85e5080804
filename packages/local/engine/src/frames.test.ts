import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogChunk } from "./engine.ts";
import { readFrames, readRaw } from "./frames.ts";

function frame(stream: "stdout" | "stderr", bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === "stdout" ? 1 : 2;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let rest = bytes;
  for (const length of lengths) {
    yield rest.subarray(0, length);
    rest = rest.subarray(length);
  }
  yield rest;
}

async function all(chunks: AsyncIterable<LogChunk>) {
  const said: { stream: string; hex: string }[] = [];
  for await (const { stream, bytes } of chunks) {
    const last = said.at(-1);
    if (last?.stream === stream) last.hex += Buffer.from(bytes).toString("hex");
    else said.push({ stream, hex: Buffer.from(bytes).toString("hex") });
  }
  return said;
}

const pieces = fc.array(
  fc.record({ stream: fc.constantFrom("stdout" as const, "stderr" as const), bytes: fc.uint8Array({ maxLength: 40 }) }),
);

test("what was sent arrives, in order and on its stream, wherever it was cut", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.array(fc.nat(20)), async (sent, lengths) => {
      const whole = Buffer.concat(sent.map(({ stream, bytes }) => frame(stream, bytes)));
      async function* uncut() {
        yield* sent.filter(({ bytes }) => bytes.length > 0);
      }
      expect(await all(readFrames(cut(whole, lengths)))).toEqual(await all(uncut()));
    }),
  );
});

test("a piece is given on as it arrives", async () => {
  const chunks = readFrames(cut(frame("stdout", Buffer.from("hello")), [10]));
  expect((await chunks.next()).value).toEqual({ stream: "stdout", bytes: Buffer.from("he") });
});

test.each([
  ["a header that breaks off", frame("stdout", Buffer.from("x")).subarray(0, 5), /broke off/],
  ["a piece that breaks off", frame("stderr", Buffer.from("xyz")).subarray(0, 9), /broke off/],
  ["what is no frame", Buffer.from("HTTP/1.1 200 OK\r\n"), /not in frames/],
  ["a stream that nobody knows", Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 65]), /not in frames/],
  ["a length without end", Buffer.from([1, 0, 0, 0, 0xff, 0, 0, 0]), /not in frames/],
])("%s is an error", async (_, bytes, text) => {
  await expect(all(readFrames(cut(bytes, [])))).rejects.toThrow(text);
});

test("a terminal's bytes are left as they are", async () => {
  expect(await all(readRaw(cut(Buffer.from([3, 0, 1, 2]), [1])))).toEqual([{ stream: "stdout", hex: "03000102" }]);
});
