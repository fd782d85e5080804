/** Types of values, and when two values count as the same. */
import { jsonEqual } from "@berg/apimachinery";
import type { Schema } from "../schema.ts";
import { formatOf } from "./formats/index.ts";
import { Outcome, type Problem, wrongType } from "./outcome.ts";

export function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

export function checkType(value: unknown, schema: Schema, path: string): Outcome {
  const outcome = new Outcome();
  const problem = typeProblem(value, schema, path);
  if (problem) outcome.add(problem);
  else outcome.matches++;
  return outcome;
}

function typeProblem(value: unknown, schema: Schema, path: string): Problem | undefined {
  const types = typesOf(schema);
  if (value === null) {
    const isRefused = types.length > 0 && !schema.nullable;
    return isRefused ? wrongType(path, types.join(","), "null") : undefined;
  }
  const type = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits =
    types.includes(type) ||
    (type === "number" && types.includes("integer") && isNearlyWhole(value as number)) ||
    (type === "integer" && types.includes("number"));
  const format = formatOf(schema);
  if (format) {
    // As there: a list passes for a text that has a format.
    const isTextOrList = type === "string" || type === "array";
    if (!isTextOrList && !fits) return wrongType(path, format, numberFormat(type));
    if (isTextOrList && !isNumeric) return undefined;
  }
  return fits ? undefined : wrongType(path, types.join(","), type);
}

export function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInt64(value) ? "integer" : "number";
  return typeof value;
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** The same to within a billionth, and small enough that every whole number has a place. */
export function isNearlyWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  if (whole === 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}

export function isOneOf(value: unknown, values: readonly unknown[]): boolean {
  return values.some((allowed) => allowed !== null && jsonEqual(value, allowed));
}

function numberFormat(type: string): string {
  if (type === "integer") return "int64";
  return type === "number" ? "float64" : "";
}
