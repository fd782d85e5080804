import { labels } from "@berg/resources";
import { expect, test } from "vitest";
import { instanceUidOf, instanceUidOfNamespace } from "./marks.ts";
import { makeNamespace, makePod, marksOf } from "./testing/objects.ts";

const marks = marksOf("one");
const { [labels.managedBy]: _, ...withoutManagedBy } = marks;
const { [labels.instanceUid]: __, ...withoutUid } = marks;

test.each([
  ["both marks", marks, "one"],
  ["no labels", undefined, undefined],
  ["no managed-by", withoutManagedBy, undefined],
  ["another manager", { ...marks, [labels.managedBy]: "Helm" }, undefined],
  ["no UID", withoutUid, undefined],
  ["an empty UID", { ...marks, [labels.instanceUid]: "" }, undefined],
])("%s: whose it is", (_, given, want) => {
  expect(instanceUidOf(makePod("one", given && { labels: given }))).toBe(want);
  expect(instanceUidOfNamespace(makeNamespace("challenge-a", given && { labels: given }))).toBe(want);
});

test.each(["kube-system", "default", "berg", "my-challenge-a", "challenge"])("the namespace %s is nobody's", (name) => {
  expect(instanceUidOfNamespace(makeNamespace(name, { labels: marks }))).toBeUndefined();
});
