/** Metadata, good and bad: what a real API server and ours must judge alike. */
import type { ObjectMeta } from "@berg/apimachinery";

const owner = { apiVersion: "v1", kind: "A", name: "y", uid: "z" };

/** Sent for creation under their own or the given name. */
export const newMetadata: Readonly<Record<string, Partial<ObjectMeta>>> = {
  fine: {
    labels: { a: "b", "example.com/a": "" },
    annotations: { "Example.com/A": "any thing" },
    finalizers: ["a.b/c"],
  },
  "a name with capitals": { name: "Abc" },
  "a name that ends in a dash": { name: "abc-" },
  "a long name": { name: "a".repeat(254) },
  "a name with a slash": { name: "a/b" },
  "a prefix with an underscore": { name: "abc", generateName: "a_" },
  "a prefix that ends in a dash": { name: "abc", generateName: "a-" },
  "label keys": { labels: { "a b": "", "": "", "/x": "", "x/": "", "a/b/c": "", "A.b/c": "", ["x".repeat(64)]: "" } },
  "a label key with a long prefix": { labels: { [`${"a".repeat(254)}/b`]: "" } },
  "label values": { labels: { a: "-", b: "x".repeat(64), c: "é", d: "a b" } },
  "annotation keys": { annotations: { "a/b/c": "", "": "", "a b": "" } },
  "too many annotations": { annotations: { a: "x".repeat(262_144) } },
  "as many annotations as there may be": { annotations: { a: "x".repeat(262_143) } },
  finalizers: { finalizers: ["a b", "a/b/c"] },
  "finalizers that contradict": { finalizers: ["orphan", "foregroundDeletion"] },
  "an empty owner": { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
  "an owner of a bad version": { ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
  "an event as owner": { ownerReferences: [{ ...owner, kind: "Event", blockOwnerDeletion: true }] },
  "two controllers": {
    ownerReferences: [
      { ...owner, controller: true },
      { ...owner, name: "x", controller: true },
    ],
  },
};

/** Sent in place of what is stored. */
export const changedMetadata: Readonly<Record<string, Partial<ObjectMeta>>> = {
  "nothing changed": {},
  "a bad label": { labels: { a: "-" } },
  "a bad annotation": { annotations: { "a b": "" } },
  "a bad finalizer": { finalizers: ["a b"] },
  "a bad owner": { ownerReferences: [{ apiVersion: "v1", kind: "", name: "y", uid: "z" }] },
  "a time of deletion": { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 3 },
  "a bad prefix": { generateName: "a/b" },
};
