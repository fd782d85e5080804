/** From one type to another: `int("3")`, `string(1.5)`, `type(x)`. */
import { global, type Overload } from "../functions.ts";
import { CelError, type Duration, type Timestamp, TypeValue, typeNameOf, Uint, type Value } from "../values.ts";
import { formatDouble, int64, uint64 } from "./numbers.ts";
import { formatTimestamp } from "./timestamps.ts";

export const conversions: Overload[] = [
  global("dyn(A): dyn", (value: Value) => value),
  global("type(A): type", (value: Value) => new TypeValue(typeNameOf(value))),
  ...["int", "uint", "double", "string", "bool", "bytes"].map((type) =>
    global(`${type}(${type}): ${type}`, (value: Value) => value),
  ),
  global("int(uint): int", (value: Uint) => int64(value.value)),
  global("int(double): int", (value: number) => int64(wholeOf(value, "integer overflow"))),
  global("int(string): int", (text: string) => int64(integerOf(text, "int"))),
  global("int(timestamp): int", (value: Timestamp) => value.nanos / 1_000_000_000n),
  global("uint(int): uint", (value: bigint) => new Uint(uint64(value))),
  global("uint(double): uint", (value: number) => new Uint(uint64(wholeOf(value, "unsigned integer overflow")))),
  global("uint(string): uint", (text: string) => new Uint(uint64(integerOf(text, "uint")))),
  global("double(int): double", (value: bigint) => Number(value)),
  global("double(uint): double", (value: Uint) => Number(value.value)),
  global("double(string): double", doubleOf),
  global("string(int): string", (value: bigint) => String(value)),
  global("string(uint): string", (value: Uint) => String(value.value)),
  global("string(double): string", formatDouble),
  global("string(bool): string", (value: boolean) => String(value)),
  global("string(bytes): string", (value: Uint8Array) => utf8(value)),
  global("string(duration): string", (value: Duration) => `${Number(value.nanos) / 1e9}s`),
  global("string(timestamp): string", (value: Timestamp) => formatTimestamp(value.nanos)),
  global("bool(string): bool", boolOf),
  global("bytes(string): bytes", (text: string) => Buffer.from(text)),
];

function wholeOf(value: number, overflow: string): bigint {
  if (!Number.isFinite(value)) throw new CelError(overflow);
  return BigInt(Math.trunc(value));
}

function integerOf(text: string, type: string): bigint {
  if (!/^[+-]?\d+$/.test(text) || text.length > 100) throw noConversion("string", type);
  return BigInt(text.replace(/^\+/, ""));
}

function doubleOf(text: string): number {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) return special[2]?.toLowerCase() === "nan" ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) throw noConversion("string", "double");
  return Number(text);
}

function boolOf(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw noConversion("string", "bool");
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function noConversion(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}
