import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIgnore } from "./ignore.ts";

test.each([
  { text: "*.key", out: ["a.key"], kept: ["b", "dir/a.key", "a.keys", "akey"] },
  { text: "**/*.key", out: ["a.key", "dir/a.key", "a/b/c.key"], kept: ["a.key.pub"] },
  { text: "solve", out: ["solve", "solve/solve.py"], kept: ["solve.py", "dir/solve"] },
  { text: "/solve/", out: ["solve", "solve/a"], kept: ["dir/solve"] },
  { text: "docs\n!docs/keep.md", out: ["docs", "docs/a"], kept: ["docs/keep.md"] },
  { text: "!a\na", out: ["a"], kept: [] },
  { text: "# solve\n\n  \n.", out: [], kept: ["solve", "# solve", "a"] },
  { text: "a?c", out: ["abc"], kept: ["ac", "a/c"] },
  { text: "[ab].txt", out: ["a.txt", "b.txt"], kept: ["c.txt"] },
  { text: "a\\*b", out: ["a*b"], kept: ["axb"] },
  { text: "a/**", out: ["a/b", "a/b/c"], kept: ["b", "ab"] },
  { text: "a.(b|c)+$\r\n", out: ["a.(b|c)+$"], kept: ["axb", "a.b"] },
])("$text", ({ text, out, kept }) => {
  const isIgnored = parseIgnore(text);
  expect(out.filter((path) => !isIgnored(path))).toEqual([]);
  expect(kept.filter(isIgnored)).toEqual([]);
});

test("what is no pattern is named", () => {
  expect(() => parseIgnore("[b-a]")).toThrow('cannot read .dockerignore: "[b-a]" is no pattern');
});

test("a name without special characters leaves out itself and what is below it, and nothing else", () => {
  const name = fc.stringMatching(/^[a-z.+(){}|^$-]{1,8}$/).filter((text) => !/^\.+$|^#/.test(text));
  fc.assert(
    fc.property(name, name, (one, other) => {
      const isIgnored = parseIgnore(one);
      expect(isIgnored(one)).toBe(true);
      expect(isIgnored(`${one}/${other}`)).toBe(true);
      expect(isIgnored(other)).toBe(one === other);
    }),
  );
});
