import { expect, test } from "vitest";
import { checkSize } from "./largest-object.ts";

const mebibyte = 1024 * 1024;
const tooLarge = "etcdserver: request is too large";

test.each([
  ["a text of the largest size", "x".repeat(1.5 * mebibyte), undefined],
  ["one byte more", "x".repeat(1.5 * mebibyte + 1), tooLarge],
  ["as many characters, some of two bytes", "é".repeat(mebibyte), tooLarge],
  ["two mebibytes", "x".repeat(2 * mebibyte), tooLarge],
  [
    "more than goes over the wire",
    "x".repeat(2 * mebibyte + 1),
    "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097153 vs. 2097152)",
  ],
])("%s", (_, text, refusal) => {
  if (refusal === undefined) expect(() => checkSize(text)).not.toThrow();
  else expect(() => checkSize(text)).toThrow(expect.objectContaining({ code: 500, message: refusal }));
});
