/** Where the next page of a list starts, and at which revision: as Kubernetes writes it, and opaque to clients. */
import { goQuote } from "../errors/go-text.ts";
import { badRequest } from "../errors/refusals.ts";
import { isObject } from "./json.ts";

export interface ContinueToken {
  /** -1: at whatever is newest then. */
  revision: number;
  /** The first key that may be on the page, below the namespace if the list is of one. */
  start: string;
}

const format = "meta.k8s.io/v1";

/** `after` is the last key of this page. */
export function continueAfter(after: string, revision: number): string {
  return encode({ revision, start: `${after}\0` });
}

export function encode({ revision, start }: ContinueToken): string {
  const text = JSON.stringify({ v: format, rv: revision, start: `/${start}` });
  return Buffer.from(text).toString("base64url");
}

export function decode(token: string): ContinueToken {
  const { v, rv, start } = fieldsOf(token);
  if (v !== format) throw problem(`: server does not recognize this encoded version ${String(v ?? "")}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0)
    throw problem(`: incorrect encoded start resourceVersion (version ${format})`);
  if (typeof start !== "string" || start === "") throw problem(`: encoded start key empty (version ${format})`);
  const key = start.startsWith("/") ? start.slice(1) : start;
  if (key.split("/").some((part) => part === "" || part === "." || part === "..")) throw problem(`: ${start}`);
  return { revision: rv, start: key };
}

function fieldsOf(token: string): Record<string, unknown> {
  const bytes = Buffer.from(token, "base64url");
  const text = bytes.toString();
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The text below says it.
  }
  // Go takes the byte for a character.
  const first = goQuote(bytes.toString("latin1").slice(0, 1)).slice(1, -1);
  throw problem(`: invalid character '${first}' looking for beginning of value`);
}

function problem(what: string) {
  return badRequest(`invalid continue token: continue key is not valid${what}`);
}
