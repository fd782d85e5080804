import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.ts";
import { escapeFieldValue, parseFieldSelector } from "./field-selector.ts";

const pod = {
  metadata: { name: "web", labels: { app: "a,b=c\\d" } },
  spec: { nodeName: null, hostNetwork: false, priority: 0 },
  status: { phase: "Running" },
};

describe("parseFieldSelector", () => {
  test.each([
    { text: "", want: "", wantMatch: true },
    { text: ",,", want: "", wantMatch: true },
    { text: "metadata.name=web", want: "metadata.name=web", wantMatch: true },
    { text: "metadata.name==web", want: "metadata.name=web", wantMatch: true },
    { text: "metadata.name=", want: "metadata.name=", wantMatch: false },
    {
      text: "metadata.name=web,status.phase!=Running",
      want: "metadata.name=web,status.phase!=Running",
      wantMatch: false,
    },
    {
      text: "status.phase!=Failed,metadata.name=web,",
      want: "metadata.name=web,status.phase!=Failed",
      wantMatch: true,
    },
    { text: "metadata.name=web,metadata.name=db", want: "metadata.name=db,metadata.name=web", wantMatch: false },
    { text: "metadata.labels.app=a\\,b\\=c\\\\d", want: "metadata.labels.app=a\\,b\\=c\\\\d", wantMatch: true },
    { text: "spec.nodeName=", want: "spec.nodeName=", wantMatch: true },
    { text: "spec.missing.deeper=", want: "spec.missing.deeper=", wantMatch: true },
    { text: "spec.missing!=x", want: "spec.missing!=x", wantMatch: true },
    { text: "spec.hostNetwork=false,spec.priority=0", want: "spec.hostNetwork=false,spec.priority=0", wantMatch: true },
    { text: "metadata.name.length=", want: "metadata.name.length=", wantMatch: true },
    { text: "constructor.name=", want: "constructor.name=", wantMatch: true },
    { text: "metadata=", want: "metadata=", wantMatch: true },
    { text: "metadata.name = web", want: "metadata.name = web", wantMatch: false },
    { text: "a!!=b", want: "a!!=b", wantMatch: true },
    { text: "a=!b", want: "a=!b", wantMatch: false },
    { text: "a==b,a=a", want: "a=a,a=b", wantMatch: false },
  ])("reads $text", ({ text, want, wantMatch }) => {
    const selector = parseFieldSelector(text);
    expect(selector.toString()).toBe(want);
    expect(selector.matchesObject(pod)).toBe(wantMatch);
  });

  test("splits a term at its first operator", () => {
    expect(parseFieldSelector("a!=b\\=c,d==\\\\").requirements).toEqual([
      { field: "a", operator: "!=", value: "b=c" },
      { field: "d", operator: "=", value: "\\" },
    ]);
  });

  test.each([
    { text: "metadata.name", want: 'cannot read field selector "metadata.name": "metadata.name" has none of = == !=' },
    { text: "a=b,c", want: '"c" has none of = == !=' },
    { text: "=b", want: '"=b" names no field' },
    { text: "!=b", want: '"!=b" names no field' },
    { text: "a=b=c", want: 'in the value "b=c", each of \\ , = must stand behind a backslash, and nothing else' },
    { text: "a===b", want: 'in the value "=b"' },
    { text: "a=b\\", want: 'in the value "b\\\\"' },
    { text: "a=\\n", want: 'in the value "\\\\n"' },
    { text: "a=b\\,c,d", want: '"d" has none of' },
  ])("refuses $text", ({ text, want }) => {
    expect(() => parseFieldSelector(text)).toThrow(ParseError);
    expect(() => parseFieldSelector(text)).toThrow(want);
  });

  test("asks a getter by the field's full name, and takes what it does not know for empty", () => {
    const fields = new Map([["metadata.name", "web"]]);
    const get = (field: string) => fields.get(field);
    expect(parseFieldSelector("metadata.name=web,spec.nodeName=").matches(get)).toBe(true);
    expect(parseFieldSelector("metadata.name!=web").matches(get)).toBe(false);
  });

  test("finds any value that was escaped", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("\\", ",", "=", "!", "a") })), (name) => {
        const equal = parseFieldSelector(`metadata.name=${escapeFieldValue(name)}`);
        const different = parseFieldSelector(`metadata.name!=${escapeFieldValue(name)}`);
        expect(equal.requirements).toEqual([{ field: "metadata.name", operator: "=", value: name }]);
        expect([equal, different].map((selector) => selector.matchesObject({ metadata: { name } }))).toEqual([
          true,
          false,
        ]);
      }),
    );
  });

  test("reads any text, or refuses it with a ParseError; what it reads, it prints and reads again", () => {
    const likely = fc.string({ unit: fc.constantFrom("\\", ",", "=", "!", "a", "b", "."), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        try {
          const selector = parseFieldSelector(text);
          expect(parseFieldSelector(selector.toString()).requirements).toEqual(selector.requirements);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
