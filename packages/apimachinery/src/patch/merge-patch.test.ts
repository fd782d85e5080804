import { describe, expect, test } from "vitest";
import { bottomless, deepFreeze } from "./fixtures.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";
import { PatchError } from "./patch-error.ts";

describe("applyMergePatch", () => {
  test.each([
    { name: "sets a field", document: { a: 1 }, patch: { b: 2 }, want: { a: 1, b: 2 } },
    { name: "overwrites a field", document: { a: 1 }, patch: { a: 2 }, want: { a: 2 } },
    { name: "removes a field", document: { a: 1, b: 2 }, patch: { a: null }, want: { b: 2 } },
    {
      name: "merges inside",
      document: { a: { b: 1, c: 2 } },
      patch: { a: { b: null, d: 3 } },
      want: { a: { c: 2, d: 3 } },
    },
    { name: "replaces lists", document: { a: [1, 2] }, patch: { a: [3] }, want: { a: [3] } },
    { name: "puts an object where a list was", document: { a: [1] }, patch: { a: { b: 1 } }, want: { a: { b: 1 } } },
    {
      name: "leaves no null behind in what it adds",
      document: {},
      patch: { a: { b: null, c: { d: null } } },
      want: { a: { c: {} } },
    },
    { name: "keeps nulls in lists", document: {}, patch: { a: [null, { b: null }] }, want: { a: [null, { b: null }] } },
    { name: "keeps a null that was there", document: { a: null }, patch: { b: 1 }, want: { a: null, b: 1 } },
    { name: "replaces the document by what is no object", document: { a: 1 }, patch: ["x"], want: ["x"] },
    { name: "makes an object of a document that is none", document: "x", patch: { a: 1 }, want: { a: 1 } },
  ])("$name", ({ document, patch, want }) => {
    expect(applyMergePatch(deepFreeze(document), deepFreeze(patch))).toEqual(want);
  });

  test("shares what it does not change, and is the document itself where nothing changes", () => {
    const document = deepFreeze({ a: { b: 1 }, c: { d: [1] } });
    expect((applyMergePatch(document, { a: { b: 2 } }) as typeof document).c).toBe(document.c);
    expect(applyMergePatch(document, { a: { b: 1, x: null }, c: { d: [1] } })).toBe(document);
  });

  test("treats names that objects inherit as plain data", () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe(JSON.stringify(patch));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(applyMergePatch(JSON.parse('{"__proto__":1,"a":2}'), JSON.parse('{"__proto__":null}'))).toEqual({ a: 2 });
  });

  test("refuses what is nested too deeply", () => {
    expect(() => applyMergePatch({ a: bottomless() }, { a: bottomless() })).toThrow(PatchError);
  });
});

describe("createMergePatch", () => {
  test.each([
    { name: "nothing", original: { a: { b: [1] } }, modified: { a: { b: [1] } }, want: {} },
    {
      name: "one field deep inside",
      original: { a: { b: 1, c: 2 } },
      modified: { a: { b: 1, c: 3 } },
      want: { a: { c: 3 } },
    },
    { name: "a field gone", original: { a: { b: 1, c: 2 } }, modified: { a: { b: 1 } }, want: { a: { c: null } } },
    { name: "a list as a whole", original: { a: [1, 2] }, modified: { a: [1, 3] }, want: { a: [1, 3] } },
    { name: "an object emptied", original: { a: { b: 1 } }, modified: { a: {} }, want: { a: { b: null } } },
    { name: "an object where a list was", original: { a: [1] }, modified: { a: {} }, want: { a: {} } },
    {
      name: "a null as absence",
      original: { a: 1 },
      modified: { a: null, b: null, c: { d: null } },
      want: { a: null, c: { d: null } },
    },
    { name: "a null gone", original: { a: null }, modified: {}, want: { a: null } },
    { name: "a field that undefined leaves out", original: { a: 1 }, modified: { a: undefined }, want: { a: null } },
  ])("says $name", ({ original, modified, want }) => {
    expect(createMergePatch(deepFreeze(original), deepFreeze(modified))).toEqual(want);
  });
});
