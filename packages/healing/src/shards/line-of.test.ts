import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { lineOf } from "./line-of.ts";

test("a pod is in the same line in every process, today and tomorrow: FNV-1a, as others count it", () => {
  expect(["", "a", "foobar"].map((uid) => lineOf(uid, 2 ** 32))).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect(["", "a", "foobar"].map((uid) => lineOf(uid, 20))).toEqual([1, 0, 0]);
  expect(lineOf("2b1f0e8e-6a1c-4a0b-9d6e-0f4b8f1c7a11", 1)).toBe(0);
});

test("lines are about equally long", () => {
  const uids = Array.from({ length: 10_000 }, () => randomUUID());
  const lengths = [...Map.groupBy(uids, (uid) => lineOf(uid, 20)).values()].map(({ length }) => length);
  expect(lengths).toHaveLength(20);
  expect(Math.min(...lengths)).toBeGreaterThan(350);
  expect(Math.max(...lengths)).toBeLessThan(650);
});
