import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostnameMatches, hostnameOf, isWildcard, narrower } from "./hostname.ts";
import { HostnameIndex } from "./hostname-index.ts";

test.each([
  ["web.test", "web.test"],
  ["WEB.Test:8080", "web.test"],
  ["web.test.", "web.test"],
  ["web.test:", "web.test"],
  ["[::1]:80", "[::1]"],
  ["127.0.0.1", "127.0.0.1"],
  ["a b", undefined],
  ["user@web.test", undefined],
  ["web.test/x", undefined],
  ["a:b:c", undefined],
  ["", undefined],
])("the hostname of %j is %j", (authority, hostname) => {
  expect(hostnameOf(authority)).toBe(hostname);
});

test("a hostname is no longer than in DNS", () => {
  const longest = `${"a.".repeat(127)}b`;
  expect(hostnameOf(`${longest}:80`)).toBe(longest);
  expect(hostnameOf(`${longest}b`)).toBeUndefined();
  expect(hostnameOf(`[${":".repeat(256)}]`)).toBeUndefined();
});

test.each([
  [undefined, "a.test", true],
  ["a.test", "a.test", true],
  ["a.test", "b.test", false],
  ["*.test", "a.test", true],
  ["*.test", "b.a.test", true],
  ["*.test", "test", false],
  ["*.test", ".test", false],
  ["*.a.test", "ba.test", false],
])("%s stands for %s: %s", (pattern, hostname, matches) => {
  expect(hostnameMatches(pattern, hostname)).toBe(matches);
});

test.each([
  [undefined, undefined, undefined],
  [undefined, "a.test", "a.test"],
  ["*.test", undefined, "*.test"],
  ["*.test", "a.test", "a.test"],
  ["b.a.test", "*.test", "b.a.test"],
  ["*.test", "*.a.test", "*.a.test"],
  ["*.test", "test", false],
  ["a.test", "b.test", false],
  ["*.a.test", "*.b.test", false],
  ["*.a.test", "a.test", false],
])("what %s and %s share is %s", (a, b, shared) => {
  expect([narrower(a, b), narrower(b, a)]).toEqual([shared, shared]);
});

const label = fc.constantFrom("a", "b", "ab");
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const pattern = fc.oneof(
  name,
  name.map((name) => `*.${name}`),
  fc.constant(undefined),
);

/** As clients may write them. */
const asked = fc.oneof(
  name,
  name.map((name) => `.${name}`),
);

describe("for all hostnames", () => {
  test("what two patterns share stands for exactly what both stand for", () => {
    fc.assert(
      fc.property(pattern, pattern, asked, (a, b, hostname) => {
        const shared = narrower(a, b);
        const both = hostnameMatches(a, hostname) && hostnameMatches(b, hostname);
        expect(shared !== false && hostnameMatches(shared, hostname)).toBe(both);
      }),
    );
  });

  test("the index finds what a look at all of them finds, the most particular first", () => {
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), asked, (patterns, hostname) => {
        const index = new HostnameIndex<string>();
        for (const pattern of patterns) index.add(pattern, pattern ?? "");
        const matching = patterns.filter((pattern) => hostnameMatches(pattern, hostname)).sort(byParticularity);
        expect([...index.lookUp(hostname)].flat()).toEqual(matching.map((pattern) => pattern ?? ""));
        expect(index.first(hostname)).toBe(matching.length > 0 ? (matching[0] ?? "") : undefined);
      }),
    );
  });
});

/** Sorts the more particular first: names before wildcards, then the longer, and what stands for all at the end. */
function byParticularity(a: string | undefined, b: string | undefined): number {
  return rank(b) - rank(a) || (b?.length ?? 0) - (a?.length ?? 0);
}

function rank(pattern: string | undefined): number {
  if (!pattern) return 0;
  return isWildcard(pattern) ? 1 : 2;
}
