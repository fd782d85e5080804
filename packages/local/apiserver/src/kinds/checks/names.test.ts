import { describe, expect, test } from "vitest";
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from "../../schema/metadata/names.ts";
import {
  configKeyProblems,
  environmentNameProblems,
  headerNameProblems,
  percentProblems,
  portNameProblems,
  portNumberProblems,
  searchPathProblems,
} from "./names.ts";

const long = (length: number) => "a".repeat(length);

describe.each([
  { what: labelProblems, good: ["a", "0-a", long(63)], bad: ["", "-a", "a-", "A", "a_b", "a.b", long(64)] },
  { what: subdomainProblems, good: ["a.b", "a-b.0", long(253)], bad: ["", ".a", "a..b", "a.", "A", long(254)] },
  { what: searchPathProblems, good: ["_a.b_c"], bad: ["a_", "__a", "A", "", `${long(200)}.${long(60)}`] },
  {
    what: qualifiedNameProblems,
    good: ["a", "A.b_c-d", "example.com/Name"],
    bad: ["", "/a", "a/", "a/b/c", "A.com/a", "-a", `a/${long(64)}`],
  },
  { what: labelValueProblems, good: ["", "a", "A_b.c-1", long(63)], bad: ["-", "a b", "a/b", long(64)] },
  {
    what: portNameProblems,
    good: ["a", "1a-b", "abcdefghijklmno"],
    bad: ["", "1", "A", "-a", "a--b", "abcdefghijklmnop"],
  },
  { what: environmentNameProblems, good: ["A", "a b", "1!", "~"], bad: ["", "A=B", "é", "\n"] },
  { what: configKeyProblems, good: ["a", ".a", "A_b-c.d"], bad: ["", ".", "..", "..a", "a/b", long(254)] },
  { what: percentProblems, good: ["0%", "150%"], bad: ["", "%", "-1%", "1", "1.5%"] },
  { what: headerNameProblems, good: ["X-A-1"], bad: ["", "a b", "a_b"] },
])("$what.name", ({ what, good, bad }) => {
  test.each(good)("takes %j", (value) => expect(what(value)).toEqual([]));
  test.each(bad)("refuses %j", (value) => expect(what(value)).not.toEqual([]));
});

test("a port is one of 65535", () => {
  expect([1, 80, 65535].flatMap(portNumberProblems)).toEqual([]);
  expect([0, -1, 65536].flatMap(portNumberProblems)).toEqual(Array(3).fill("must be between 1 and 65535, inclusive"));
});

test("the words are those of Kubernetes", () => {
  expect(labelProblems("a.b")).toEqual(["must not contain dots"]);
  expect(labelProblems("A")).toEqual([
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  expect(qualifiedNameProblems("A.com/")).toEqual([
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    "name part must be non-empty",
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]);
});

// With a pattern that backtracks, this would not end before the test's timeout.
test("a name of any length is judged in linear time", () => {
  for (const name of [long(1e6), `${long(1e6)}!`, `${"a.".repeat(5e5)}!`, `${"a-".repeat(5e5)}!`])
    for (const judge of [labelProblems, subdomainProblems, searchPathProblems, qualifiedNameProblems])
      expect(judge(name)).not.toEqual([]);
});
