/** `==`, `<`, `+`, `in` and the other signs, and `size`. */

import { equal } from "../equality.ts";
import { deepCost } from "../frame.ts";
import { global, member, type Overload } from "../functions.ts";
import { keyOf } from "../select.ts";
import { CelError, Duration, type MapKey, MapList, SetList, Struct, Timestamp, Uint, type Value } from "../values.ts";
import { int64, uint64 } from "./numbers.ts";
import { compare } from "./order.ts";

const numeric = ["int", "uint", "double"];
const ordered = ["bool", "string", "bytes", "timestamp", "duration"];

const comparable: [string, string][] = [
  ...numeric.flatMap((a) => numeric.map((b): [string, string] => [a, b])),
  ...ordered.map((type): [string, string] => [type, type]),
];

const comparisons: Overload[] = comparable.flatMap(([a, b]) => [
  global(`_<_(${a}, ${b}): bool`, (x: Value, y: Value) => compare(x, y) < 0),
  global(`_<=_(${a}, ${b}): bool`, (x: Value, y: Value) => compare(x, y) <= 0),
  global(`_>_(${a}, ${b}): bool`, (x: Value, y: Value) => compare(x, y) > 0),
  global(`_>=_(${a}, ${b}): bool`, (x: Value, y: Value) => compare(x, y) >= 0),
]);

const arithmetic: Overload[] = [
  global("_+_(int, int): int", (a: bigint, b: bigint) => int64(a + b)),
  global("_-_(int, int): int", (a: bigint, b: bigint) => int64(a - b)),
  global("_*_(int, int): int", (a: bigint, b: bigint) => int64(a * b)),
  global("_/_(int, int): int", (a: bigint, b: bigint) => int64(a / notZero(b, "division by zero"))),
  global("_%_(int, int): int", (a: bigint, b: bigint) => a % notZero(b, "modulus by zero")),
  global("-_(int): int", (a: bigint) => int64(-a)),
  global("_+_(uint, uint): uint", (a: Uint, b: Uint) => new Uint(uint64(a.value + b.value))),
  global("_-_(uint, uint): uint", (a: Uint, b: Uint) => new Uint(uint64(a.value - b.value))),
  global("_*_(uint, uint): uint", (a: Uint, b: Uint) => new Uint(uint64(a.value * b.value))),
  global("_/_(uint, uint): uint", (a: Uint, b: Uint) => new Uint(a.value / notZero(b.value, "division by zero"))),
  global("_%_(uint, uint): uint", (a: Uint, b: Uint) => new Uint(a.value % notZero(b.value, "modulus by zero"))),
  global("_+_(double, double): double", (a: number, b: number) => a + b),
  global("_-_(double, double): double", (a: number, b: number) => a - b),
  global("_*_(double, double): double", (a: number, b: number) => a * b),
  global("_/_(double, double): double", (a: number, b: number) => a / b),
  global("-_(double): double", (a: number) => -a),
  global("_+_(string, string): string", (a: string, b: string) => a + b),
  global("_+_(bytes, bytes): bytes", (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
  global("_+_(list<A>, list<A>): list<A>", concatenate, (a: readonly Value[], b: readonly Value[]) =>
    a instanceof SetList ? a.length * deepCost(b) : 0,
  ),
  global("_+_(duration, duration): duration", (a: Duration, b: Duration) => new Duration(int64(a.nanos + b.nanos))),
  global("_-_(duration, duration): duration", (a: Duration, b: Duration) => new Duration(int64(a.nanos - b.nanos))),
  global("_+_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => new Timestamp(a.nanos + b.nanos)),
  global("_+_(duration, timestamp): timestamp", (a: Duration, b: Timestamp) => new Timestamp(a.nanos + b.nanos)),
  global("_-_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => new Timestamp(a.nanos - b.nanos)),
  global("_-_(timestamp, timestamp): duration", (a: Timestamp, b: Timestamp) => new Duration(int64(a.nanos - b.nanos))),
];

export const operators: Overload[] = [
  global("_==_(A, A): bool", equal, comparing),
  global("_!=_(A, A): bool", (a: Value, b: Value) => !equal(a, b), comparing),
  global("!_(bool): bool", (a: boolean) => !a),
  global(
    "@in(A, list<A>): bool",
    (item: Value, list: readonly Value[]) => list.some((each) => equal(each, item)),
    (_: Value, list: readonly Value[]) => deepCost(list),
  ),
  global("@in(A, map<A, B>): bool", (key: Value, map: ReadonlyMap<MapKey, Value> | Struct) =>
    map instanceof Struct ? map.get(String(key)) !== undefined : map.has(keyOf(key)),
  ),
  ...comparisons,
  ...arithmetic,
  ...["string", "bytes", "list<A>", "map<A, B>"].flatMap((type) => [
    global(`size(${type}): int`, size),
    member(`${type}.size(): int`, size),
  ]),
];

/** Lists whose order says nothing are compared item by item. */
export function comparing(a: Value, b: Value): number {
  const isUnordered = a instanceof SetList && b !== a;
  return isUnordered ? a.length * deepCost(b) : Math.min(deepCost(a), deepCost(b));
}

function size(value: string | Uint8Array | readonly Value[] | ReadonlyMap<MapKey, Value>): bigint {
  if (typeof value === "string") return BigInt([...value].length);
  return BigInt(value instanceof Map ? value.size : (value as readonly Value[]).length);
}

function notZero(value: bigint, error: string): bigint {
  if (value === 0n) throw new CelError(error);
  return value;
}

/** Of lists whose order says nothing, the union: what is in both is there once, and the second one wins. */
function concatenate(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  if (a instanceof SetList) {
    return SetList.from([...a, ...b.filter((item) => !a.some((each) => equal(each, item)))]) as SetList;
  }
  if (!(a instanceof MapList)) return [...a, ...b];
  const byKey = new Map(a.map((item) => [a.keyOf(item), item]));
  for (const item of b) byKey.set(a.keyOf(item), item);
  const union = MapList.from(byKey.values()) as MapList;
  union.keyNames = a.keyNames;
  return union;
}
