/** The answers are those of a real server to the same patches. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, Inapplicable } from "./json-patch.ts";

const document = { data: { a: "1", b: "2" }, list: ["x", "y", "z"], none: null, "": 0, "a/b": 1, "m~n": 2 };
type Operation = Record<string, unknown>;
const patched = (...operations: unknown[]) => {
  try {
    return applyPatch(document, operations);
  } catch (error) {
    if (error instanceof Inapplicable) return "refused";
    throw error;
  }
};
const remove = (path: string) => patched({ op: "remove", path });

describe("an index", () => {
  test.each([
    ["0", "y z"],
    ["01", "x z"],
    ["+1", "x z"],
    ["-1", "x y"],
    ["-3", "y z"],
    ["-4", "refused"],
    ["3", "refused"],
    ["-", "refused"],
    ["", "refused"],
    ["1.0", "refused"],
    ["x", "refused"],
  ])("%j removed", (index, want) => {
    const outcome = remove(`/list/${index}`);
    expect(outcome === "refused" ? outcome : (outcome as typeof document).list.join(" ")).toBe(want);
  });

  test.each([
    ["-", "x y z new"],
    ["3", "x y z new"],
    ["-1", "x y z new"],
    ["-4", "new x y z"],
    ["1", "x new y z"],
    ["4", "refused"],
    ["-5", "refused"],
  ])("%j added to", (index, want) => {
    const outcome = patched({ op: "add", path: `/list/${index}`, value: "new" });
    expect(outcome === "refused" ? outcome : (outcome as typeof document).list.join(" ")).toBe(want);
  });
});

describe("a path", () => {
  test.each([
    ["/data/a", { data: { b: "2" } }],
    ["ignored/data/a", { data: { b: "2" } }],
    ["/a~1b", { "a/b": undefined }],
    ["/m~0n", { "m~n": undefined }],
    ["/", { "": undefined }],
    ["/none", { none: undefined }],
  ])("%j", (path, change) => expect(remove(path)).toEqual({ ...document, ...change }));

  test.each(["", "data", "data/a", "/data/none", "/data/a/b", "/none/x", "/nothing/x", "/list/0/x", "/data/~2"])(
    "%j points to nothing that could be removed",
    (path) => expect(remove(path)).toBe("refused"),
  );
});

test.each<[string, Operation | Operation[], unknown]>([
  ["replaces what is not there", { op: "replace", path: "/data/c", value: "3" }, { data: { a: "1", b: "2", c: "3" } }],
  ["takes no value for null", { op: "add", path: "/data/c" }, { data: { a: "1", b: "2", c: null } }],
  ["tests for null what is not there", { op: "test", path: "/data/c", value: null }, {}],
  ["tests for nothing what is null", { op: "test", path: "/none" }, {}],
  ["tests for nothing what is something", { op: "test", path: "/data/a" }, "refused"],
  ["tests for another value", { op: "test", path: "/data/a", value: "2" }, "refused"],
  ["tests the whole", { op: "test", path: "", value: document }, {}],
  ["copies what is not there", { op: "copy", from: "/nothing", path: "/copy" }, { copy: null }],
  ["moves what is not there", { op: "move", from: "/nothing", path: "/copy" }, "refused"],
  ["moves into itself", { op: "move", from: "/data", path: "/data/inner" }, "refused"],
  ["moves onto itself", { op: "move", from: "/data/a", path: "/data/a" }, {}],
  ["moves within a list", { op: "move", from: "/list/2", path: "/list/0" }, { list: ["z", "x", "y"] }],
  ["removes the whole", { op: "remove", path: "" }, "refused"],
  ["adds the whole", { op: "add", path: "", value: {} }, "refused"],
  ["replaces the whole by a text", { op: "replace", path: "", value: "x" }, "refused"],
  ["does what nobody knows", { op: "merge", path: "/data/a" }, "refused"],
  ["says nothing", {}, "refused"],
  ["has no path", { op: "remove" }, "refused"],
  ["has no from", { op: "copy", path: "/data/c" }, "refused"],
  [
    "adds below what it has made null",
    [
      { op: "add", path: "/data" },
      { op: "add", path: "/data/x" },
    ],
    "refused",
  ],
])("an operation that %s", (_, operations, want) => {
  const outcome = patched(...[operations].flat());
  if (typeof want === "string") expect(outcome).toBe(want);
  else expect(outcome).toEqual({ ...document, ...(want as object) });
});

test("the whole is replaced", () => expect(patched({ op: "replace", path: "", value: { b: 1 } })).toEqual({ b: 1 }));

test("a copy is no second name", () => {
  const copy = { op: "copy", from: "/data", path: "/copy" };
  expect(patched(copy, { op: "add", path: "/copy/a", value: "9" })).toEqual({ ...document, copy: { a: "9", b: "2" } });
});

test("a value that is added twice is two values", () => {
  const value = { deep: {} };
  const outcome = patched(
    { op: "add", path: "/p", value },
    { op: "add", path: "/q", value },
    { op: "add", path: "/p/deep/x", value: 1 },
  );
  expect(outcome).toMatchObject({ p: { deep: { x: 1 } }, q: { deep: {} } });
  expect(value).toEqual({ deep: {} });
});

test("copies do not multiply without end", () => {
  const double = Array.from({ length: 30 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/${index}` }));
  expect(patched({ op: "add", path: "/data/big", value: "x".repeat(1000) }, ...double)).toBe("refused");
});

test("__proto__ is a key as any other", () => {
  const outcome = patched({ op: "add", path: "/__proto__", value: { polluted: true } }) as object;
  expect(Object.hasOwn(outcome, "__proto__")).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(patched({ op: "test", path: "/constructor", value: null })).toEqual(document);
});

test("whatever is sent is applied or refused, and what was there stays", () => {
  const before = structuredClone(document);
  const path = fc.constantFrom("", "/", "/data", "/data/a", "/list", "/list/-1", "/list/0", "/none", "/__proto__", "x");
  const operation = fc.record(
    {
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value: fc.jsonValue(),
    },
    { requiredKeys: ["op"] },
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      patched(...operations);
      expect(document).toEqual(before);
    }),
  );
});
