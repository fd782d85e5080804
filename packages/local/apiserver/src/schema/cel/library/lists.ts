/** Lists: Kubernetes' own functions, and those of CEL's list extension. */

import { equal } from "../equality.ts";
import { deepCost } from "../frame.ts";
import { global, member, type Overload } from "../functions.ts";
import { CelError, Duration, isList, none, noSuchOverload, Optional, Uint, type Value } from "../values.ts";
import { int64, uint64 } from "./numbers.ts";
import { compare } from "./order.ts";

type List = readonly Value[];
const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

export const lists: Overload[] = [
  ...comparable.flatMap((type) => [
    member(`list<${type}>.isSorted(): bool`, (list: List) =>
      list.every((item, at) => at === 0 || compare(list[at - 1] as Value, item) <= 0),
    ),
    member(`list<${type}>.max(): ${type}`, (list: List) => best("max", list, (order) => order > 0)),
    member(`list<${type}>.min(): ${type}`, (list: List) => best("min", list, (order) => order < 0)),
    member(`list<${type}>.sort(): list<${type}>`, (list: List) => sortedBy(list.map((item) => [item, item]))),
  ]),
  member("list<int>.sum(): int", (list: List) => sum(list, 0n)),
  member("list<uint>.sum(): uint", (list: List) => sum(list, new Uint(0n))),
  member("list<double>.sum(): double", (list: List) => sum(list, 0)),
  member("list<duration>.sum(): duration", (list: List) => sum(list, new Duration(0n))),
  member(
    "list<A>.indexOf(A): int",
    (list: List, item: Value) => BigInt(list.findIndex((each) => equal(each, item))),
    deepCost,
  ),
  member(
    "list<A>.lastIndexOf(A): int",
    (list: List, item: Value) => BigInt(list.findLastIndex((each) => equal(each, item))),
    deepCost,
  ),
  member("list<A>.slice(int, int): list<A>", slice),
  member("list<A>.flatten(): list<dyn>", (list: List) => flatten(list, 1)),
  member("list<A>.flatten(int): list<dyn>", (list: List, depth: bigint) => flatten(list, Number(depth))),
  member("list<A>.distinct(): list<A>", distinct, (list: List) => list.length * deepCost(list)),
  member("list<A>.reverse(): list<A>", (list: List) => Array.from(list).reverse()),
  member("list<A>.first(): optional<A>", (list: List) => (list.length === 0 ? none : new Optional(list[0]))),
  member("list<A>.last(): optional<A>", (list: List) => (list.length === 0 ? none : new Optional(list.at(-1)))),
  global(
    "lists.range(int): list<int>",
    (count: bigint) => Array.from({ length: Number(count) }, (_, at) => BigInt(at)),
    (count: bigint) => Number(count),
  ),
];

/** By the first of each pair; what is equal stays in its order. */
export function sortedBy(pairs: readonly (readonly [Value, Value])[]): Value[] {
  return [...pairs].sort(([a], [b]) => compare(a, b)).map(([, value]) => value);
}

function best(name: string, list: List, isBetter: (order: number) => boolean): Value {
  if (list.length === 0) throw new CelError(`${name} called on empty list`);
  return list.reduce((found, item) => (isBetter(compare(item, found)) ? item : found));
}

function sum(list: List, start: Value): Value {
  return list.reduce((total: Value, item: Value) => {
    if (typeof total === "bigint" && typeof item === "bigint") return int64(total + item);
    if (typeof total === "number" && typeof item === "number") return total + item;
    if (total instanceof Uint && item instanceof Uint) return new Uint(uint64(total.value + item.value));
    if (total instanceof Duration && item instanceof Duration) return new Duration(int64(total.nanos + item.nanos));
    throw noSuchOverload();
  }, start);
}

function slice(list: List, from: bigint, to: bigint): List {
  const problem =
    from < 0n || to < 0n
      ? "negative indexes not supported"
      : from > to
        ? "start index must be less than or equal to end index"
        : to > BigInt(list.length)
          ? `list is length ${list.length}`
          : undefined;
  if (problem) throw new CelError(`cannot slice(${from}, ${to}), ${problem}`);
  return Array.from(list).slice(Number(from), Number(to));
}

function flatten(list: List, depth: number): List {
  if (depth < 0) throw new CelError("level must be non-negative");
  return Array.from(list).flatMap((item) => (depth > 0 && isList(item) ? flatten(item, depth - 1) : [item]));
}

function distinct(list: List): List {
  const found: Value[] = [];
  for (const item of list) if (!found.some((each) => equal(each, item))) found.push(item);
  return found;
}
