/**
 * The static types of CEL: what an expression is known to give before it is run.
 *
 *     typeOf("map<string, list<int>>") // { name: "map", of: [string, { name: "list", of: [int] }] }
 */
export interface CelType {
  /** `int`, `list`, `kubernetes.Quantity`; a single capital, as in `list<A>`, stands for any type. */
  readonly name: string;
  readonly of: readonly CelType[];
  /** Of an object of the schema, by the names that rules use. Two objects are of one type only where this is one. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

const simple = new Map<string, CelType>();

/** Reads `list<A>`, `map<string, int>`, `optional<T>`. */
export function typeOf(text: string): CelType {
  const known = simple.get(text);
  if (known) return known;
  const [, name = text, inner] = /^([\w.]+)<(.*)>$/.exec(text) ?? [];
  const type = { name, of: inner === undefined ? [] : splitAtCommas(inner).map(typeOf) };
  simple.set(text, type);
  return type;
}

/** At those that stand in no brackets. */
export function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at];
    if (letter === "<") depth++;
    if (letter === ">") depth--;
    if (at === text.length || (letter === "," && depth === 0)) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== "");
}

export const dyn = typeOf("dyn");
export const bool = typeOf("bool");
export const int = typeOf("int");
export const string = typeOf("string");
/** Of what was refused: it fits everywhere, so that one mistake is told once. */
export const broken = typeOf("!error!");

export const listOf = (item: CelType): CelType => ({ name: "list", of: [item] });
export const mapOf = (key: CelType, value: CelType): CelType => ({ name: "map", of: [key, value] });
export const optionalOf = (value: CelType): CelType => ({ name: "optional", of: [value] });

export const isDyn = (type: CelType): boolean => type === dyn || type === broken;
const isVariable = (type: CelType): boolean => /^[A-Z]$/.test(type.name);

/** As the API server prints it: `map(string, list(int))`. */
export function formatType(type: CelType): string {
  const name = type.name === "optional" ? "optional_type" : type.name;
  return type.of.length === 0 ? name : `${name}(${type.of.map(formatType).join(", ")})`;
}

export type Bindings = Map<string, CelType>;

/** Whether a value of type `given` may stand where `wanted` is asked for. Notes what stands for the variables. */
export function fits(wanted: CelType, given: CelType, bindings: Bindings = new Map()): boolean {
  if (isVariable(wanted)) return bind(wanted.name, given, bindings);
  if (isDyn(wanted) || isDyn(given)) return true;
  if (given.name === "null") return wanted.name === "null" || takesNull(wanted);
  if (wanted.name === "null") return takesNull(given);
  if (wanted.name !== given.name || wanted.of.length !== given.of.length) return false;
  if (wanted.fields || given.fields) return wanted === given;
  return wanted.of.every((part, index) => fits(part, given.of[index] as CelType, bindings));
}

function bind(variable: string, given: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(variable);
  if (bound === undefined || (isDyn(given) && !isDyn(bound))) bindings.set(variable, given);
  else if (fits(bound, given)) return true;
  else if (fits(given, bound)) bindings.set(variable, given);
  else return false;
  return true;
}

const neverNull = new Set(["int", "uint", "double", "string", "bool", "bytes", "list", "map", "type"]);
const takesNull = (type: CelType): boolean => !neverNull.has(type.name);

/** With what stands for its variables. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  if (isVariable(type)) return bindings.get(type.name) ?? dyn;
  if (type.of.length === 0) return type;
  return { ...type, of: type.of.map((part) => substitute(part, bindings)) };
}
