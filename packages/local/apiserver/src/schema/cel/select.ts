/** `a.b`, `a[b]`, `a.?b`, `a[?b]` and `has(a.b)`: looking into objects, maps and lists. */
import type { Expression } from "./functions.ts";
import { noMatch } from "./functions.ts";
import { bool, type CelType, dyn, fits, formatType, int, isDyn, optionalOf } from "./types.ts";
import { CelError, isList, type MapKey, none, noSuchOverload, Optional, Struct, Uint, type Value } from "./values.ts";

/** The type of a field, or what is wrong with asking for it. */
export function fieldType(type: CelType, name: string): CelType | string {
  if (isDyn(type)) return dyn;
  if (type.name === "optional") {
    const inner = fieldType(type.of[0] as CelType, name);
    return typeof inner === "string" ? inner : optionalOf(inner);
  }
  if (type.fields) return type.fields.get(name) ?? `undefined field '${name}'`;
  if (type.name === "map") return type.of[1] as CelType;
  if (type.name.includes(".")) return `unexpected failed resolution of '${type.name}'`;
  return `type '${formatType(type)}' does not support field selection`;
}

export function select(receiver: Expression, name: string): Expression | string {
  const type = fieldType(receiver.type, name);
  if (typeof type === "string") return type;
  return {
    type,
    run(frame) {
      frame.spend(1);
      const value = receiver.run(frame);
      if (value instanceof Optional) return find(value, name);
      const found = lookUp(value, name);
      if (found === undefined) throw new CelError(`no such key: ${name}`);
      return found;
    },
  };
}

export function selectOptional(receiver: Expression, name: string): Expression | string {
  const type = fieldType(receiver.type, name);
  if (typeof type === "string") return type;
  return {
    type: type.name === "optional" ? type : optionalOf(type),
    run(frame) {
      frame.spend(1);
      return find(receiver.run(frame), name);
    },
  };
}

export function presence(receiver: Expression, name: string): Expression | string {
  const type = fieldType(receiver.type, name);
  if (typeof type === "string") return type;
  return {
    type: bool,
    run(frame) {
      const value = receiver.run(frame);
      if (value instanceof Optional) return find(value, name).value !== undefined;
      return lookUp(value, name) !== undefined;
    },
  };
}

function indexType(type: CelType, key: CelType): CelType | undefined {
  if (isDyn(type)) return dyn;
  if (type.name === "list" && fits(int, key)) return type.of[0] as CelType;
  if (type.name === "map" && fits(type.of[0] as CelType, key)) return type.of[1] as CelType;
  if (type.name !== "optional") return undefined;
  const inner = indexType(type.of[0] as CelType, key);
  return inner && optionalOf(inner);
}

export function index(receiver: Expression, key: Expression): Expression | string {
  const type = indexType(receiver.type, key.type);
  if (!type) return noMatch("_[_]", false, [receiver, key]);
  return {
    type,
    run(frame) {
      frame.spend(1);
      const value = receiver.run(frame);
      const at = key.run(frame);
      if (value instanceof Optional) return find(value, at);
      const found = lookUp(value, at);
      if (found !== undefined) return found;
      throw new CelError(isList(value) ? `index out of bounds: ${shown(at)}` : `no such key: ${shown(at)}`);
    },
  };
}

export function indexOptional(receiver: Expression, key: Expression): Expression | string {
  const type = indexType(receiver.type, key.type);
  if (!type) return noMatch("_[?_]", false, [receiver, key]);
  return {
    type: type.name === "optional" ? type : optionalOf(type),
    run(frame) {
      frame.spend(1);
      return find(receiver.run(frame), key.run(frame));
    },
  };
}

function find(value: Value, key: Value): Optional {
  const inner = value instanceof Optional ? value.value : value;
  if (inner === undefined) return none;
  const found = lookUp(inner, key);
  return found === undefined ? none : new Optional(found);
}

/** Undefined where it is not there. */
function lookUp(value: Value, key: Value): Value | undefined {
  if (value instanceof Struct) return typeof key === "string" ? value.get(key) : undefined;
  if (value instanceof Map) return value.get(keyOf(key));
  // There is nothing in a text, a number or null.
  if (!isList(value)) return undefined;
  const at = typeof key === "number" ? key : Number(keyOf(key));
  if (!Number.isInteger(at)) throw new CelError(`unsupported index value ${shown(key)} in list`);
  return at < 0 ? undefined : value[at];
}

/** A key of a map: 1, 1u and 1.0 are one key. */
export function keyOf(value: Value): MapKey {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  if (Number.isInteger(value)) return BigInt(value as number);
  throw noSuchOverload();
}

const shown = (value: Value): string => (value instanceof Uint ? String(value.value) : String(value));
