import { expect, test } from "vitest";
import { compileJsonPath } from "./json-path.ts";

const object = {
  spec: {
    size: 3,
    list: [
      { name: "a", n: 1 },
      { name: "b", n: 2, ok: true },
    ],
    "a.b": "dotted",
    a: { b: "nested" },
  },
  empty: [],
};

test.each<[path: string, found: unknown]>([
  [".spec.size", 3],
  [".", object],
  [".spec.nope.more", undefined],
  [".spec.list[0].name", "a"],
  [".spec.list[1].name", "b"],
  [".spec.list[-1].name", "b"],
  [".spec.list[-3].name", undefined],
  [".spec.list[2].name", undefined],
  [".spec.list[*].n", 1],
  [".empty[*]", undefined],
  ['.spec.list[?(@.name=="b")].n', 2],
  [".spec.list[?(@.name == 'b')].n", 2],
  [".spec.list[?(@.n>1)].name", "b"],
  [".spec.list[?(@.n<=1)].name", "a"],
  [".spec.list[?(@.n!=1)].name", "b"],
  [".spec.list[?(@.ok)].name", "b"],
  [".spec.list[?(@.ok==true)].name", "b"],
  ['.spec.list[?(@.n=="1")].name', undefined],
  [".spec.a\\.b", "dotted"],
  [".spec['a.b']", "nested"],
  [".spec['size']", 3],
  [".constructor.name", undefined],
  [".spec.__proto__", undefined],
])("%s", (path, found) => {
  expect(compileJsonPath(path)?.(object)).toEqual(found);
});

test.each([
  "spec",
  ".spec[",
  ".spec[a]",
  ".spec[?(size)]",
  ".spec.list[?(@.n==x)]",
  ".spec..size",
  '.spec["size"]',
  ".spec[0:1]",
])("%s cannot be read", (path) => {
  expect(compileJsonPath(path)).toBeUndefined();
});
