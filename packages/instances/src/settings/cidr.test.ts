import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalCidr } from "./cidr.ts";

test.for([
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["255.255.255.255/32", "255.255.255.255/32"],
  ["128.0.0.0/1", "128.0.0.0/1"],
  ["FC00:0:0::/7", "fc00::/7"],
  ["2001:0db8:0:0:1:0:0:0/80", "2001:db8:0:0:1::/80"],
  ["::/127", "::/127"],
  ["::1/128", "::1/128"],
  ["64:ff9b::10.0.0.0/104", "64:ff9b::a00:0/104"],
] as const)("%s is written as %s", ([text, want]) => {
  expect(canonicalCidr(text)).toBe(want);
});

describe("what is not a range", () => {
  const notARange = "is not a range of addresses such as 10.0.0.0/8 or fc00::/7";
  test.for([
    ["10.0.0.0", notARange],
    ["10.0.0/8", notARange],
    ["010.0.0.0/8", notARange],
    ["10.0.0.0/-1", notARange],
    ["fe80::1%eth0/128", notARange],
    ["example.com/24", notARange],
    ["", notARange],
    ["10.0.0.0/33", "keeps 33 bits of an address that has 32"],
    ["fc00::/129", "keeps 129 bits of an address that has 128"],
    ["0.0.0.0/0", "is every address there is; leave allowOutboundTraffic of the Challenges off instead"],
    ["::/0", "is every address there is"],
    ["172.20.0.0/12", "is an address in a range; write the range, 172.16.0.0/12"],
    ["fd00::1/8", "is an address in a range; write the range, fd00::/8"],
    ["::ffff:10.0.0.0/104", "is a range of IPv4 written as IPv6; write it as IPv4"],
  ] as const)("%s", ([text, want]) => {
    expect(() => canonicalCidr(text)).toThrow(`${JSON.stringify(text)} ${want}`);
  });
});

test("the canonical form stays as it is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 128 }), (address, length) => {
      const size = address.includes(":") ? 128 : 32;
      const text = `${address}/${Math.min(length, size)}`;
      let range: string;
      try {
        range = canonicalCidr(text);
      } catch (error) {
        range = /write the range, (\S+)$/.exec((error as Error).message)?.[1] ?? "10.0.0.0/8";
      }
      fc.pre(!range.includes("ffff:"));
      expect(canonicalCidr(range)).toBe(range);
    }),
  );
});
