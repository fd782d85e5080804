import type { Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigMap } from "../kinds.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { type Change, Store } from "./store.ts";

function summary(changes: Change<ConfigMap>[]): string[] {
  return changes.map(({ type, object }) => `${type} ${object.metadata.uid}@${object.metadata.resourceVersion}`);
}

describe("a store", () => {
  test("tells an addition from an update, and repeats neither", () => {
    const store = new Store<ConfigMap>();
    expect(summary(store.put(storedConfigMap("a", 1)))).toEqual(["added a-1@1"]);
    expect(summary(store.put(storedConfigMap("a", 1)))).toEqual([]);
    expect(summary(store.put(storedConfigMap("a", 2)))).toEqual(["updated a-1@2"]);
  });

  test("tells a name that was made anew as a deletion and an addition", () => {
    const store = new Store<ConfigMap>();
    store.put(storedConfigMap("a", 1));
    expect(summary(store.put(storedConfigMap("a", 5, { uid: "a-2" })))).toEqual(["deleted a-1@1", "added a-2@5"]);
    expect(summary(store.replace([storedConfigMap("a", 9, { uid: "a-3" })]))).toEqual(["deleted a-2@5", "added a-3@9"]);
  });

  test("ignores the deletion of an earlier life", () => {
    const store = new Store<ConfigMap>();
    store.put(storedConfigMap("a", 5, { uid: "a-2" }));
    expect(store.remove(storedConfigMap("a", 4, { uid: "a-1" }))).toEqual([]);
    expect(store.size).toBe(1);
  });

  test("keeps the object that readers hold when a relist brings an equal one", () => {
    const store = new Store<ConfigMap>();
    const first = storedConfigMap("a", 1);
    store.put(first);
    expect(store.replace([storedConfigMap("a", 1)])).toEqual([]);
    expect(store.get("default/a")).toBe(first);
  });

  test("takes a version that came a second time for what it is, after the server's data was set back", () => {
    const store = new Store<ConfigMap>();
    store.ensureIndex("data", ({ data }) => Object.values(data ?? {}));
    const kept = storedConfigMap("kept", 1, { data: { value: "old" } });
    store.replace([kept, storedConfigMap("a", 5, { data: { value: "lost" } })]);
    const again = [
      storedConfigMap("kept", 1, { data: { value: "old" } }),
      storedConfigMap("a", 5, { data: { value: "new" } }),
    ];
    expect(summary(store.replace(again, { reset: true }))).toEqual(["updated a-1@5"]);
    expect(store.get("default/kept")).toBe(kept);
    expect([store.byIndex("data", "lost"), store.byIndex("data", "new")]).toEqual([[], [again[1]]]);
  });

  test("finds nothing that is gone, even where an index function changes its mind", () => {
    const store = new Store<ConfigMap>();
    let value = "before";
    store.ensureIndex("odd", () => [value]);
    store.put(storedConfigMap("a", 1));
    value = "after";
    store.remove(storedConfigMap("a", 1));
    expect(store.byIndex("odd", "before")).toEqual([]);
  });

  test("names the index that is missing", () => {
    expect(() => new Store().byIndex("owner", "x")).toThrow('there is no index "owner"');
  });
});

// A model: objects by name, and what a naive scan finds. Each step writes one version that nobody had before.
type Step = { do: "put" | "remove"; name: string; life: number; color: string } | { do: "replace"; names: string[] };

const name = fc.constantFrom("a", "b", "c", "d");
const color = fc.constantFrom("red", "blue", "none");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("put", "remove"), name, life: fc.integer({ min: 1, max: 3 }), color }),
  fc.record({ do: fc.constant("replace" as const), names: fc.uniqueArray(name) }),
);

describe("a store, whatever is written to it,", () => {
  const valuesOf = (object: Stored<ConfigMap>) => {
    const found = object.metadata.labels?.color;
    return found === undefined || found === "none" ? [] : [found, "any"];
  };

  test("agrees with a model on contents, indexes and the lives that its changes tell", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
        const store = new Store<ConfigMap>();
        store.ensureIndex("color", valuesOf);
        const model = new Map<string, Stored<ConfigMap>>();
        const alive = new Set<string>();
        let version = 0;
        const make = (key: string, life: number, shade: string) =>
          storedConfigMap(key, ++version, { uid: `${key}-${life}`, labels: { color: shade } });

        for (const item of steps) {
          let changes: Change<ConfigMap>[];
          if (item.do === "replace") {
            const objects = item.names.map((key) => make(key, 1 + (version % 3), "red"));
            changes = store.replace(objects);
            model.clear();
            for (const object of objects) model.set(object.metadata.name, object);
          } else {
            const object = make(item.name, item.life, item.color);
            if (item.do === "put") {
              changes = store.put(object);
              model.set(item.name, object);
            } else {
              changes = store.remove(object);
              if (model.get(item.name)?.metadata.uid === object.metadata.uid) model.delete(item.name);
            }
          }
          for (const change of changes) {
            const uid = change.object.metadata.uid;
            if (change.type === "added") expect(alive.has(uid)).toBe(false);
            else expect(alive.has(uid)).toBe(true);
            if (change.type === "deleted") alive.delete(uid);
            else alive.add(uid);
          }
        }

        expect(new Set(store.list())).toEqual(new Set(model.values()));
        expect(alive).toEqual(new Set([...model.values()].map((object) => object.metadata.uid)));
        for (const value of ["red", "blue", "any", "none"]) {
          const want = [...model.values()].filter((object) => valuesOf(object).includes(value));
          expect(new Set(store.byIndex("color", value))).toEqual(new Set(want));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("builds an index that is asked for late from what is there", () => {
    const store = new Store<ConfigMap>();
    store.put(storedConfigMap("a", 1, { labels: { color: "red" } }));
    store.ensureIndex("color", valuesOf);
    expect(store.byIndex("color", "red")).toHaveLength(1);
  });
});
