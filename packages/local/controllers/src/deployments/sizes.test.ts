import type { Stored } from "@berg/apimachinery";
import type { Deployment, ReplicaSet } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitsOf } from "./limits.ts";
import { sizeAnnotations } from "./revisions.ts";
import { growingSize, rescale, shrink } from "./sizes.ts";

const deployment = (replicas: number, maxSurge: number | string = "25%", maxUnavailable: number | string = "25%") =>
  ({
    spec: { replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
  }) as Deployment;

/** `born` orders them; `noted` is the size of the Deployment when it was last scaled. */
function set(name: string, replicas: number, available = replicas, noted?: Deployment): Stored<ReplicaSet> {
  const annotations = noted ? sizeAnnotations(limitsOf(noted)) : {};
  const metadata = { name, uid: name, annotations, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { metadata, spec: { replicas }, status: { availableReplicas: available } } as unknown as Stored<ReplicaSet>;
}
const shown = (resizes: { replicaSet: ReplicaSet; replicas: number }[]) =>
  Object.fromEntries(resizes.map(({ replicaSet, replicas }) => [replicaSet.metadata.name, replicas]));

test.each([
  [10, "25%", "25%", 3, 2],
  [1, "25%", "25%", 1, 0],
  [3, "25%", "25%", 1, 0],
  [2, "0%", "1%", 0, 1],
  [10, 2, 20, 2, 10],
  [0, "25%", "25%", 0, 0],
])("%d replicas, surge %s, unavailable %s", (replicas, surge, unavailable, maxSurge, maxUnavailable) => {
  expect(limitsOf(deployment(replicas, surge, unavailable))).toEqual({ replicas, maxSurge, maxUnavailable });
});

test("Recreate has no limits to stray within", () => {
  const recreate = { spec: { replicas: 4, strategy: { type: "Recreate" } } } as Deployment;
  expect(limitsOf(recreate)).toEqual({ replicas: 4, maxSurge: 0, maxUnavailable: 0 });
});

describe("the current one grows", () => {
  const limits = { replicas: 10, maxSurge: 3, maxUnavailable: 2 };
  test.each([
    ["as far as the surge allows", 0, 10, 3],
    ["not beyond what is asked for", 8, 0, 10],
    ["not at all where too many are there", 2, 12, 2],
    ["back, where it is too big", 12, 0, 10],
  ])("%s", (_, size, others, wanted) => {
    expect(growingSize(limits, size, others, true)).toBe(wanted);
  });
  test("with Recreate to all at once", () => expect(growingSize(limits, 0, 10, false)).toBe(10));
});

describe("the old ones shrink", () => {
  const limits = { replicas: 10, maxSurge: 3, maxUnavailable: 2 };
  test("as far as enough stay available", () => {
    expect(shown(shrink(limits, set("new", 3, 0), [set("old", 10)]))).toEqual({ old: 8 });
  });
  test("by what is broken first, whatever is available", () => {
    expect(shown(shrink(limits, set("new", 0), [set("a", 8, 8), set("b", 5, 0)]))).toEqual({ b: 0 });
  });
  test("not where pods of the new one are still to come", () => {
    expect(shrink(limits, set("new", 5, 0), [set("old", 8, 7)])).toEqual([]);
  });
  test("the oldest first", () => {
    expect(shown(shrink(limits, set("new", 6), [set("b", 3), set("a", 2)]))).toEqual({ a: 0, b: 2 });
  });
  test("never leaves fewer available than it may, and ends where nothing old is left", () => {
    const count = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(count, count, count, count, count, (replicas, surge, unavailable, a, b) => {
        const limits = limitsOf(deployment(replicas, surge, unavailable));
        const sets = [set("a", a), set("b", b)];
        let current = set("new", growingSize(limits, 0, a + b, true));
        for (let turns = 0; sets.some((one) => one.spec?.replicas) || current.spec?.replicas !== replicas; turns++) {
          expect(turns).toBeLessThan(200);
          const before = a + b;
          for (const { replicaSet, replicas } of shrink(limits, current, sets)) {
            const at = sets.findIndex(({ metadata }) => metadata.name === replicaSet.metadata.name);
            sets[at] = set(replicaSet.metadata.name, replicas);
          }
          const old = sets.map((one) => one.spec?.replicas as number).reduce((x, y) => x + y, 0);
          const all = old + (current.spec?.replicas as number);
          if (before >= replicas) expect(all).toBeGreaterThanOrEqual(replicas - limits.maxUnavailable);
          current = set("new", growingSize(limits, current.spec?.replicas as number, old, true));
        }
      }),
    );
  });
});

describe("after a change of the Deployment's size", () => {
  const four = deployment(4);
  const ten = deployment(10);
  test("the only active one has all", () => {
    expect(shown(rescale(ten, limitsOf(ten), set("new", 4), [set("old", 0)]))).toEqual({ new: 10 });
  });
  test("the newest one, where none is active", () => {
    expect(shown(rescale(ten, limitsOf(ten), undefined, [set("a", 0), set("b", 0)]))).toEqual({ b: 10 });
  });
  test("each has its share, and the biggest what is left over", () => {
    const both = rescale(ten, limitsOf(ten), set("new", 2, 0, four), [set("old", 3, 3, four)]);
    expect(shown(both)).toEqual({ old: 8, new: 5 });
  });
  test("the newest of equals has what rounding left over", () => {
    const old = [set("a", 1, 1, four), set("b", 1, 1, four)];
    expect(shown(rescale(ten, limitsOf(ten), set("new", 1, 0, four), old))).toEqual({ new: 7, b: 3, a: 3 });
  });
  test("all are empty where nothing is asked for", () => {
    const none = deployment(0);
    const both = rescale(none, limitsOf(none), set("new", 2, 0, four), [set("old", 3, 3, four)]);
    expect(shown(both)).toEqual({ old: 0, new: 0 });
  });
  test("those that keep their size are named too, to note the new one", () => {
    const five = deployment(4, 1);
    const both = rescale(five, limitsOf(five), set("new", 2, 0, ten), [set("old", 3, 3, ten)]);
    expect(Object.keys(shown(both)).sort()).toEqual(["new", "old"]);
  });
  test("where the new one has all that is asked for, the old ones go", () => {
    const both = rescale(four, limitsOf(four), set("new", 4, 4, four), [set("old", 3)]);
    expect(shown(both)).toEqual({ old: 0 });
  });
});
