/** Bodies in JSON: what they say, and which fields they say twice. */
import type { StatusError } from "@berg/apimachinery";
import { badRequest } from "../../errors/refusals.ts";
import type { Body } from "../../registry/verbs.ts";
import { duplicateFields } from "./duplicate-fields.ts";
import { depthErrorOf, syntaxErrorOf } from "./syntax-error.ts";

/** Turns what is wrong with a text into the refusal that the client gets. */
export type Explain = (why: string) => StatusError;

/**
 * `__proto__` is a field like any other. Throws what `explain` makes of a text that is not JSON:
 *
 *     parseJson(text, unrecognized("Pod", text));
 *     parseJson(patch, (why) => badRequest(`error decoding patch: ${why}`));
 */
export function parseJson(text: string, explain: Explain = badRequest): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw explain(syntaxErrorOf(text));
  }
  const tooDeep = depthErrorOf(text);
  if (tooDeep !== undefined) throw explain(tooDeep);
  return new JsonBody(value, text);
}

/** Of a text that was to be an object of this kind. */
export function unrecognized(kind: string, text: string): Explain {
  return (why) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${summaryOf(text)})`,
    );
}

/** The beginning of a body as refusals quote it. */
export function summaryOf(text: string): string {
  const most = 30;
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text);
  const start = bytes.subarray(0, most).toString(text.startsWith("{") ? "utf8" : "hex");
  return bytes.length > most ? `${start} ...` : start;
}

/** What is said of a body that is not an object; undefined where it is one, or null, which counts as an empty one. */
export function notAnObject(value: unknown): string | undefined {
  if (typeof value === "object" && !Array.isArray(value)) return undefined;
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/** Looks for duplicates only when somebody asks for them. */
class JsonBody implements Body {
  readonly value: unknown;
  readonly #text: string;
  #duplicates: readonly string[] | undefined;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.#text = text;
  }

  get duplicates(): readonly string[] {
    this.#duplicates ??= duplicateFields(this.#text);
    return this.#duplicates;
  }
}
