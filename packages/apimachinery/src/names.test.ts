import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dns1123LabelProblem,
  dns1123SubdomainProblem,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
  labelValueProblem,
  qualifiedNameProblem,
} from "./names.ts";

const a = (count: number) => "a".repeat(count);

const tables = [
  {
    what: "a DNS label",
    is: isDNS1123Label,
    problem: dns1123LabelProblem,
    accepts: ["a", "0", "web", "a-b", "a--b", "1a", a(63)],
    refuses: ["", "-", "-a", "a-", "A", "a_b", "a.b", "a b", "a\n", "é", a(64)],
  },
  {
    what: "a DNS subdomain",
    is: isDNS1123Subdomain,
    problem: dns1123SubdomainProblem,
    accepts: ["a", "a.b", "berg.norelect.ch", "0.0", "a-b.c-d", a(253), `${a(200)}.${a(52)}`],
    refuses: ["", ".", "a.", ".a", "a..b", "a.-b", "a-.b", "A.b", "a_b", "a/b", a(254)],
  },
  {
    what: "a qualified name",
    is: isQualifiedName,
    problem: qualifiedNameProblem,
    accepts: ["a", "A", "a_b.c-d", "constructor", "berg.norelect.ch/owner-id", "x/Y", a(63), `${a(253)}/${a(63)}`],
    refuses: ["", "/", "a/", "/a", "a/b/c", "X/y", "x_y/z", "-a", "a-", "__proto__", "a b", "é", a(64), `${a(254)}/b`],
  },
  {
    what: "a label value",
    is: isLabelValue,
    problem: labelValueProblem,
    accepts: ["", "a", "A", "0", "a_b.c-d", "1.2.3", a(63)],
    refuses: ["-", "-a", "a-", "_a", ".a", "a.", "a/b", "a b", " ", "a\n", "é", a(64)],
  },
];

describe.each(tables)("$what", ({ is, problem, accepts, refuses }) => {
  test.each(accepts)("may be %j", (value) => {
    expect([is(value), problem(value)]).toEqual([true, undefined]);
  });

  test.each(refuses)("may not be %j", (value) => {
    expect(is(value)).toBe(false);
    expect(problem(value)).toMatch(/ is not a /);
  });

  test("has a problem exactly where it is none", () => {
    const likely = fc.string({ unit: fc.constantFrom(..."aZ0-_./ é\n"), maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (value) => {
        expect(problem(value) === undefined).toBe(is(value));
      }),
    );
  });
});

test("problems name the value and the rule", () => {
  expect(dns1123LabelProblem("My_App")).toBe(
    '"My_App" is not a DNS label: use 1-63 of a-z, 0-9 and "-", starting and ending with a letter or digit',
  );
  expect(qualifiedNameProblem("Example.com/x")).toBe(
    '"Example.com/x" is not a key: before the "/", "Example.com" is not a DNS subdomain: use at most 253 of a-z, 0-9, "-" and ".", each part between dots starting and ending with a letter or digit',
  );
  expect(labelValueProblem(a(500))).toMatch(/^"a{100}…" is not a label value/);
});
