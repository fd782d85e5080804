/** What a schema says of numbers. */
import { goFloat, goNumber } from "../../errors/go-text.ts";
import type { Schema } from "../schema.ts";
import { invalidAt, Outcome, type Problem, unplaced, wrong } from "./outcome.ts";
import { isInt64, isNearlyWhole, typesOf } from "./types.ts";

export function checkNumber(value: number, schema: Schema, path: string): Outcome {
  const outcome = new Outcome();
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  outcome.add(rangeProblem("Checked", value, schema, path));
  if (multipleOf !== undefined) {
    const problem = rangeProblem("MultipleOf", multipleOf, schema, path);
    outcome.add(problem);
    outcome.add(multipleProblem(value, asCompared(value, multipleOf, problem), path));
  }
  if (minimum !== undefined) {
    const problem = rangeProblem("Minimum boundary", minimum, schema, path);
    const bound = asCompared(value, minimum, problem);
    outcome.add(problem);
    const rule = exclusiveMinimum ? "greater than" : "greater than or equal to";
    if (exclusiveMinimum ? value <= bound.value : value < bound.value)
      outcome.add(bound.wrong(path, `should be ${rule}`));
  }
  if (maximum !== undefined) {
    const problem = rangeProblem("Maximum boundary", maximum, schema, path);
    const bound = asCompared(value, maximum, problem);
    outcome.add(problem);
    const rule = exclusiveMaximum ? "less than" : "less than or equal to";
    if (exclusiveMaximum ? value >= bound.value : value > bound.value)
      outcome.add(bound.wrong(path, `should be ${rule}`));
  }
  outcome.matches++;
  return outcome;
}

/** A bound as a value is compared with it. */
interface Bound {
  value: number;
  isWhole: boolean;
  wrong(path: string, rule: string): Problem;
}

/** Whole numbers are compared with whole bounds: what is behind the point is cut off, and what is too large wraps. */
function asCompared(value: number, bound: number, problem: Problem | undefined): Bound {
  if (isInt64(value) && problem === undefined) {
    const whole = Math.abs(bound) < 2 ** 63 ? Math.trunc(bound) : -(2 ** 63);
    return { value: whole, isWhole: true, wrong: (path, rule) => wrong(path, value, `${rule} ${goNumber(whole)}`) };
  }
  return {
    value: bound,
    isWhole: false,
    wrong: (path, rule) => {
      const { text, error } = wrong(path, value, `${rule} ${goFloat(bound)}`);
      return { text, error: { ...error, message: `Invalid value: ${goFloat(value)}: ${text}` } };
    },
  };
}

/** Whether a number has a place in its type. Of the bounds too: a whole number cannot be at most 2.5. */
function rangeProblem(what: string, value: number, schema: Schema, path: string): Problem | undefined {
  const types = typesOf(schema);
  if (types.length !== 1) return undefined;
  if (types[0] === "integer") {
    const format = schema.format === "int32" || schema.format === "int64" ? schema.format : undefined;
    const fits = isInt64(value) && (format !== "int32" || value === (value | 0));
    const shown = format ? `with format ${format}` : "(default format)";
    return fits ? undefined : unplaced(`${what} value must be of type integer ${shown} in ${path}`);
  }
  const fits = schema.format !== "float" || Math.abs(value) <= 3.4028234663852886e38;
  return fits ? undefined : unplaced(`${what} value must be of type number with format float in ${path}`);
}

function multipleProblem(value: number, factor: Bound, path: string): Problem | undefined {
  if (factor.value <= 0) {
    const shown = factor.isWhole ? goNumber(factor.value) : goFloat(factor.value);
    return invalidAt(path, factor.value, `factor MultipleOf declared for ${path} must be positive: ${shown}`);
  }
  const isMultiple = factor.isWhole
    ? value % factor.value === 0
    : isNearlyWhole(factor.value < 1 ? (1 / factor.value) * value : value / factor.value);
  return isMultiple ? undefined : factor.wrong(path, "should be a multiple of");
}
