import fc from "fast-check";
import { expect, test } from "vitest";
import { readJsonLines } from "./json-lines.ts";

async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let rest = bytes;
  for (const length of lengths) {
    yield rest.subarray(0, length);
    rest = rest.subarray(length);
  }
  yield rest;
}

const read = (bytes: Buffer, lengths: readonly number[] = []) => Array.fromAsync(readJsonLines(cut(bytes, lengths)));

test("values arrive whole wherever they were cut, in the middle of a character too", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.array(fc.nat(9)), fc.boolean(), async (values, lengths, ends) => {
      const text = values.map((value) => JSON.stringify(value)).join("\n") + (ends ? "\r\n" : "");
      expect(await read(Buffer.from(text), lengths)).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
  expect(await read(Buffer.from('{"a":"🏔"}\n'), [7, 1, 1])).toEqual([{ a: "🏔" }]);
});

test.each([
  ["what is no JSON", "{}\nhello\n", /is not JSON/],
  ["a line without end", "x".repeat(2_000_000), /line without end/],
])("%s is an error", async (_, text, message) => {
  await expect(read(Buffer.from(text))).rejects.toThrow(message);
});
