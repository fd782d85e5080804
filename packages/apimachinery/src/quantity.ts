import { ParseError } from "./parse-error.ts";

/** How a quantity was written, and so how it is printed: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/**
 * An amount of a resource, such as `500m` of a CPU or `1.5Gi` of memory: Kubernetes' resource.Quantity.
 *
 * Kubernetes keeps nothing finer than a billionth, so the amount is a whole number of billionths: sums and comparisons
 * are exact. A quantity never changes; `add` and `sub` make new ones.
 *
 *     parseQuantity("1.5Gi").add(parseQuantity("512Mi")).toString() // "2Gi"
 */
export class Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  readonly #text: string | undefined;

  /** `text` is printed in place of the canonical form. */
  constructor(nanos: bigint, format: QuantityFormat, text?: string) {
    this.nanos = nanos;
    this.format = format;
    this.#text = text;
  }

  /** The sum is written as this quantity is, or as the other one where this is zero. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  /** Below zero where this is the smaller one, as `sort` wants it. */
  compare(other: Quantity): -1 | 0 | 1 {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  /** In whole units (bytes, CPUs), rounded away from zero: whoever asked for a little gets something. */
  value(): bigint {
    return divideAwayFromZero(this.nanos, nanosPerUnit);
  }

  milliValue(): bigint {
    return divideAwayFromZero(this.nanos, nanosPerUnit / 1000n);
  }

  toString(): string {
    return this.#text ?? canonical(this.nanos, this.format);
  }

  toJSON(): string {
    return this.toString();
  }
}

const nanosPerUnit = 10n ** 9n;
const largestBinary = (2n ** 63n - 1n) * nanosPerUnit;

/** Each a thousand, or 1024, of the one before. */
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

// Kubernetes has no such limit; but the exact value of `1e999999999` has a billion digits, and one request could ask for it.
const longestText = 1000;
const largestExponent = 1000;

interface Written {
  negative: boolean;
  /** Without leading zeros. */
  integer: string;
  fraction: string;
  format: QuantityFormat;
  /** Of ten, or of two for BinarySI. */
  exponent: number;
}

/** A number is taken too, since YAML has `cpu: 2`. */
export function parseQuantity(value: string | number): Quantity {
  const text = String(value);
  const written = read(text);
  const nanos = amount(written);
  // Kubernetes does the same: less than one byte can only be printed with a decimal suffix.
  const fractionOnly = written.format === "BinarySI" && nanos !== 0n && nanos > -nanosPerUnit && nanos < nanosPerUnit;
  return new Quantity(nanos, fractionOnly ? "DecimalSI" : written.format, keepsText(written) ? text : undefined);
}

function read(text: string): Written {
  const shape = /^([+-]?)0*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([A-Za-z]*))$/;
  const match = text.length <= longestText ? shape.exec(text) : null;
  if (!match || !/^[+-]?\.?\d/.test(text))
    throw new ParseError("quantity", text, "it must be a number and a suffix, such as 500m, 1.5, 2Gi or 1e3");
  const [, sign, integer = "", fraction = "", power, suffix = ""] = match;
  const number = { negative: sign === "-", integer, fraction };
  if (power !== undefined) {
    const exponent = Number(power);
    if (Math.abs(exponent) > largestExponent)
      throw new ParseError("quantity", text, `its exponent must be within ±${largestExponent}`);
    return { ...number, format: "DecimalExponent", exponent };
  }
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { ...number, format: "DecimalSI", exponent: 3 * decimal - 9 };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { ...number, format: "BinarySI", exponent: 10 * binary };
  const known = [...decimalSuffixes, ...binarySuffixes].filter((known) => known !== "");
  throw new ParseError("quantity", text, `"${suffix}" is not a suffix (${known.join(" ")})`);
}

/** In billionths, rounded away from zero; a binary one is held below 2^63. */
function amount({ negative, integer, fraction, format, exponent }: Written): bigint {
  const binary = format === "BinarySI";
  const shift = 9 - fraction.length + (binary ? 0 : exponent);
  const digits = BigInt(integer + fraction) * (binary ? 2n ** BigInt(exponent) : 1n);
  const exact = shift >= 0 ? digits * 10n ** BigInt(shift) : divideAwayFromZero(digits, 10n ** BigInt(-shift));
  const held = binary && exact > largestBinary ? largestBinary : exact;
  return negative ? -held : held;
}

/**
 * Kubernetes prints a short quantity as it was given where it takes the text for the canonical one. It looks at the
 * digits alone, so that `+1`, `1.500` and `1E3` stay as they are, while `1.5` becomes `1500m`.
 */
function keepsText({ integer, fraction, format, exponent }: Written): boolean {
  if (format === "BinarySI") {
    const roomForDigits = 14 - (exponent * 3) / 10;
    return fraction === "" && integer.length <= roomForDigits && BigInt(integer) % 8n !== 0n;
  }
  const digits = integer + fraction;
  const scale = exponent - fraction.length;
  return integer !== "" && digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith("000");
}

/** The largest suffix that leaves no fraction. */
function canonical(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return "0";
  const units = nanos / nanosPerUnit;
  if (format === "BinarySI" && nanos % nanosPerUnit === 0n && (units >= 1024n || units <= -1024n)) {
    const [number, times] = divideOut(units, 1024n, binarySuffixes.length - 1);
    return `${number}${binarySuffixes[times]}`;
  }
  if (format === "DecimalExponent") {
    const [number, times] = divideOut(nanos, 1000n, Number.POSITIVE_INFINITY);
    return times === 3 ? `${number}` : `${number}e${3 * times - 9}`;
  }
  const [number, times] = divideOut(nanos, 1000n, decimalSuffixes.length - 1);
  return `${number}${decimalSuffixes[times]}`;
}

function divideOut(number: bigint, base: bigint, most: number): [number: bigint, times: number] {
  let left = number;
  let times = 0;
  for (; times < most && left % base === 0n; times++) left /= base;
  return [left, times];
}

function divideAwayFromZero(number: bigint, by: bigint): bigint {
  const quotient = number / by;
  if (number % by === 0n) return quotient;
  return number < 0n ? quotient - 1n : quotient + 1n;
}
