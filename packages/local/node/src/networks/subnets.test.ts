import fc from "fast-check";
import { expect, test } from "vitest";
import { doOverlap, readRange, writeRange } from "./addresses.ts";
import { bridgeName, networkName } from "./names.ts";
import { freeSubnets, readPool } from "./subnets.ts";

const pool = readPool("10.202.0.0/16");

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

test.each(["10.0.0.0/25", "fd00::/8", "everything"])("the pool %j is refused, with an example", (text) => {
  expect(() => readPool(text)).toThrow(
    `"${text}" is not a range for pods: use an IPv4 range of /24 or more, as 10.202.0.0/16`,
  );
});

test("a bridge's name is one that Linux takes, whatever the namespace", () => {
  const namespace = `challenge-${"x".repeat(53)}`;
  expect(bridgeName("laptop", namespace)).toMatch(/^berg-[0-9a-f]{10}$/);
  expect(networkName("laptop", namespace)).toContain(namespace);
  expect(bridgeName("laptop", "a")).not.toBe(bridgeName("laptop", "b"));
});
