/** Bodies that are almost right: one value somewhere is another, missing, or one too many. */
import fc from "fast-check";
import type { Json } from "../kinds/index.ts";

const oddValues: readonly unknown[] = [
  null,
  null,
  "",
  "x",
  "A_B",
  0,
  -1,
  1.5,
  3_000_000_000,
  true,
  [],
  {},
  [null],
  ["a", "a"],
  { a: 1 },
  "1",
  "-".repeat(70),
];

type Place = readonly (string | number)[];

/** Every place in a value, its own apart. */
export function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return entries.flatMap(([key, item]) => [[...at, key], ...placesIn(item, [...at, key])]);
}

export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((inner, key) => (inner as Json)[key], value);
}

/** A copy with one value put in; what is `undefined` is taken out. */
export function withValue<T>(whole: T, place: Place, value: unknown): T {
  const copy = structuredClone(whole);
  const holder = valueAt(copy, place.slice(0, -1)) as Json;
  const key = place.at(-1) as string;
  if (value !== undefined) holder[key] = value;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

export const odd = fc.constantFrom(...oddValues);

/** The same with one thing wrong. */
export function oneWrong(body: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(body, fc.nat(), fc.constantFrom("replace", "replace", "remove", "unknown"), odd)
    .map(([value, where, how, other]) => {
      const places = placesIn(value);
      const place = places[where % Math.max(1, places.length)];
      if (place === undefined || how === "unknown") {
        const objects = places.filter((at) => isObject(valueAt(value, at)));
        return withValue(value, [...(objects[where % Math.max(1, objects.length)] ?? []), "extra"], other);
      }
      return withValue(value, place, how === "remove" ? undefined : other);
    });
}

/** A merge patch that also takes something away. */
export function withNulls(body: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.tuple(body, fc.nat()).map(([value, where]) => {
    const places = placesIn(value).filter((place) => place.every((key) => typeof key === "string"));
    const place = places[where % Math.max(1, places.length)];
    return place ? withValue(value, place, null) : value;
  });
}

/** What each directive is for; elsewhere no client sends them. */
const retained = /\/(strategy|volumes\/\d+)$/;
const ordered = /\/(containers|initContainers|volumes|env|imagePullSecrets)$/;
const primitives = /\/finalizers$/;

/** A strategic patch with one of the directives that only it knows. */
export function withDirective(body: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const how = fc.constantFrom("delete", "replace", "merge", "retain", "order", "primitive", "odd");
  return fc.tuple(body, fc.nat(), how).map(([value, where, what]) => {
    const places: Place[] = [[], ...placesIn(value)];
    const at = (pattern: RegExp) => {
      const found = places.filter((place) => pattern.test(pointer(place)));
      return found[where % Math.max(1, found.length)];
    };
    const list = what === "order" ? at(ordered) : what === "primitive" ? at(primitives) : undefined;
    const items = list ? (valueAt(value, list) as unknown[] | null) : null;
    if (list && Array.isArray(items) && items.length > 0) {
      const beside = (word: string) => [...list.slice(0, -1), `$${word}/${String(list.at(-1))}`];
      if (what === "primitive")
        return withValue(withValue(value, list, undefined), beside("deleteFromPrimitiveList"), items);
      const keys = items.map((item) => ({ name: (item as Json).name })).reverse();
      return withValue(value, beside("setElementOrder"), keys);
    }
    const kept = what === "retain" ? at(retained) : undefined;
    if (kept && isObject(valueAt(value, kept)))
      return withValue(value, [...kept, "$retainKeys"], Object.keys(valueAt(value, kept) as Json));
    const objects = places.filter((place) => isObject(valueAt(value, place)));
    const isDirective = ["delete", "replace", "merge", "odd"].includes(what);
    return isDirective ? withValue(value, [...(objects[where % objects.length] ?? []), "$patch"], what) : value;
  });
}

/** Operations on places that a body of this kind may have. */
export function jsonPatch(body: fc.Arbitrary<Json>): fc.Arbitrary<unknown[]> {
  const op = fc.constantFrom("add", "add", "replace", "remove", "test", "copy", "move");
  const one = fc.tuple(op, body, fc.nat(), fc.nat(), oneIn(8, odd)).map(([name, value, first, second, other]) => {
    const places = placesIn(value);
    const place = places[first % Math.max(1, places.length)] ?? ["metadata", "labels"];
    const from = pointer(places[second % Math.max(1, places.length)] ?? ["metadata"]);
    if (name === "remove") return { op: name, path: pointer(place) };
    if (name === "copy" || name === "move") return { op: name, from, path: pointer(place) };
    const isLast = typeof place.at(-1) === "number" && name === "add";
    const path = isLast ? pointer([...place.slice(0, -1), "-"]) : pointer(place);
    return { op: name, path, value: other ?? (places.length > 0 ? valueAt(value, place) : {}) };
  });
  return fc.array(one, { minLength: 1, maxLength: 2 });
}

function pointer(place: Place): string {
  return place.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Once in so many times. */
export function oneIn<T>(times: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ arbitrary: value, weight: 1 }, { arbitrary: fc.constant(null), weight: times - 1 });
}
