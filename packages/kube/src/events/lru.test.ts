import { expect, test } from "vitest";
import { Lru } from "./lru.ts";

test("what was not used for longest is forgotten first", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  expect(lru.get("a")).toBe(1);
  lru.set("c", 3);
  expect(lru.get("b")).toBeUndefined();
  expect(lru.get("a")).toBe(1);
  expect(lru.get("c")).toBe(3);
  expect(lru.size).toBe(2);
});

test("a new value for a known key forgets nothing", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.set("b", 3);
  expect([lru.get("a"), lru.get("b")]).toEqual([1, 3]);
});
