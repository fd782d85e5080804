/** What we make of a body: what it is refused with, or what is stored, without what the server fills in. */
import { StatusError } from "@berg/apimachinery";
import { goQuote } from "../../errors/go-text.ts";
import { decodeCustom } from "../decode/decode-custom.ts";
import { decodeBuiltIn } from "../decode/decode-object.ts";
import { isRecord, type Json } from "../json.ts";
import { notAnObject, parseJson, unrecognized } from "../parse/parse-json.ts";
import type { BodyCase } from "./bodies.ts";
import { builtInShapes, readingShape } from "./shapes.ts";

export function read({ kind, text }: BodyCase): unknown {
  try {
    const explain = unrecognized(kind, text);
    const { value, duplicates } = parseJson(text, explain);
    const odd = notAnObject(value);
    if (odd !== undefined) throw explain(odd);
    if (!isRecord(value)) return "null";
    const unknown =
      kind === "Reading"
        ? decodeCustom(value, readingShape, kind)
        : decodeBuiltIn(value, builtInShapes[kind] ?? {}, kind);
    const strict = [
      ...duplicates.map((path) => `duplicate field ${goQuote(path)}`),
      ...unknown.map((path) => `unknown field "${path}"`),
    ];
    if (strict.length > 0)
      return `${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${strict.join(", ")}`;
    return mask(value);
  } catch (error) {
    if (error instanceof StatusError) return error.status.message;
    throw error;
  }
}

export function mask(object: Json): unknown {
  const { labels, annotations, finalizers } = object.metadata as Json;
  return JSON.parse(JSON.stringify({ ...object, type: undefined, metadata: { labels, annotations, finalizers } }));
}
