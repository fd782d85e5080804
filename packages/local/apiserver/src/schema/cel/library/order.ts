/** Which of two values comes first. */
import { numberOf } from "../equality.ts";
import { CelError, Duration, noSuchOverload, Timestamp, type Value } from "../values.ts";

/** Below zero where `a` is the smaller one. */
export function compare(a: Value, b: Value): number {
  const [numberA, numberB] = [numberOf(a), numberOf(b)];
  if (numberA !== undefined && numberB !== undefined) {
    if (Number.isNaN(numberA) || Number.isNaN(numberB)) throw new CelError("NaN values cannot be ordered");
    return sign(numberA, numberB);
  }
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos, b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos, b.nanos);
  throw noSuchOverload();
}

function sign<T extends bigint | number>(a: T | bigint | number, b: T | bigint | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code points, not by UTF-16 units. */
function compareTexts(a: string, b: string): number {
  if (!/[\ud800-\uffff]/.test(a + b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
