import { ParseError, quoted } from "./parse-error.ts";

/**
 * A span of time in nanoseconds, as Go's time.Duration: what metav1.Duration and our timeouts are written as.
 *
 * A bigint, since a number cannot hold both years and nanoseconds, so that a text would not always come back as it
 * was; and since TypeScript then refuses it where milliseconds are wanted. `durationToMs` makes those.
 */
export type Duration = bigint;

const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;

const units = new Map<string, bigint>([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n], // U+00B5, the micro sign
  ["μs", 1_000n], // U+03BC, the Greek letter
  ["ms", 1_000_000n],
  ["s", second],
  ["m", minute],
  ["h", hour],
]);

// Go holds a duration in 64 bits; some 292 years.
const limit = 2n ** 63n;

/** `parseDuration("1h30m")`, `"1.5h"`, `"300ms"`, `"-1m"`, `"0"`: what Go's time.ParseDuration reads, to the same result. */
export function parseDuration(text: string): Duration {
  const fail = (problem: string) => new ParseError("duration", text, problem);
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  if (unsigned === "") throw fail("it must be numbers with units, such as 90s or 1h30m");

  const piece = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let total = 0n;
  while (piece.lastIndex < unsigned.length) {
    const [, integer = "", fraction = "", name = ""] = piece.exec(unsigned) ?? [];
    if (integer === "" && fraction === "") throw fail("it must be numbers with units, such as 90s or 1h30m");
    if (name === "") throw fail(`a unit is missing (${unitNames})`);
    const unit = units.get(name);
    if (unit === undefined) throw fail(`unknown unit ${quoted(name)} (${unitNames})`);
    total += BigInt(integer) * unit + fractionOf(unit, fraction);
    if (total > limit) throw fail("it is longer than 292 years");
  }
  if (text.startsWith("-")) return -total;
  if (total === limit) throw fail("it is longer than 292 years");
  return total;
}

const unitNames = "ns us ms s m h";

// In floating point as Go does it, so that both come to the same nanosecond.
function fractionOf(unit: bigint, digits: string): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const longer = value * 10n + BigInt(digit);
    if (longer > limit) break;
    value = longer;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** `formatDuration(5_400_000_000_000n)` is `"1h30m0s"`, as Go prints it. */
export function formatDuration(duration: Duration): string {
  const sign = duration < 0n ? "-" : "";
  const length = duration < 0n ? -duration : duration;
  if (length === 0n) return "0s";
  if (length < 1_000n) return `${sign}${length}ns`;
  if (length < 1_000_000n) return `${sign}${decimal(length, 3)}µs`;
  if (length < second) return `${sign}${decimal(length, 6)}ms`;
  const hours = length >= hour ? `${length / hour}h` : "";
  const minutes = length >= minute ? `${(length % hour) / minute}m` : "";
  return `${sign}${hours}${minutes}${decimal(length % minute, 9)}s`;
}

/** `decimal(1500n, 3)` is `"1.5"`. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}

/** For timers and wall times, which count in milliseconds. */
export function durationToMs(duration: Duration): number {
  return Number(duration / 1_000_000n) + Number(duration % 1_000_000n) / 1e6;
}

/** To the nearest nanosecond. */
export function durationFromMs(ms: number): Duration {
  if (!Number.isFinite(ms)) throw new RangeError(`${ms} ms is not a duration`);
  const whole = Math.trunc(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}
