/** Bodies in YAML, which are JSON for the most part. Large ones that are not are read beside the main thread. */
import { goQuote } from "../../errors/go-text.ts";
import { badRequest, requestTooLarge } from "../../errors/refusals.ts";
import type { Body } from "../../registry/verbs.ts";
import { type Explain, parseJson, summaryOf } from "./parse-json.ts";
import { readInThread } from "./read-in-thread.ts";
import { readYaml } from "./read-yaml.ts";
import { BadYaml } from "./yaml-document.ts";

/** Of YAML that is not JSON, which the parser takes seconds to read. */
const mostBytes = 1 << 20;
/** What is read at once: some tens of milliseconds. Anything larger is read on another thread. */
const smallBytes = 16 << 10;

export async function parseYaml(text: string, explain: Explain = badRequest): Promise<Body> {
  const json = parsedAsJson(text);
  if (json) return json;
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes)
    throw requestTooLarge(`Request entity too large: limit is ${mostBytes} for a body in YAML; send it as JSON`);
  try {
    return bytes <= smallBytes ? readYaml(text) : await readInThread(text);
  } catch (error) {
    if (error instanceof BadYaml) throw explain(error.message);
    throw error;
  }
}

/** Most clients send JSON under the name of YAML, which is far quicker to read. */
function parsedAsJson(text: string): Body | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return new JsonAsYaml(parseJson(text), text);
  } catch {
    // Then it is YAML's own notation with braces.
    return undefined;
  }
}

/** Of a text that was to be an object of this kind. */
export function unrecognizedYaml(kind: string, text: string): Explain {
  return (why) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(text)})`);
}

/** Looks for repeated keys only when they are asked for, and for their lines only where there are any. */
class JsonAsYaml implements Body {
  readonly value: unknown;
  readonly duplicates = [];
  readonly #text: string;
  readonly #json: Body;

  constructor(json: Body, text: string) {
    this.value = json.value;
    this.#json = json;
    this.#text = text;
  }

  get repeated(): readonly string[] {
    const { duplicates } = this.#json;
    if (duplicates.length === 0) return [];
    const withoutLines = () => duplicates.map((path) => `key ${goQuote(path)} already set in map`);
    if (this.#text.length > smallBytes) return withoutLines();
    try {
      return readYaml(this.#text).repeated ?? [];
    } catch (error) {
      // JSON may be deeper.
      if (error instanceof BadYaml) return withoutLines();
      throw error;
    }
  }
}
