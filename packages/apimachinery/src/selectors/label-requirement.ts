import { labelValueProblem, qualifiedNameProblem } from "../names.ts";
import { quoted } from "../parse-error.ts";

export type Labels = Readonly<Record<string, string>>;

/** As they stand in the text form; `exists` and `!` take no value, `in` and `notin` several, the others one. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | ">" | "<";

/** One condition on one label. Values are sorted and stand once. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The requirement, or the rule that it breaks. */
export function makeRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement | { problem: string } {
  const problem = qualifiedNameProblem(key) ?? countProblem(key, operator, values) ?? firstProblem(values, operator);
  if (problem !== undefined) return { problem };
  return Object.freeze({ key, operator, values: Object.freeze([...new Set(values)].sort()) });
}

function countProblem(key: string, operator: LabelOperator, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? undefined : `${key} ${operator} needs at least one value`;
    case "exists":
    case "!":
      return values.length === 0 ? undefined : `that ${key} exists or not takes no value`;
    default:
      return values.length === 1 ? undefined : `${key} ${operator} needs exactly one value`;
  }
}

function firstProblem(values: readonly string[], operator: LabelOperator): string | undefined {
  for (const value of values) {
    if ((operator === ">" || operator === "<") && parseInt64(value) === undefined)
      return `${quoted(value)} is not an integer, and ${operator} compares integers`;
    const problem = labelValueProblem(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * The requirement as a function. A label counts as present only if its value is a string, so that `constructor`,
 * a valid key which every JavaScript object inherits, is not taken for a label.
 */
export function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const only = values[0];
  switch (operator) {
    case "=":
    case "==":
      return (labels) => labels[key] === only;
    case "!=":
      return (labels) => labels[key] !== only;
    case "in": {
      if (values.length === 1) return (labels) => labels[key] === only;
      const wanted = new Set<unknown>(values);
      return (labels) => wanted.has(labels[key]);
    }
    case "notin": {
      if (values.length === 1) return (labels) => labels[key] !== only;
      const refused = new Set<unknown>(values);
      return (labels) => !refused.has(labels[key]);
    }
    case "exists":
      return (labels) => typeof labels[key] === "string";
    case "!":
      return (labels) => typeof labels[key] !== "string";
    case ">":
    case "<":
      return compileComparison(key, operator, parseInt64(only));
  }
}

function compileComparison(key: string, operator: ">" | "<", bound: bigint | undefined): (labels: Labels) => boolean {
  return (labels) => {
    const value = parseInt64(labels[key]);
    if (value === undefined || bound === undefined) return false;
    return operator === ">" ? value > bound : value < bound;
  };
}

// Kubernetes compares 64-bit integers; anything else, even a longer one, matches neither way.
function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^[+-]?\d{1,63}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** `a=b`, `a in (b,c)`, `!a`: as Kubernetes prints it. */
export function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    default:
      return `${key}${operator}${values.join()}`;
  }
}
