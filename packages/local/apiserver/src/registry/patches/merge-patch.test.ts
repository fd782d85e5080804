/** The answers are those of a real server to the same patches. */
import { expect, test } from "vitest";
import { mergePatched } from "./merge-patch.ts";

const document = { list: [1, { a: null }], none: null, object: { x: { y: 1 } }, text: "text" };

test.each<[object, object]>([
  [{}, {}],
  [{ text: null, nothing: null }, { text: undefined }],
  [{ object: { x: null } }, { object: {} }],
  [{ object: { x: { z: 2 } } }, { object: { x: { y: 1, z: 2 } } }],
  [{ object: { x: 5 } }, { object: { x: 5 } }],
  [{ list: [{ a: null, b: { c: null } }] }, { list: [{ b: {} }] }],
  [{ list: [null] }, { list: [null] }],
  [{ none: [{ a: null }] }, { none: [{}] }],
  [{ text: { a: null, b: [{ c: null }] } }, { text: { b: [{}] } }],
  [{ fresh: { a: null, b: [null, { c: null }] } }, { fresh: { b: [null, {}] } }],
  // In the place of an object it stays as it is.
  [{ object: [{ a: null }] }, { object: [{ a: null }] }],
])("%j", (patch, change) => {
  const [before, sent] = [structuredClone(document), structuredClone(patch)];
  expect(mergePatched(document, patch as Record<string, unknown>)).toEqual({ ...document, ...change });
  expect([document, patch]).toEqual([before, sent]);
});

test("__proto__ is a key as any other", () => {
  const merged = mergePatched({}, JSON.parse('{"__proto__":{"polluted":true}}'));
  expect(Object.hasOwn(merged, "__proto__")).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
