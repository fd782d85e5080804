import { expect, test } from "vitest";
import { kindOf, oneOfEach, placeOf } from "./choose.ts";
import { type Clean, type Kill, killsOf, nameOf } from "./run.ts";
import type { WritePoint } from "./writes.ts";

function clean(name: string, points: string[]): Clean {
  const parse = (text: string): WritePoint => {
    const [verb, resource = "", nth] = text.split(" ");
    return { verb: verb as WritePoint["verb"], resource, subresource: "", nth: Number(nth) };
  };
  const outcome = { stops: {}, objects: {}, tally: {} };
  return { life: { name, live: async () => {} }, outcome, points: points.map(parse), applied: {} };
}

const kills: Kill[] = [
  ...killsOf(clean("short", ["create services 1", "delete services 1"])),
  ...killsOf(clean("long", ["create services 1", "create services 2", "delete services 1"])),
];

test("every write of every life can be met, before and after it", () => {
  expect(kills).toHaveLength(10);
  expect(kills.slice(0, 2).map(nameOf)).toEqual([
    "short, killed before create services 1",
    "short, killed after create services 1",
  ]);
});

test("where there is no time for all, each write is met once, in turn before and after it", () => {
  expect(oneOfEach(kills, placeOf).map(nameOf)).toEqual([
    "short, killed before create services 1",
    "long, killed after delete services 1",
    "long, killed before create services 2",
  ]);
  expect(oneOfEach(kills, kindOf).map(nameOf)).toEqual([
    "short, killed before create services 1",
    "long, killed after delete services 1",
  ]);
});
