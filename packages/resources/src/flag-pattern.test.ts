import { describe, expect, test } from "vitest";
import { compileFlagPattern, FlagPatternError } from "./flag-pattern.ts";

const compile = (content: string, caseInsensitive = false) => compileFlagPattern({ content, caseInsensitive });

test.each([
  ["flag\\{[0-9]+\\}", "flag{42}", true],
  ["flag\\{[0-9]+\\}", "FLAG{42}", false],
  ["flag\\{[0-9]+\\}", "flag{42} ", false],
  ["flag\\{[0-9]+\\}", "xflag{42}", false],
  ["a|b", "ab", false],
])("%s judges %s: %s", (content, submitted, want) => {
  expect(compile(content)(submitted)).toBe(want);
});

test("upper and lower case are the same where the author says so", () => {
  expect(compile("flag\\{x\\}", true)("FLAG{X}")).toBe(true);
});

describe("what is no pattern is refused", () => {
  test.each(["secret(", "(?=secret)", "\\1secret", "(secret{1000}){1000}", "secret{1001}"])("%s", (content) => {
    expect(() => compile(content)).toThrow(FlagPatternError);
    expect(() => compile(content)).toThrow(expect.objectContaining({ message: expect.not.stringContaining("secret") }));
  });
});

test("a pattern that hangs other engines is answered at once", () => {
  expect(compile("(a+)+b")("a".repeat(1024))).toBe(false);
});
