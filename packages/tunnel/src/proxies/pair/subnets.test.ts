import { expect, test } from "vitest";
import { freeSubnets } from "./subnets.ts";

const uid = "00000000-0000-4000-8000-000000000000";
const first = (taken: string[], of = uid) => freeSubnets(taken, of).next().value;

test("the first of the pool, with the host's address in it", () => {
  expect(first([])).toEqual({ subnet: "10.203.0.0/29", gateway: "10.203.0.1" });
});

test("another UID begins elsewhere", () => {
  expect(first([], "00000003-0000-4000-8000-000000000000")?.subnet).toBe("10.203.0.24/29");
  expect(first([], "ffffffff-0000-4000-8000-000000000000")?.subnet).toBe("10.203.255.248/29");
});

test.each([
  { taken: ["10.203.0.0/29"], want: "10.203.0.8/29" },
  { taken: ["10.203.0.5/32"], want: "10.203.0.8/29" },
  { taken: ["10.203.0.0/24"], want: "10.203.1.0/29" },
  { taken: ["10.203.0.1/29", "10.203.0.8/30"], want: "10.203.0.16/29" },
  { taken: ["10.202.0.0/16", "fd00::/64", "", "rubbish/9"], want: "10.203.0.0/29" },
])("what overlaps $taken is left out", ({ taken, want }) => {
  expect(first(taken)?.subnet).toBe(want);
});

test("it goes round, and gives each once", () => {
  const all = [...freeSubnets([], "ffffffff-0000-4000-8000-000000000000")].map(({ subnet }) => subnet);
  expect(all).toHaveLength(8192);
  expect(new Set(all).size).toBe(8192);
});

test("a pool that is all taken gives none", () => {
  expect([...freeSubnets(["10.0.0.0/8"], uid)]).toEqual([]);
});
