import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatRange, overlap, parseRange, pieceOf, type Range } from "./cidr.ts";

const range = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }))
  .map(([address, prefix]) => ({ first: address - (address % 2 ** (32 - prefix)), prefix }));

describe("ranges of addresses", () => {
  test("are read as they are written", () => {
    fc.assert(
      fc.property(range, (one) => {
        expect(parseRange(formatRange(one))).toEqual(one);
      }),
    );
    expect(formatRange({ first: 4_278_190_080, prefix: 8 })).toBe("255.0.0.0/8");
  });

  test.each(["10.0.0.0", "10.0.0/8", "10.0.0.256/8", "10.0.0.1/8", "10.0.0.0/33", "::/0", "", "10.0.0.0/8 "])(
    "%s is none",
    (text) => expect(parseRange(text)).toBeUndefined(),
  );

  test("fall into pieces that fill them and do not overlap", () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 0, max: 6 }), (whole, longer) => {
        const prefix = whole.prefix + longer;
        fc.pre(prefix <= 32);
        const pieces = Array.from({ length: 2 ** longer }, (_, index) => pieceOf(whole, prefix, index) as Range);
        for (const [at, piece] of pieces.entries()) {
          expect(overlap(piece, whole)).toBe(true);
          for (const other of pieces.slice(at + 1)) expect(overlap(piece, other)).toBe(false);
        }
        expect(pieceOf(whole, prefix, pieces.length)).toBeUndefined();
      }),
    );
  });
});
