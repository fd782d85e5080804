import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpointAddressErrors, isReadableRange, isStrictlyWithin, rangeErrors, rangeWarnings } from "./addresses.ts";

const messages = (value: string) => rangeErrors("f", value).map(({ message }) => message.replace(/.*": /, ""));

describe("ranges", () => {
  test.each(["10.0.0.0/8", "0.0.0.0/0", "10.1.2.3/32", "2001:db8::/32", "::/0", "::1/128"])("%s is one", (range) => {
    expect(messages(range)).toEqual([]);
  });

  test.each([
    ["x", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["10.0.0.0", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["10.0.0.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["10.0.0.0/-1", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["fe80::%eth0/64", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["010.0.0.0/8", "must not have leading 0s in IP or prefix length"],
    ["10.0.0.0/08", "must not have leading 0s in IP or prefix length"],
    ["10.0.0.1/8", "must not have bits set beyond the prefix length"],
    ["2001:db8::1/32", "must not have bits set beyond the prefix length"],
    ["::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"],
  ])("%s is none: %s", (range, problem) => {
    expect(messages(range)).toEqual([problem]);
  });

  test.each([
    ["10.1.0.0/16", "10.0.0.0/8", true],
    ["10.0.0.0/8", "10.0.0.0/8", false],
    ["11.0.0.0/16", "10.0.0.0/8", false],
    ["10.0.0.0/8", "10.1.0.0/16", false],
    ["2001:db8:1::/48", "2001:db8::/32", true],
    ["2001:db9::/48", "2001:db8::/32", false],
    ["2001:db8::/48", "10.0.0.0/8", false],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8", true],
    ["x", "10.0.0.0/8", false],
  ])("%s is a part of %s: %s", (inner, outer, want) => {
    expect(isStrictlyWithin(inner, outer)).toBe(want);
  });

  test("every longer prefix of an address lies within the shorter one", () => {
    const bits = fc.tuple(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 32 }));
    fc.assert(
      fc.property(fc.ipV4(), bits, (address, [a, b]) => {
        expect(isReadableRange(`${address}/${a}`)).toBe(true);
        expect(isStrictlyWithin(`${address}/${a}`, `${address}/${b}`)).toBe(a > b);
      }),
    );
  });

  test("IPv6 ranges in unusual forms are warned of", () => {
    expect(rangeWarnings("f", "2001:DB8::/32")).toEqual([
      'f: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ]);
    expect([...rangeWarnings("f", "2001:db8::/32"), ...rangeWarnings("f", "10.0.0.0/8")]).toEqual([]);
  });
});

test("any text is judged, and none breaks the judge", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.ipV6(),
        fc.ipV4().map((ip) => `${ip}/9`),
        fc.ipV6().map((ip) => `${ip}/65`),
      ),
      (text) => {
        expect(rangeErrors("f", text).length).toBeLessThan(2);
        expect(endpointAddressErrors("f", text).length).toBeLessThan(2);
      },
    ),
  );
});
