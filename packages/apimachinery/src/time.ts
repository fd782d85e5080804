/**
 * Times as objects carry them: RFC 3339, in whole seconds (`creationTimestamp`) or in microseconds (Lease, Event).
 *
 * `Date.parse` also takes `2026`, `1 Jan` and 30 February; here a time is RFC 3339 and nothing else.
 */
import { ParseError } from "./parse-error.ts";

interface Instant {
  /** Since 1970, whole. */
  seconds: number;
  /** 0 to 999999999. */
  nanos: number;
}

const shape =
  /^(\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Milliseconds since 1970; what is finer is cut off. `parseTime("2026-01-01T01:00:00+01:00")` */
export function parseTime(text: string): number {
  const { seconds, nanos } = readTime(text);
  return seconds * 1000 + Math.floor(nanos / 1e6);
}

/** Below zero where `a` is the earlier, whatever their offsets, to the nanosecond. */
export function compareTimes(a: string, b: string): -1 | 0 | 1 {
  const [first, second] = [readTime(a), readTime(b)];
  const apart = first.seconds - second.seconds || first.nanos - second.nanos;
  return apart < 0 ? -1 : apart > 0 ? 1 : 0;
}

function readTime(text: string): Instant {
  const [, local = "", fraction = "", sign, hours, minutes] = shape.exec(text) ?? [];
  if (local === "") throw new ParseError("time", text, "it must be RFC 3339, such as 2026-01-31T18:00:00Z");
  const localMs = Date.parse(`${local}Z`);
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local))
    throw new ParseError("time", text, "there is no such day");
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60;
  const seconds = localMs / 1000 - (sign === "-" ? -offset : offset);
  if (!isWritable(seconds * 1000)) throw new ParseError("time", text, "in UTC it is outside the years 0000-9999");
  return { seconds, nanos: Number(fraction.slice(0, 9).padEnd(9, "0")) };
}

/** In whole seconds, as metav1.Time: `formatTime(0)` is `"1970-01-01T00:00:00Z"`. */
export function formatTime(ms: number): string {
  return isoString(ms).replace(/\.\d+Z$/, "Z");
}

/** In microseconds, as metav1.MicroTime: `formatMicroTime(1)` is `"1970-01-01T00:00:00.001000Z"`. */
export function formatMicroTime(ms: number): string {
  return isoString(ms).replace("Z", "000Z");
}

function isoString(ms: number): string {
  if (!isWritable(ms)) throw new RangeError(`${ms} ms since 1970 is not a time in the years 0000-9999`);
  return new Date(Math.floor(ms)).toISOString();
}

const firstMs = Date.parse("0000-01-01T00:00:00Z");
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");

function isWritable(ms: number): boolean {
  return ms >= firstMs && ms < lastMs + 1;
}
