import { keyOf } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { note, show } from "./fixtures.ts";
import { SortedObjects } from "./sorted-objects.ts";
import type { AnyStored } from "./table.ts";

const stored = (namespace: string, name: string, text = "") => note(namespace, name, text) as unknown as AnyStored;

describe("sorted objects", () => {
  test("stand in the order of their keys, as etcd has them: a-b before a", () => {
    const objects = new SortedObjects();
    for (const namespace of ["a", "b", "a-b", "a.b", "a0"]) objects.set(`${namespace}/x`, stored(namespace, "x"));
    expect(objects.list().map(keyOf)).toEqual(["a-b/x", "a.b/x", "a/x", "a0/x", "b/x"]);
    expect(objects.list("a").map(keyOf)).toEqual(["a/x"]);
  });

  test("are what a map holds, sorted, over many chunks", () => {
    const name = fc.integer({ min: 0, max: 2_000 }).map((number) => `n${number}`);
    const step = fc.record({ namespace: fc.constantFrom("a", "a-b", "b"), name, isDelete: fc.boolean() });
    const filled = fc.integer({ min: 0, max: 2_000 });
    fc.assert(
      fc.property(filled, fc.array(step, { maxLength: 200 }), (count, steps) => {
        const objects = new SortedObjects();
        const model = new Map<string, AnyStored>();
        const put = (object: AnyStored) => {
          objects.set(keyOf(object), object);
          model.set(keyOf(object), object);
        };
        for (let index = 0; index < count; index++) put(stored("a", `n${(index * 7_919) % 2_000}`));
        const copy = objects.copy();
        const atCopy = expected(model);
        for (const [index, { namespace, name, isDelete }] of steps.entries()) {
          const object = stored(namespace, name, String(index));
          if (!isDelete) put(object);
          else {
            objects.delete(keyOf(object));
            model.delete(keyOf(object));
          }
          expect(objects.get(keyOf(object))).toBe(model.get(keyOf(object)));
        }
        expect(objects.size).toBe(model.size);
        for (const namespace of [undefined, "a", "a-b", "b", "c"]) {
          expect(objects.list(namespace).map(show)).toEqual(expected(model, namespace));
        }
        expect(copy.list().map(show)).toEqual(atCopy);
      }),
      { numRuns: 60 },
    );
  });

  test("can all go, and come again", () => {
    const objects = new SortedObjects();
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 1_500; index++) objects.set(`a/n${index}`, stored("a", `n${index}`));
      expect(objects.size).toBe(1_500);
      for (let index = 0; index < 1_500; index++) objects.delete(`a/n${index}`);
      expect([objects.size, objects.list()]).toEqual([0, []]);
    }
  });
});

function expected(model: ReadonlyMap<string, AnyStored>, namespace?: string): string[] {
  return [...model]
    .filter(([, object]) => !namespace || object.metadata.namespace === namespace)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => show(object));
}
