/** Lists taken as sets: `sets.contains([1, 2], [2])`. */

import { equal } from "../equality.ts";
import { deepCost } from "../frame.ts";
import { global, type Overload } from "../functions.ts";
import type { Value } from "../values.ts";

type List = readonly Value[];
const product = (a: List, b: List): number => a.length * deepCost(b);
const contains = (all: List, some: List): boolean => some.every((item) => all.some((each) => equal(each, item)));

export const sets: Overload[] = [
  global("sets.contains(list<A>, list<A>): bool", contains, product),
  global("sets.equivalent(list<A>, list<A>): bool", (a: List, b: List) => contains(a, b) && contains(b, a), product),
  global(
    "sets.intersects(list<A>, list<A>): bool",
    (a: List, b: List) => a.some((item) => contains(b, [item])),
    product,
  ),
];
