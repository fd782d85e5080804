/**
 * What is there, with what is applied laid over it. Nothing is taken away here. Items of lists keep the order of what is
 * applied among themselves; others stay where they were.
 */
import { fieldIn } from "./compare.ts";
import { type FieldType, type ListType, type MapType, sortOf } from "./field-type.ts";
import { itemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { fromEntries, getField, isList, isObject, type JsonObject } from "./values.ts";

export function merge(type: FieldType, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const sort = sortOf(type, applied);
  if (sort === "map" && type.map && !type.map.isAtomic) return mergeMaps(type.map, live, applied);
  if (sort === "list" && type.list && !type.list.isAtomic) return mergeLists(type.list, live, applied);
  return applied;
}

/** A null says nothing of what is in it: what is there stays. */
function mergeMaps(type: MapType, live: unknown, applied: unknown): unknown {
  const [old, now] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  if (keys.size === 0) return applied;
  return fromEntries(Array.from(keys, (key) => [key, mergeField(type, key, old, now)] as const));
}

function mergeField(type: MapType, key: string, old: JsonObject, now: JsonObject): unknown {
  return merge(fieldIn(type, key), getField(old, key), getField(now, key));
}

function mergeLists(type: ListType, live: unknown, applied: unknown): unknown {
  const [old, now] = [isList(live) ? live : [], isList(applied) ? applied : []];
  if (old.length === 0 && now.length === 0) return applied;
  const oldElements = old.map((item) => itemElement(type, item));
  const newElements = now.map((item) => itemElement(type, item));
  const oldItems = new Map<PathElement, unknown>();
  for (const [index, element] of oldElements.entries()) {
    // Of those that cannot be told apart none is merged with what is applied: they are replaced.
    oldItems.set(element, oldItems.has(element) ? null : old[index]);
  }
  return orderOfMerge(oldElements, newElements).map((step) =>
    "old" in step ? old[step.old] : merge(type.items, oldItems.get(newElements[step.new] ?? ""), now[step.new]),
  );
}

type Step = { old: number } | { new: number };

/** Goes through both lists at once, and takes from the live one what is not applied, in its place. */
function orderOfMerge(oldElements: readonly PathElement[], newElements: readonly PathElement[]): Step[] {
  const [inOld, inNew] = [new Set(oldElements), new Set(newElements)];
  const shared = newElements.filter((element) => inOld.has(element));
  const merged = new Set<PathElement>();
  const steps: Step[] = [];
  let [old, now] = [0, 0];
  const takeNew = (element: PathElement) => {
    merged.add(element);
    steps.push({ new: now++ });
    if (shared[0] === element) shared.shift();
  };
  while (old < oldElements.length || now < newElements.length) {
    const [oldElement, newElement] = [oldElements[old], newElements[now]];
    if (oldElement !== undefined && oldElement === newElement) {
      old++;
      takeNew(newElement);
      continue;
    }
    if (oldElement !== undefined && !inNew.has(oldElement)) {
      steps.push({ old: old++ });
      continue;
    }
    // Applied as well, but in another place: it comes, or came, in its turn there.
    if (oldElement !== undefined && newElement !== undefined && shared.length > 0 && shared[0] !== oldElement) {
      old++;
      continue;
    }
    if (oldElement !== undefined && merged.has(oldElement)) old++;
    if (newElement !== undefined) takeNew(newElement);
  }
  return steps;
}
