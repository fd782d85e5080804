import type { Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeCluster } from "../testing/make-objects.ts";
import { type ClusterRoleBinding, isBindingOf, planBindings, type WantedBinding } from "./plan.ts";

const cluster = makeCluster();
const users = fc.uniqueArray(fc.constantFrom("a@x", "b@x", "c@x", "d@x"));

function stored(binding: WantedBinding): Stored<ClusterRoleBinding> {
  const { metadata } = binding;
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    ...binding,
    metadata: { ...metadata, uid: metadata.name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
  };
}

const made = (administrators: string[]) => planBindings(administrators, [], cluster).create.map(stored);

describe("bindings of administrators", () => {
  test("are made for those that have none, and removed from those that are listed no more", () => {
    fc.assert(
      fc.property(users, users, (before, after) => {
        const plan = planBindings(after, made(before), cluster);
        const names = (bindings: readonly { subjects?: { name: string }[] }[]) =>
          bindings.map(({ subjects = [] }) => subjects[0]?.name).sort();
        expect(names(plan.create)).toEqual(after.filter((user) => !before.includes(user)).sort());
        expect(names(plan.remove)).toEqual(before.filter((user) => !after.includes(user)).sort());
      }),
    );
  });

  test("carry our marks, and make one user cluster-admin", () => {
    const [binding] = made(["a@x"]) as [Stored<ClusterRoleBinding>];
    expect(isBindingOf(binding, cluster)).toBe(true);
    expect(isBindingOf(binding, makeCluster({ uid: "other" }))).toBe(false);
    expect([binding.roleRef.name, binding.subjects]).toEqual([
      "cluster-admin",
      [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "a@x" }],
    ]);
  });

  test.each<{ name: string; change: Partial<ClusterRoleBinding> }>([
    {
      name: "another role",
      change: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } },
    },
    {
      name: "one user more",
      change: { subjects: [...(made(["a@x"])[0]?.subjects ?? []), { kind: "User", name: "evil" }] },
    },
    { name: "another user", change: { subjects: [{ kind: "User", name: "evil" }] } },
    { name: "a group of that name", change: { subjects: [{ kind: "Group", name: "a@x" }] } },
    { name: "nobody", change: { subjects: [] } },
  ])("with $name are made anew", ({ change }) => {
    const [binding] = made(["a@x"]) as [Stored<ClusterRoleBinding>];
    const plan = planBindings(["a@x"], [Object.assign(binding, change)], cluster);
    expect([plan.remove.length, plan.create.length]).toEqual([1, 1]);
  });
});
