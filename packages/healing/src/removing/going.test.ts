import { expect, test } from "vitest";
import { GoingNamespaces } from "./going.ts";
import { makeNamespace, start } from "./testing/objects.ts";

const second = (seconds: number) => start + seconds * 1000;

test("counts those that go, by whoever's wish, for as long as they cost something", () => {
  const going = new GoingNamespaces(() => [
    makeNamespace("stays"),
    makeNamespace("goes", { deleted: 10 }),
    makeNamespace("is-held", { deleted: -60 }),
  ]);
  expect(going.count(second(11))).toBe(1);
  expect(going.count(second(70))).toBe(0);
});

test("counts at once those that this process has asked to go, and none of them twice", () => {
  let listed = [makeNamespace("one"), makeNamespace("two")];
  const going = new GoingNamespaces(() => listed);
  for (const namespace of listed) going.asked(namespace, start);
  expect(going.count(second(1))).toBe(2);
  listed = [makeNamespace("one", { deleted: 1 })];
  expect(going.count(second(2))).toBe(1);
});

test("forgets what it asked for, where nothing came of it", () => {
  const listed = [makeNamespace("one")];
  const going = new GoingNamespaces(() => listed);
  for (const namespace of listed) going.asked(namespace, start);
  expect([going.count(second(59)), going.count(second(60))]).toEqual([1, 0]);
});

test("looks at all of them once for all who ask in the same moment, and misses none that is asked to go meanwhile", () => {
  const listed = Array.from({ length: 5000 }, (_, index) => makeNamespace(`n-${index}`));
  let looks = 0;
  const going = new GoingNamespaces(() => {
    looks++;
    return listed;
  });
  const counts = listed.slice(0, 30).map((namespace) => {
    const before = going.count(start);
    going.asked(namespace, start);
    going.asked(namespace, start);
    return before;
  });
  expect(counts).toEqual(Array.from({ length: 30 }, (_, index) => index));
  for (const { metadata } of listed) expect(going.count(start + 99), metadata.name).toBe(30);
  expect(looks).toBe(1);
});

test("looks again when time has passed, and when it has gone back", () => {
  let listed = [makeNamespace("one")];
  const going = new GoingNamespaces(() => listed);
  expect(going.count(second(5))).toBe(0);
  listed = [makeNamespace("one", { deleted: 4 })];
  expect(going.count(second(5) + 99)).toBe(0);
  expect(going.count(second(5) + 100)).toBe(1);
  listed = [];
  expect(going.count(second(5) + 99)).toBe(0);
});
