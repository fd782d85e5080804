/**
 * What CEL computes with. Where JavaScript has a value that behaves alike it is that: null, boolean, bigint (int),
 * number (double), string, Uint8Array (bytes), array (list), Map (map).
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<MapKey, Value>
  | Struct
  | Uint
  | Duration
  | Timestamp
  | Optional
  | TypeValue
  | Unknown
  | Opaque;

export type MapKey = string | bigint | boolean;

/** What goes wrong while an expression runs: `no such key: x`. `&&`, `||`, `all` and `exists` may get past it. */
export class CelError extends Error {}

/** The expression was too much work. Nothing gets past it. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

export const noSuchOverload = (): CelError => new CelError("no such overload");

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Timestamp {
  /** Since 1970. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new Optional(undefined);

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Data that no schema describes: it can be compared, and nothing else. */
export class Unknown {
  readonly json: unknown;
  constructor(json: unknown) {
    this.json = json;
  }
}

/** A type of Kubernetes' libraries, such as an IP address. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
}

/** One field of an object: its name in JSON, and how its value is read. */
export interface StructField {
  readonly jsonName: string;
  read(json: unknown): Value;
}

/** An object with a schema. Its fields are read when they are asked for: a rule looks at few of them. */
export class Struct {
  readonly json: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, StructField>;
  readonly #read = new Map<string, Value>();

  constructor(json: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, StructField>) {
    this.json = json;
    this.fields = fields;
  }

  /** By the name that rules use. */
  get(name: string): Value | undefined {
    const read = this.#read.get(name);
    if (read !== undefined) return read;
    const field = this.fields.get(name);
    // A null is as good as nothing.
    const json = field && Object.hasOwn(this.json, field.jsonName) ? this.json[field.jsonName] : undefined;
    if (!field || json === null || json === undefined) return undefined;
    const value = field.read(json);
    this.#read.set(name, value);
    return value;
  }
}

/** A list whose order says nothing: x-kubernetes-list-type set. */
export class SetList extends Array<Value> {}

/** A list of objects that are told apart by some of their fields: x-kubernetes-list-type map. */
export class MapList extends Array<Value> {
  /** By the names that rules use. */
  keyNames: readonly string[] = [];

  keyOf(item: Value): string {
    if (!(item instanceof Struct)) throw noSuchOverload();
    return JSON.stringify(this.keyNames.map((key) => item.json[item.fields.get(key)?.jsonName ?? key] ?? null));
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export function typeNameOf(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (isList(value)) return "list";
  if (value instanceof Map || value instanceof Struct) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Uint) return "uint";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  return value instanceof Opaque ? value.typeName : "unknown";
}
