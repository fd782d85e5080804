/**
 * Functions, and which of several of one name is meant. The types that are known pick those that may be meant; where
 * something is dyn, the values pick among them when the expression runs.
 */
import { type Frame, walkCost } from "./frame.ts";
import {
  type Bindings,
  type CelType,
  dyn,
  fits,
  formatType,
  isDyn,
  splitAtCommas,
  substitute,
  typeOf,
} from "./types.ts";
import { noSuchOverload, Struct, typeNameOf, type Value } from "./values.ts";

/** A part of a compiled expression. */
export interface Expression {
  readonly type: CelType;
  run(frame: Frame): Value;
}

export interface Overload {
  readonly name: string;
  /** Called as `receiver.name(…)`; the receiver is the first parameter. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly call: (...args: readonly Value[]) => Value;
  /** What it costs beyond walking once over what it is given. */
  readonly cost?: (...args: readonly Value[]) => number;
}

type Call = (...args: never[]) => Value;
type Cost = (...args: never[]) => number;

/** `member("string.contains(string): bool", (text: string, part: string) => text.includes(part))` */
export function member(signature: string, call: Call, cost?: Cost): Overload {
  const [, receiver = "", name = "", parameters = "", result = ""] =
    /^([\w.<>, ]+)\.(\w+)\((.*)\): (.+)$/.exec(signature) ?? [];
  return overload(name, true, [receiver, ...splitAtCommas(parameters)], result, call, cost);
}

/** `global("isIP(string): bool", …)`. Also operators: `global("_+_(int, int): int", …)`. */
export function global(signature: string, call: Call, cost?: Cost): Overload {
  const [, name = "", parameters = "", result = ""] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  return overload(name, false, splitAtCommas(parameters), result, call, cost);
}

function overload(
  name: string,
  isMember: boolean,
  parameters: string[],
  result: string,
  call: Call,
  cost?: Cost,
): Overload {
  return {
    name,
    isMember,
    parameters: parameters.map(typeOf),
    result: typeOf(result),
    call: call as Overload["call"],
    ...(cost && { cost: cost as NonNullable<Overload["cost"]> }),
  };
}

export class Functions {
  readonly #byName = new Map<string, Overload[]>();

  constructor(overloads: Iterable<Overload>) {
    for (const each of overloads) {
      const key = keyOf(each.name, each.isMember);
      this.#byName.set(key, [...(this.#byName.get(key) ?? []), each]);
    }
  }

  has(name: string, isMember: boolean): boolean {
    return this.#byName.has(keyOf(name, isMember));
  }

  /** The call, or what is wrong with it. */
  resolve(name: string, isMember: boolean, args: readonly Expression[]): Expression | string {
    const known = this.#byName.get(keyOf(name, isMember));
    if (!known) {
      const isKnownOtherwise = this.#byName.has(keyOf(name, !isMember));
      return isKnownOtherwise ? noMatch(name, isMember, args) : `undeclared reference to '${name}' (in container '')`;
    }
    const matches = known.flatMap((each) => matchOf(each, args) ?? []);
    const [first] = matches;
    if (!first) return noMatch(name, isMember, args);
    const type = matches.every(({ type }) => formatType(type) === formatType(first.type)) ? first.type : dyn;
    const overloads = matches.map(({ overload }) => overload);
    // Where all is known there is nothing left to pick.
    if (overloads.length === 1 && !args.some(({ type }) => isDyn(type)))
      return caller(type, args, () => first.overload);
    return caller(type, args, (values) => {
      const chosen = overloads.find(({ parameters }) =>
        parameters.every((wanted, at) => isOf(values[at] as Value, wanted)),
      );
      if (chosen) return chosen;
      throw noSuchOverload();
    });
  }
}

const keyOf = (name: string, isMember: boolean): string => (isMember ? `.${name}` : name);

function matchOf(overload: Overload, args: readonly Expression[]): { overload: Overload; type: CelType } | undefined {
  if (overload.parameters.length !== args.length) return undefined;
  const bindings: Bindings = new Map();
  if (!overload.parameters.every((wanted, at) => fits(wanted, (args[at] as Expression).type, bindings)))
    return undefined;
  return { overload, type: substitute(overload.result, bindings) };
}

function caller(
  type: CelType,
  args: readonly Expression[],
  choose: (values: readonly Value[]) => Overload,
): Expression {
  return {
    type,
    run(frame) {
      const values = args.map((arg) => arg.run(frame));
      const { call, cost } = choose(values);
      frame.spend(1 + values.reduce((sum: number, value) => sum + walkCost(value), 0) + (cost?.(...values) ?? 0));
      return call(...values);
    },
  };
}

export function noMatch(name: string, isMember: boolean, args: readonly { type: CelType }[]): string {
  const types = args.map(({ type }) => formatType(type));
  const signature = isMember ? `${types[0]}.(${types.slice(1).join(", ")})` : `(${types.join(", ")})`;
  return `found no matching overload for '${name}' applied to '${signature}'`;
}

const runtimeNames = new Map([
  ["null", "null_type"],
  ["optional", "optional_type"],
  ["duration", "google.protobuf.Duration"],
  ["timestamp", "google.protobuf.Timestamp"],
]);

function isOf(value: Value, type: CelType): boolean {
  if (isDyn(type) || /^[A-Z]$/.test(type.name)) return true;
  if (type.fields) return value instanceof Struct;
  return typeNameOf(value) === (runtimeNames.get(type.name) ?? type.name);
}
