import { describe, expect, test } from "vitest";
import { bottomless } from "./fixtures.ts";
import { diffJson } from "./json-diff.ts";
import { maxJsonPatchOperations } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";

describe("diffJson", () => {
  test.each([
    { name: "nothing", original: { a: [1, { b: 2 }] }, modified: { a: [1, { b: 2 }] }, want: [] },
    {
      name: "one field deep inside",
      original: { a: [1, { b: 2, c: 3 }] },
      modified: { a: [1, { b: 2, c: 4 }] },
      want: [{ op: "replace", path: "/a/1/c", value: 4 }],
    },
    {
      name: "a field come and one gone",
      original: { a: 1 },
      modified: { "b/c": 1 },
      want: [
        { op: "remove", path: "/a" },
        { op: "add", path: "/b~1c", value: 1 },
      ],
    },
    {
      name: "a field set to null",
      original: { a: 1 },
      modified: { a: null },
      want: [{ op: "replace", path: "/a", value: null }],
    },
    {
      name: "an element put first",
      original: [1, 2, 3],
      modified: [0, 1, 2, 3],
      want: [{ op: "add", path: "/0", value: 0 }],
    },
    {
      name: "an element gone from the middle",
      original: [1, 2, 3],
      modified: [1, 3],
      want: [{ op: "remove", path: "/1" }],
    },
    {
      name: "the tail gone",
      original: [1, 2, 3],
      modified: [1],
      want: [
        { op: "remove", path: "/2" },
        { op: "remove", path: "/1" },
      ],
    },
    {
      name: "another kind of value",
      original: { a: {} },
      modified: { a: [] },
      want: [{ op: "replace", path: "/a", value: [] }],
    },
    {
      name: "a field that undefined leaves out",
      original: { a: 1 },
      modified: { a: undefined },
      want: [{ op: "remove", path: "/a" }],
    },
    {
      name: "another document",
      original: null,
      modified: { a: 1 },
      want: [{ op: "replace", path: "", value: { a: 1 } }],
    },
  ])("says $name", ({ original, modified, want }) => {
    expect(diffJson(original, modified)).toEqual(want);
  });

  test("replaces the document rather than exceed what the server takes", () => {
    const count = maxJsonPatchOperations + 1;
    const modified = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expect(diffJson({}, modified)).toEqual([{ op: "replace", path: "", value: modified }]);
  });

  test("refuses what is nested too deeply", () => {
    expect(() => diffJson([bottomless()], [bottomless()])).toThrow(PatchError);
  });
});
