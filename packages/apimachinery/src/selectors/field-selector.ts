import { ParseError, quoted } from "../parse-error.ts";

/** One condition on one field. `==` is read as `=`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A field selector ready for use. All its requirements must hold; a field that is missing has the value `""`. */
export class FieldMatcher {
  readonly requirements: readonly FieldRequirement[];
  readonly #paths: readonly (readonly string[])[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = Object.freeze(requirements.toSorted(byText));
    this.#paths = this.requirements.map(({ field }) => field.split("."));
  }

  /** For a server, which decides field by field what a name stands for. */
  matches(get: (field: string) => string | undefined): boolean {
    return this.requirements.every((requirement) => holds(requirement, get(requirement.field) ?? ""));
  }

  /** Takes the names for dotted paths: `status.phase` is `object.status.phase`. */
  matchesObject(object: object): boolean {
    return this.requirements.every((requirement, i) => holds(requirement, textAt(object, this.#paths[i] ?? [])));
  }

  /** The text form, sorted: what goes into a request's `fieldSelector`. */
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

/**
 * Reads the text form; the empty text selects everything. In a value, `\`, `,` and `=` stand behind a backslash.
 *
 *     parseFieldSelector("spec.nodeName=,status.phase!=Running").matchesObject(pod)
 */
export function parseFieldSelector(text: string): FieldMatcher {
  return new FieldMatcher(
    splitTerms(text)
      .filter((term) => term !== "")
      .map((term) => parseTerm(text, term)),
  );
}

/** `` `metadata.name=${escapeFieldValue(name)}` `` asks for that name whatever is in it. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(text: string, term: string): FieldRequirement {
  const operator = /!=|==?/.exec(term);
  if (!operator) throw problemIn(text, `${quoted(term)} has none of = == !=`);
  if (operator.index === 0) throw problemIn(text, `${quoted(term)} names no field`);
  return Object.freeze({
    field: term.slice(0, operator.index),
    operator: operator[0] === "!=" ? "!=" : "=",
    value: unescapeValue(text, term.slice(operator.index + operator[0].length)),
  });
}

function unescapeValue(text: string, value: string): string {
  if (!/^(?:[^\\,=]|\\[\\,=])*$/.test(value))
    throw problemIn(
      text,
      `in the value ${quoted(value)}, each of \\ , = must stand behind a backslash, and nothing else`,
    );
  return value.replace(/\\(.)/g, "$1");
}

function holds({ operator, value }: FieldRequirement, actual: string): boolean {
  return (actual === value) === (operator === "=");
}

function textAt(object: object, path: readonly string[]): string {
  let value: unknown = object;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return "";
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function printRequirement({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${escapeFieldValue(value)}`;
}

function byText(a: FieldRequirement, b: FieldRequirement): number {
  const [first, second] = [printRequirement(a), printRequirement(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function problemIn(text: string, problem: string): ParseError {
  return new ParseError("field selector", text, problem);
}
