/** Numbers as Go has them: 64 bits, and an error rather than a wrong result. */
import { CelError } from "../values.ts";

export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError("integer overflow");
  return value;
}

export function uint64(value: bigint): bigint {
  if (BigInt.asUintN(64, value) !== value) throw new CelError("unsigned integer overflow");
  return value;
}

/** As Go prints it: `1.5`, `1e+06`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value === 0 || (exponent >= -4 && exponent < 6)) return Object.is(value, -0) ? "-0" : plain(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** JavaScript writes small numbers with an exponent earlier than Go does. */
function plain(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(20).replace(/0+$/, "");
}
