import type { KubeObject } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideFate, type Fate, type OwnerState } from "./decide.ts";

const object = (finalizers?: string[]): KubeObject => {
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "one", ...(finalizers && { finalizers }) } };
};
const fate = (states: OwnerState[], more: { finalizers?: string[]; dependents?: boolean; ring?: boolean } = {}): Fate =>
  decideFate({
    object: object(more.finalizers),
    owners: states.map((state, n) => ({
      state,
      reference: { apiVersion: "v1", kind: "Thing", name: "o", uid: `${n}` },
    })),
    hasDependents: more.dependents ?? false,
    hasWaitingDependents: more.ring ?? false,
  });
const deleted = (policy: string, unblock = false) => ({ do: "delete", policy, unblock });

describe("an object", () => {
  test.each<[string, Fate, object]>([
    ["without owners stays", fate([]), { do: "keep" }],
    ["whose owners are all there stays", fate(["solid", "solid"]), { do: "keep" }],
    ["lets go of owners that are gone", fate(["absent", "solid"]), { do: "unlink", uids: ["0"] }],
    [
      "lets go of owners that wait for it",
      fate(["solid", "waiting", "absent"]),
      { do: "unlink", uids: ["2", "1"].sort() },
    ],
    ["goes with its last owner", fate(["absent"]), deleted("Background")],
    ["goes when an owner waits for it", fate(["waiting"]), deleted("Background")],
    [
      "with dependents goes after them when an owner waits",
      fate(["waiting", "absent"], { dependents: true }),
      deleted("Foreground"),
    ],
    [
      "in a ring no longer blocks anyone",
      fate(["waiting"], { dependents: true, ring: true }),
      deleted("Foreground", true),
    ],
    ["keeps what was asked for: orphans", fate(["absent"], { finalizers: ["orphan"] }), deleted("Orphan")],
    [
      "keeps what was asked for: foreground",
      fate(["absent"], { finalizers: ["foregroundDeletion"] }),
      deleted("Foreground"),
    ],
    [
      "with dependents goes at once when its owners are gone",
      fate(["absent"], { dependents: true }),
      deleted("Background"),
    ],
  ])("%s", (_, got, want) => {
    expect(got.do === "unlink" ? { ...got, uids: [...got.uids].sort() } : got).toEqual(want);
  });

  test("is never deleted while an owner stays, and always when none does", () => {
    const states = fc.array(fc.constantFrom<OwnerState>("solid", "waiting", "absent"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(states, fc.boolean(), fc.boolean(), (owners, dependents, ring) => {
        expect(fate(owners, { dependents, ring }).do === "delete").toBe(!owners.includes("solid"));
      }),
    );
  });
});
