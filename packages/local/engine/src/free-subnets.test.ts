import fc from "fast-check";
import { expect, test } from "vitest";
import { doOverlap, type Range, readRange, writeRange } from "./addresses.ts";
import { freeSubnets, type SubnetPool } from "./free-subnets.ts";

const poolOf = (text: string, bits: number): SubnetPool => ({ range: readRange(text) as Range, bits });
const pool = poolOf("10.202.0.0/16", 24);

test("every free subnet is offered once, and none that something has a part of", () => {
  const anyTaken = fc.array(fc.tuple(fc.nat(255), fc.nat(255), fc.integer({ min: 17, max: 32 })));
  fc.assert(
    fc.property(anyTaken, fc.string(), (parts, key) => {
      const taken = parts.map(([third, fourth, bits]) => `10.202.${third}.${fourth}/${bits}`);
      const used = taken.flatMap((text) => readRange(text) ?? []);
      const offered = [...freeSubnets(pool, taken, key)];
      expect(new Set(offered.map(({ subnet }) => subnet)).size).toBe(offered.length);
      for (let third = 0; third < 256; third++) {
        const part = readRange(`10.202.${third}.0/24`);
        if (!part) throw new Error("unreadable");
        const isFree = !used.some((range) => doOverlap(range, part));
        expect(offered.some(({ subnet }) => subnet === writeRange(part))).toBe(isFree);
      }
      for (const { subnet, gateway } of offered) expect(gateway).toBe(subnet.replace("0/24", "1"));
    }),
    { numRuns: 20 },
  );
});

test("two nodes begin at different places, the same node always at the same", () => {
  const first = (key: string) => freeSubnets(pool, [], key).next().value?.subnet;
  expect(first("one/alice")).toBe(first("one/alice"));
  expect(first("one/alice")).not.toBe(first("two/alice"));
});

test.each([
  { taken: [], want: "10.203.0.0/29 10.203.0.8/29" },
  { taken: ["10.203.0.5/32"], want: "10.203.0.8/29" },
  { taken: ["10.203.0.1/29", "fd00::/64", "", "rubbish/9"], want: "10.203.0.8/29" },
  { taken: ["10.0.0.0/8"], want: "" },
])("of small parts, what overlaps $taken is left out", ({ taken, want }) => {
  const offered = [...freeSubnets(poolOf("10.203.0.0/28", 29), taken, "key")].map(({ subnet }) => subnet);
  expect(offered.sort().join(" ")).toBe(want);
});
