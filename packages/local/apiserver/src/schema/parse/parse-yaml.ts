/**
 * Bodies in YAML, read as Kubernetes reads them: YAML 1.1 (`yes` is a boolean, `0777` is octal) without its times and
 * base-60 numbers, the first document only.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Tags } from "yaml";
import { badRequest } from "../../errors/refusals.ts";
import type { Body } from "../../registry/verbs.ts";
import { type Explain, parseJson, summaryOf } from "./parse-json.ts";
import { repeatedKeys } from "./repeated-keys.ts";

const leftOut = ["binary", "timestamp", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`);

export function parseYaml(text: string, explain: Explain = badRequest): Body {
  // Most clients send JSON under this name, which is far quicker to read.
  if (text.startsWith("{")) {
    try {
      return new JsonAsYaml(parseJson(text), text);
    } catch {
      // Then it is YAML's own notation with braces.
    }
  }
  try {
    return read(text);
  } catch (error) {
    if (error instanceof RangeError) throw explain("yaml: exceeded max depth of 10000");
    if (error instanceof BadYaml) throw explain(error.message);
    throw error;
  }
}

/** Of a text that was to be an object of this kind. */
export function unrecognizedYaml(kind: string, text: string): Explain {
  return (why) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(text)})`);
}

type Tag = Exclude<Tags[number], string>;

class BadYaml extends Error {}

function read(text: string): Body {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    uniqueKeys: false,
    lineCounter,
    customTags: (tags) => [...tags.filter(isKept), octal, binary],
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (document === undefined) return { value: null, duplicates: [] };
  const [error] = document.errors;
  if (error) throw new BadYaml(`yaml: line ${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
  inspect(document.contents);
  return { value: toValue(document), duplicates: [], repeated: repeatedKeys(document, lineCounter) };
}

/** Looks for keys that are said twice only when somebody asks for them, and for their lines only where there are any. */
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
    return this.#json.duplicates.length === 0 ? [] : (read(this.#text).repeated ?? []);
  }
}

function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ReferenceError && error.message.includes("Excessive alias"))
      throw new BadYaml("yaml: document contains excessive aliasing");
    if (error instanceof ReferenceError) throw new BadYaml(`yaml: ${error.message}`);
    throw error;
  }
}

/** `0o17`, which YAML 1.1 does not have and Kubernetes reads all the same. */
const octal: Tag = {
  identify: () => false,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "OCT",
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text: string) => {
    const value = Number.parseInt(text.replace(/^[-+]?0o|_/g, ""), 8);
    return text.startsWith("-") ? -value : value;
  },
};

/** Text after decoding, as there are no bytes in JSON. */
const binary: Tag = {
  identify: () => false,
  default: false,
  tag: "tag:yaml.org,2002:binary",
  resolve: (text: string) => Buffer.from(text, "base64").toString(),
};

function isKept(tag: Tags[number]): boolean {
  if (typeof tag === "string") return true;
  return !leftOut.includes(tag.tag) && !("format" in tag && tag.format === "TIME");
}

/** Refuses what JSON has not. */
function inspect(node: unknown): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const isKey = isAlias(key) || (isScalar(key) && key.value !== null);
      if (!isKey) throw new BadYaml("unsupported map key: only strings, numbers and booleans may be keys");
      inspect(value);
    }
  } else if (isSeq(node)) {
    for (const item of node.items) inspect(item);
  } else if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) {
    const name = Number.isNaN(node.value) ? "NaN" : node.value > 0 ? "+Inf" : "-Inf";
    throw new BadYaml(`json: unsupported value: ${name}`);
  }
}
