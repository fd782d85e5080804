import { expect, test } from "vitest";
import { accessName, anchorName, epochOf, isOf, marksOf, secretNameOf } from "./names.ts";
import { makeRequest } from "./testing/make-seen.ts";

test("names come from the UID, and tell the epoch", () => {
  const request = makeRequest({ uid: "b8a6f2c4-0000-0000-0000-000000000001" });
  expect(accessName(request)).toMatch(/^kc-[0-9a-f]{16}$/);
  expect(epochOf(request, anchorName(request, 12))).toBe(12);
  for (const name of [accessName(request), `${accessName(request)}-`, `${accessName(request)}-x`, "kc-0-1", "other"]) {
    expect(epochOf(request, name)).toBeUndefined();
  }
});

test("the Secret of a long name is told from that of another", () => {
  expect(secretNameOf(makeRequest({ name: "a.b" }))).toBe("a.b-kubeconfig");
  const names = ["x", "y"].map((end) => secretNameOf(makeRequest({ name: `${"a".repeat(252)}${end}` })));
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => name.length <= 253)).toBe(true);
});

test("what carries another UID is not ours", () => {
  const [one, other] = [makeRequest({ uid: "1" }), makeRequest({ uid: "2" })];
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name: accessName(one), labels: marksOf(one) } };
  expect([isOf(one, object), isOf(other, object), isOf(one, { ...object, metadata: { name: "x" } })]).toEqual([
    true,
    false,
    false,
  ]);
});
