/**
 * `all`, `exists`, `map` and the like, by what they collect. `all` and `exists` get past an error of one element where
 * another element settles it.
 */
import type { Frame } from "./frame.ts";
import type { Expression } from "./functions.ts";
import { sortedBy } from "./library/lists.ts";
import { attempt } from "./logic.ts";
import { bool, type CelType, int, listOf, mapOf } from "./types.ts";
import { CelError, type MapKey, noSuchOverload, type Value } from "./values.ts";

export interface Comprehension {
  readonly name: string;
  /** One: elements of a list, keys of a map. Two: index and element, key and value. */
  readonly variables: 1 | 2;
  /** Whether a condition stands before the last argument. */
  readonly isFiltered: boolean;
  /** Whether the last argument is one. */
  readonly isCondition?: boolean;
  readonly collect: (parts: Parts) => Collected;
}

interface Parts {
  range: CelType;
  element: CelType;
  filter: Expression | undefined;
  body: Expression;
}

export interface Collected {
  type: CelType;
  start(frame: Frame): Collector;
}

interface Collector {
  /** Whether to go on. */
  take(key: Value, element: Value): boolean;
  result(): Value;
}

const quantifier = (name: "all" | "exists", variables: 1 | 2): Comprehension => ({
  name,
  variables,
  isFiltered: false,
  isCondition: true,
  collect: ({ body }) => ({
    type: bool,
    start(frame) {
      const settling = name === "exists";
      let settled = false;
      let failure: CelError | undefined;
      return {
        take() {
          const value = attempt(() => body.run(frame));
          if (value instanceof CelError) failure ??= value;
          else if (typeof value !== "boolean") failure ??= noSuchOverload();
          else settled = value === settling;
          return !settled;
        },
        result() {
          if (settled) return settling;
          if (failure) throw failure;
          return !settling;
        },
      };
    },
  }),
});

const existsOne = (name: string, variables: 1 | 2): Comprehension => ({
  name,
  variables,
  isFiltered: false,
  isCondition: true,
  collect: ({ body }) => ({
    type: bool,
    start(frame) {
      let count = 0;
      return {
        take: () => {
          if (condition(body, frame)) count++;
          return true;
        },
        result: () => count === 1,
      };
    },
  }),
});

const filter: Comprehension = {
  name: "filter",
  variables: 1,
  isFiltered: false,
  isCondition: true,
  collect: ({ body, element }) => ({
    type: listOf(element),
    start: (frame) => collectList((_, value) => (condition(body, frame) ? [value] : [])),
  }),
};

const toList = (name: string, variables: 1 | 2, isFiltered: boolean): Comprehension => ({
  name,
  variables,
  isFiltered,
  collect: ({ body, filter }) => ({
    type: listOf(body.type),
    start: (frame) => collectList(() => (!filter || condition(filter, frame) ? [body.run(frame)] : [])),
  }),
});

const toMap = (name: "transformMap" | "transformMapEntry", isFiltered: boolean): Comprehension => ({
  name,
  variables: 2,
  isFiltered,
  collect: ({ range, body, filter }) => ({
    type: name === "transformMap" ? mapOf(range.name === "map" ? (range.of[0] as CelType) : int, body.type) : body.type,
    start(frame) {
      const result = new Map<MapKey, Value>();
      return {
        take(key) {
          if (filter && !condition(filter, frame)) return true;
          const value = body.run(frame);
          if (name === "transformMap") result.set(key as MapKey, value);
          else if (value instanceof Map) for (const [key, each] of value) insert(result, key, each);
          else throw noSuchOverload();
          return true;
        },
        result: () => result,
      };
    },
  }),
});

const sortBy: Comprehension = {
  name: "sortBy",
  variables: 1,
  isFiltered: false,
  collect: ({ body, element }) => ({
    type: listOf(element),
    start(frame) {
      const pairs: [Value, Value][] = [];
      return {
        take(_, value) {
          pairs.push([body.run(frame), value]);
          return true;
        },
        result: () => sortedBy(pairs),
      };
    },
  }),
};

/** By name and number of arguments. */
export const comprehensions: ReadonlyMap<string, Comprehension> = new Map(
  [
    quantifier("all", 1),
    quantifier("all", 2),
    quantifier("exists", 1),
    quantifier("exists", 2),
    existsOne("exists_one", 1),
    existsOne("existsOne", 2),
    filter,
    toList("map", 1, false),
    toList("map", 1, true),
    toList("transformList", 2, false),
    toList("transformList", 2, true),
    toMap("transformMap", false),
    toMap("transformMap", true),
    toMap("transformMapEntry", false),
    toMap("transformMapEntry", true),
    sortBy,
  ].map((each) => [`${each.name}/${each.variables + (each.isFiltered ? 2 : 1)}`, each]),
);

function collectList(take: (key: Value, element: Value) => readonly Value[]): Collector {
  const result: Value[] = [];
  return {
    take(key, element) {
      result.push(...take(key, element));
      return true;
    },
    result: () => result,
  };
}

function condition(expression: Expression, frame: Frame): boolean {
  const value = expression.run(frame);
  if (typeof value === "boolean") return value;
  throw noSuchOverload();
}

function insert(map: Map<MapKey, Value>, key: MapKey, value: Value): void {
  if (map.has(key)) throw new CelError(`insert failed: key ${key} already exists`);
  map.set(key, value);
}
