/**
 * What the check of a value found. Kubernetes' validator tells each text once, and counts how much of a schema a value
 * matched, to choose which alternative of an anyOf to complain about.
 */
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../errors/field-error.ts";
import { goQuote } from "../../errors/go-text.ts";
import { sorted } from "../json.ts";

export interface Problem {
  /** `spec.size in body must be of type integer: "string"`. */
  text: string;
  error: FieldError;
}

/** Enough for anybody; a body of a few MiB could have a million. */
const mostProblems = 1000;

export class Outcome {
  /** By text. */
  readonly #problems = new Map<string, Problem>();
  matches = 0;

  get problems(): Problem[] {
    return [...this.#problems.values()];
  }

  get isValid(): boolean {
    return this.#problems.size === 0;
  }

  add(problem: Problem | undefined): void {
    if (problem === undefined || this.#problems.size >= mostProblems || this.#problems.has(problem.text)) return;
    this.#problems.set(problem.text, problem);
  }

  merge(other: Outcome): void {
    for (const problem of other.#problems.values()) this.add(problem);
    this.matches += other.matches;
  }
}

/** A value of the wrong type: `value` is the name of the type that it has. Also a text of the wrong format. */
export function wrongType(path: string, wanted: string, value: string): Problem {
  const text = `${path} in body must be of type ${wanted}: ${goQuote(value)}`;
  return { text, error: typeInvalid(fieldOf(path), value, text) };
}

/** `rule` follows the path: `should be at most 3`. */
export function wrong(path: string, value: unknown, rule: string): Problem {
  return invalidAt(path, value, `${path} in body ${rule}`);
}

export function invalidAt(path: string, value: unknown, text: string): Problem {
  return { text, error: invalid(fieldOf(path), sorted(value), text) };
}

/** What is not told of any field. */
export function unplaced(text: string): Problem {
  return { text, error: invalid("<nil>", "", text) };
}

export function missing(path: string): Problem {
  return { text: `${path} in body is required`, error: required(fieldOf(path)) };
}

export function notOneOf(path: string, value: unknown, values: readonly unknown[]): Problem {
  const shown = values.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(sorted(allowed))));
  return {
    text: `${path} in body should be one of [${shown.join(" ")}]`,
    error: notSupported(fieldOf(path), sorted(value), shown),
  };
}

export function longerThan(path: string, most: number): Problem {
  return { text: `${path} in body should be at most ${most} chars long`, error: tooLong(fieldOf(path), most) };
}

export function moreThan(path: string, actual: number, most: number, what: "items" | "properties"): Problem {
  return { text: `${path} in body should have at most ${most} ${what}`, error: tooMany(fieldOf(path), actual, most) };
}

function fieldOf(path: string): string {
  return path.replace(/^\./, "") || "<nil>";
}
