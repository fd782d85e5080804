import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.ts";
import { parseLabelSelector } from "./label-parser.ts";
import { selectEverything } from "./label-selector.ts";

describe("parseLabelSelector", () => {
  test.each([
    { text: "a=b", want: "a=b", matches: [{ a: "b" }], refuses: [{}, { a: "" }, { a: "c" }, { b: "b" }] },
    { text: "a==b", want: "a==b", matches: [{ a: "b" }], refuses: [{}, { a: "c" }] },
    { text: "a!=b", want: "a!=b", matches: [{}, { a: "c" }, { a: "" }], refuses: [{ a: "b" }] },
    { text: "a", want: "a", matches: [{ a: "b" }, { a: "" }], refuses: [{}, { b: "a" }] },
    { text: "!a", want: "!a", matches: [{}, { b: "a" }], refuses: [{ a: "" }, { a: "b" }] },
    { text: "a in (x,y)", want: "a in (x,y)", matches: [{ a: "x" }, { a: "y" }], refuses: [{}, { a: "z" }] },
    { text: "a notin (x,y)", want: "a notin (x,y)", matches: [{}, { a: "z" }], refuses: [{ a: "x" }, { a: "y" }] },
    { text: "a in (x)", want: "a in (x)", matches: [{ a: "x" }], refuses: [{}, { a: "y" }] },
    { text: "a notin (x)", want: "a notin (x)", matches: [{}, { a: "y" }], refuses: [{ a: "x" }] },
    { text: "a=", want: "a=", matches: [{ a: "" }], refuses: [{}, { a: "b" }] },
    { text: "a!=", want: "a!=", matches: [{}, { a: "b" }], refuses: [{ a: "" }] },
    { text: "a in ()", want: "a in ()", matches: [{ a: "" }], refuses: [{}, { a: "x" }] },
    { text: "a notin ()", want: "a notin ()", matches: [{}, { a: "x" }], refuses: [{ a: "" }] },
    { text: "a in (,)", want: "a in ()", matches: [{ a: "" }], refuses: [{}, { a: "x" }] },
    { text: "a in (x,)", want: "a in (,x)", matches: [{ a: "" }, { a: "x" }], refuses: [{}] },
    { text: "a in (z,,x)", want: "a in (,x,z)", matches: [{ a: "" }, { a: "z" }], refuses: [{}, { a: "y" }] },
    { text: "a in (y,x,y)", want: "a in (x,y)", matches: [{ a: "x" }], refuses: [{}] },
    {
      text: "a>1",
      want: "a>1",
      matches: [{ a: "2" }, { a: "+2" }, { a: "010" }],
      refuses: [{}, { a: "1" }, { a: "x" }],
    },
    {
      text: "a<1",
      want: "a<1",
      matches: [{ a: "0" }, { a: "-9" }],
      refuses: [{}, { a: "1" }, { a: "" }, { a: "0.5" }],
    },
    {
      text: "a>9007199254740992",
      want: "a>9007199254740992",
      matches: [{ a: "9007199254740993" }],
      refuses: [{ a: "9007199254740992" }, { a: "9223372036854775808" }],
    },
    { text: "b=2,a=1", want: "a=1,b=2", matches: [{ a: "1", b: "2", c: "3" }], refuses: [{ a: "1" }, { b: "2" }] },
    { text: "a,!a", want: "a,!a", matches: [], refuses: [{}, { a: "" }] },
    { text: "a=1,a!=2", want: "a=1,a!=2", matches: [{ a: "1" }], refuses: [{}, { a: "2" }] },
    { text: " a\t=\r\nb , ! c ", want: "a=b,!c", matches: [{ a: "b" }], refuses: [{ a: "b", c: "" }] },
    { text: "a in(x)", want: "a in (x)", matches: [{ a: "x" }], refuses: [{}] },
    { text: "in in (in,notin)", want: "in in (in,notin)", matches: [{ in: "notin" }], refuses: [{}, { in: "x" }] },
    { text: "notin=in,in", want: "in,notin=in", matches: [{ in: "", notin: "in" }], refuses: [{ in: "" }] },
    { text: "x.y/Z_z=1-2", want: "x.y/Z_z=1-2", matches: [{ "x.y/Z_z": "1-2" }], refuses: [{ Z_z: "1-2" }] },
    { text: "constructor", want: "constructor", matches: [{ constructor: "x" }], refuses: [{}] },
    { text: "!toString", want: "!toString", matches: [{}], refuses: [{ toString: "x" }] },
    { text: "valueOf notin (a,b)", want: "valueOf notin (a,b)", matches: [{}], refuses: [{ valueOf: "a" }] },
  ])("reads $text", ({ text, want, matches, refuses }) => {
    const selector = parseLabelSelector(text);
    expect(selector.toString()).toBe(want);
    const labelsOf = (table: readonly unknown[]) => table as Record<string, string>[];
    for (const labels of labelsOf(matches)) expect([labels, selector.matches(labels)]).toEqual([labels, true]);
    for (const labels of labelsOf(refuses)) expect([labels, selector.matches(labels)]).toEqual([labels, false]);
  });

  test.each(["", " ", "\t\r\n"])("takes %j for everything", (text) => {
    expect(parseLabelSelector(text)).toBe(selectEverything);
  });

  test("asks an object without labels as one with none", () => {
    expect(parseLabelSelector("a!=b").matches(undefined)).toBe(true);
    expect(parseLabelSelector("a").matches(undefined)).toBe(false);
  });

  test.each([
    { text: ",", want: 'expected a label key, found ","' },
    { text: "a,", want: "expected a label key, found the end" },
    { text: "a,,b", want: 'expected a label key, found ","' },
    { text: "=b", want: 'expected a label key, found "="' },
    { text: "!", want: "expected a label key, found the end" },
    { text: "!!a", want: 'expected a label key, found "!"' },
    { text: "!a=b", want: 'expected "," or the end, found "="' },
    { text: "a b", want: 'expected one of = == != in notin > < after a, found "b"' },
    { text: "a(x)", want: 'expected one of = == != in notin > < after a, found "("' },
    { text: "a=b c", want: 'expected "," or the end, found "c"' },
    { text: "a===b", want: 'expected a value, found "="' },
    { text: "a=!b", want: 'expected a value, found "!"' },
    { text: "a=(b)", want: 'expected a value, found "("' },
    { text: "a in", want: 'expected "(", found the end' },
    { text: "a in x", want: 'expected "(", found "x"' },
    { text: "a in (x", want: 'expected "," or ")", found the end' },
    { text: "a in (x y)", want: 'expected "," or ")", found "y"' },
    { text: "a in (x))", want: 'expected "," or the end, found ")"' },
    { text: "a in (x=y)", want: 'expected "," or ")", found "="' },
    { text: "a>", want: '"" is not an integer, and > compares integers' },
    { text: "a>x", want: '"x" is not an integer, and > compares integers' },
    { text: "a<9223372036854775808", want: "is not an integer" },
    { text: "a>-1", want: '"-1" is not a label value' },
    { text: "-a=b", want: '"-a" is not a key' },
    { text: "a/b/c", want: '"a/b/c" is not a key: it has more than one "/"' },
    { text: "a=b_", want: '"b_" is not a label value' },
    { text: "a in (b,-)", want: '"-" is not a label value' },
    { text: "a=é", want: '"é" is not a label value' },
    { text: "a=b\0,c", want: "is not a label value" },
  ])("refuses $text", ({ text, want }) => {
    expect(() => parseLabelSelector(text)).toThrow(ParseError);
    expect(() => parseLabelSelector(text)).toThrow(want);
  });

  test("quotes the selector in its errors", () => {
    expect(() => parseLabelSelector("a in (x")).toThrow(
      'cannot read label selector "a in (x": expected "," or ")", found the end',
    );
  });

  test("reads any text, or refuses it with a ParseError; what it reads, it prints and reads again", () => {
    const token = fc.constantFrom(
      "a",
      "b.c/d",
      "in",
      " notin ",
      " in ",
      "=",
      "==",
      "!",
      "!=",
      "<",
      ">",
      "(",
      ")",
      ",",
      "1",
    );
    const likely = fc.array(token, { maxLength: 10 }).map((tokens) => tokens.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        try {
          const selector = parseLabelSelector(text);
          expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
