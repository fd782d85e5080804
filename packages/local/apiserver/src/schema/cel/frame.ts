/** What an expression runs on: its variables, and how much work is left to it. */
import { CostExceeded, isList, Struct, type Value } from "./values.ts";

export class Frame {
  /** What stands for the names of its environment. */
  readonly inputs: Readonly<Record<string, Value>>;
  /** Of comprehensions, by their slot. */
  readonly variables: Value[] = [];
  #left: number;

  constructor(inputs: Readonly<Record<string, Value>>, limit: number) {
    this.inputs = inputs;
    this.#left = limit;
  }

  get left(): number {
    return this.#left;
  }

  /** One is about one look at a field. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new CostExceeded();
  }
}

/** What it costs to walk over all of it. */
export function walkCost(value: Value): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length / 10;
  if (isList(value)) return value.length;
  if (value instanceof Map) return value.size;
  return value instanceof Struct ? value.fields.size : 0;
}

const deepSizes = new WeakMap<object, number>();

/** What it costs to compare all of it, with what is in it. */
export function deepCost(value: Value): number {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return 1 + walkCost(value);
  const known = deepSizes.get(value);
  if (known !== undefined) return known;
  const size = value instanceof Struct ? jsonSize(value.json) : sum([...partsOf(value)].map(deepCost));
  deepSizes.set(value, size);
  return size;
}

function partsOf(value: Value): Iterable<Value> {
  if (isList(value)) return value;
  return value instanceof Map ? value.values() : [];
}

function jsonSize(json: unknown): number {
  if (typeof json === "string") return 1 + json.length / 10;
  return typeof json === "object" && json !== null ? 1 + sum(Object.values(json).map(jsonSize)) : 1;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
