import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countParts,
  doOverlap,
  isInRange,
  partOf,
  readAddress,
  readRange,
  writeAddress,
  writeRange,
} from "./addresses.ts";

test.each([
  ["10.202.0.0/16", "10.202.0.0/16"],
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["192.0.2.7/32", "192.0.2.7"],
])("%s is the range %s", (text, want) => {
  const range = readRange(text);
  expect(range && writeRange(range)).toBe(want);
});

test.each([
  "",
  "10.0.0.0",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0/8",
  "::/0",
  "10.0.0.0/8/8",
  "10.0.0.0/-1",
  "1.2.3.4/8; drop",
])("%j is no range", (text) => expect(readRange(text)).toBeUndefined());

const anyAddress = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test("an address is read back as it was written", () => {
  fc.assert(fc.property(anyAddress, (address) => readAddress(writeAddress(address)) === address));
});

test("ranges overlap if and only if one begins within the other, and each address is in one part of a range", () => {
  const anyRange = fc.record({ address: anyAddress, bits: fc.integer({ min: 0, max: 32 }) });
  fc.assert(
    fc.property(anyRange, anyRange, (a, b) => {
      const [one, other] = [a, b].map(({ address, bits }) => readRange(`${writeAddress(address)}/${bits}`));
      if (!one || !other) throw new Error("unreadable");
      expect(isInRange(a.address, one)).toBe(true);
      expect(doOverlap(one, other)).toBe(doOverlap(other, one));
      if (isInRange(a.address, other)) expect(doOverlap(one, other)).toBe(true);
    }),
  );
  const pool = readRange("10.202.0.0/16");
  if (!pool) throw new Error("unreadable");
  const parts = Array.from({ length: countParts(pool, 24) }, (_, i) => partOf(pool, 24, i));
  expect(new Set(parts.map(writeRange)).size).toBe(256);
  expect(parts.every((part) => doOverlap(part, pool))).toBe(true);
});
