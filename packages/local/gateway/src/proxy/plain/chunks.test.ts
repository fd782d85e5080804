import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BrokenChunks, ChunkReader } from "./chunks.ts";

/** How much of it belongs to the body, cut at these places; undefined where its end has not come. */
function lengthOf(text: string, cuts: readonly number[] = []): number | undefined {
  const reader = new ChunkReader();
  const bytes = Buffer.from(text, "latin1");
  let total = 0;
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (let at = 1; at < places.length; at++) total += reader.take(bytes.subarray(places[at - 1], places[at]));
  return reader.done ? total : undefined;
}

describe("a body in chunks", () => {
  test.each([
    "0\r\n\r\n",
    "5\r\nhello\r\n0\r\n\r\n",
    "A\r\n0123456789\r\n0\r\n\r\n",
    "00005\r\nhello\r\n000\r\n\r\n",
    '5;name="value"\r\nhello\r\n0;x\r\n\r\n',
    "5\r\n\r\n0\r\n\r\n0\r\n\r\n",
    "1\r\nx\r\n0\r\nTrailer: a\r\nOther:\r\n\r\n",
  ])("ends where %j does, however it is cut, and what follows is not part of it", (text) => {
    expect(lengthOf(`${text}5\r\nHTTP/1.1 200 OK`)).toBe(text.length);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        expect(lengthOf(`${text}more`, cuts)).toBe(text.length);
      }),
    );
  });

  test.each(["", "5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\nTrailer: a\r\n"])("is not over after %j", (text) => {
    expect(lengthOf(text)).toBeUndefined();
  });

  test.each([
    "\r\n",
    "x\r\n",
    "-1\r\n",
    "0x5\r\nhello",
    "5\nhello\r\n0\r\n\r\n",
    "5\r\nhelloX\r\n0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    "fffffffffffffffff\r\n",
    "5 5\r\nhello\r\n",
    "5;\0\r\nhello\r\n",
    "0\r\nno trailer\r\n\r\n",
    "0\r\n folded\r\n\r\n",
    `5;${"x".repeat(20_000)}`,
  ])("is refused where it says %j", (text) => {
    expect(() => lengthOf(text)).toThrow(BrokenChunks);
  });
});
