/** `"%s has %d".format(["x", 3])`. Numbers with a fraction are written the English way: `1,234.50`. */
import { CelError, Duration, isList, Struct, Timestamp, TypeValue, typeNameOf, Uint, type Value } from "../values.ts";
import { formatDouble } from "./numbers.ts";
import { formatTimestamp } from "./timestamps.ts";

const usualPrecision = 6;
const highestPrecision = 100;

export function formatText(text: string, args: readonly Value[]): string {
  let next = 0;
  return text.replace(/%(?:(%)|(?:\.(\d+))?(.)|$)/gsu, (_, percent, precision, clause: string | undefined) => {
    if (percent) return "%";
    if (clause === undefined) throw new CelError("unexpected end of string");
    const format = formats.get(clause);
    if (!format) throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause}"`);
    const arg = args[next];
    if (arg === undefined) throw new CelError(`index ${next} out of range`);
    next++;
    return format(arg, Math.min(precision === undefined ? usualPrecision : Number(precision), highestPrecision));
  });
}

const formats = new Map<string, (value: Value, precision: number) => string>([
  ["s", show],
  ["d", (value) => String(integer(value, "decimal", "integers"))],
  ["f", (value, precision) => grouped(double(value, "fixed-point"), precision)],
  [
    "b",
    (value) =>
      typeof value === "boolean" ? String(Number(value)) : integer(value, "binary", "integers and bools").toString(2),
  ],
  ["o", (value) => integer(value, "octal", "integers").toString(8)],
  ["x", hex],
  ["X", (value) => hex(value).toUpperCase()],
]);

function hex(value: Value): string {
  if (typeof value === "string" || value instanceof Uint8Array) return Buffer.from(value as string).toString("hex");
  return integer(value, "hex", "integers, byte buffers, and strings").toString(16);
}

function integer(value: Value, clause: string, wanted: string): bigint {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  throw wrongClause(clause, wanted, value);
}

function double(value: Value, clause: string): number {
  if (typeof value === "number") return value;
  throw wrongClause(clause, "doubles", value);
}

function grouped(value: number, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const [whole = "", fraction] = value.toFixed(precision).split(".");
  const withCommas = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? withCommas : `${withCommas}.${fraction}`;
}

/** What `%s` makes of any value. */
function show(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Duration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof Timestamp) return formatTimestamp(value.nanos);
  return literal(value);
}

/** Inside lists and maps: as it would stand in an expression. */
function literal(value: Value): string {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? value.toFixed(usualPrecision) : `"${formatDouble(value)}"`;
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return `b${JSON.stringify(show(value))}`;
  if (value instanceof Duration) return `duration(${JSON.stringify(show(value))})`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(show(value))})`;
  if (isList(value)) return `[${value.map(literal).join(", ")}]`;
  const entries = entriesOf(value).map(([key, each]) => [literal(key), literal(each)] as const);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${key}:${each}`)
    .join(", ")}}`;
}

function entriesOf(value: Value): [Value, Value][] {
  if (value instanceof Map) return [...value];
  if (!(value instanceof Struct)) {
    const kinds = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
    throw wrongClause("string", kinds, value);
  }
  return [...value.fields.keys()].flatMap((name) => {
    const field = value.get(name);
    return field === undefined ? [] : [[name, field] as [Value, Value]];
  });
}

function wrongClause(clause: string, wanted: string, value: Value): CelError {
  return new CelError(
    `error during formatting: ${clause} clause can only be used on ${wanted}, was given ${typeNameOf(value)}`,
  );
}
