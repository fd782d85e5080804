/**
 * An answer without what differs between any two servers: ids, times, versions, generated names and what is handed out by
 * chance become words, numbered in the order in which they first appear, so that "the same one as before" is still seen.
 */
import type { Answer } from "../contract/wire.ts";

type Json = Record<string, unknown>;

export interface Masked {
  code: number;
  type: unknown;
  retryAfter: unknown;
  warnings: string[];
  body: unknown;
}

const dayMs = 24 * 3_600_000;

export class Masks {
  readonly #namespace: string;
  readonly #now: () => number;
  readonly #numbered = new Map<string, string[]>();

  constructor(namespace: string, now: () => number) {
    this.#namespace = namespace;
    this.#now = now;
  }

  masked({ code, headers, warnings, body, text }: Answer): Masked {
    return {
      code,
      type: headers["content-type"],
      retryAfter: headers["retry-after"],
      // Fields that are not known are told in the order in which they stand, and that is nothing in JSON.
      warnings: warnings.map((warning) => this.#text(warning)).sort(),
      body: body === undefined ? this.#text(text) : this.#value(withoutTimers(body), []),
    };
  }

  /** The versions seen so far from old to new, by their numbers: this order must agree, and no value can. */
  versionOrder(): number[] {
    const versions = this.#numbered.get("version") ?? [];
    return versions.map((_, index) => index).sort((a, b) => Number(versions[a]) - Number(versions[b]));
  }

  #value(value: unknown, path: readonly (string | number)[], within?: unknown): unknown {
    if (typeof value === "string") return this.#named(value, path, within);
    if (typeof value === "number") return this.#port(value, path.at(-1));
    if (Array.isArray(value)) return value.map((item, index) => this.#value(item, [...path, index], value));
    if (typeof value !== "object" || value === null) return value;
    if (isBookmark(value)) return this.#value({ type: value.type, object: pick(value.object) }, path, within);
    // In one order, or what appears first would depend on it.
    const entries = Object.entries(value)
      .sort(byName)
      .map(([key, item]) => {
        const masked = this.#value(item, [...path, key], value);
        return [this.#text(key), key === "managedFields" || key === "causes" ? unordered(masked) : masked] as const;
      });
    return Object.fromEntries(entries);
  }

  #named(value: string, path: readonly (string | number)[], within: unknown): unknown {
    const key = path.at(-1);
    if (key === "continue") return "<continue>";
    if (key === "resourceVersion" && isOfList(path, within)) return "<version of a list>";
    if (key === "resourceVersion" && /^\d+$/.test(value)) return this.#number("version", value);
    // Of columns ours says the same in words of its own.
    if (key === "description" && path.includes("columnDefinitions")) return "<description>";
    if (key === "message") return unorderedProblems(withoutWholeObject(withoutGoDiff(this.#text(value))));
    return this.#text(value);
  }

  /** Scripts ask for no port themselves. One that is only tried may be too high for a real one. */
  #port(value: number, key: unknown): unknown {
    const isHandedOut = (key === "nodePort" || key === "healthCheckNodePort") && value >= 30_000 && value < 33_000;
    return isHandedOut ? this.#number("port", String(value)) : value;
  }

  #text(text: string): string {
    return text
      .replaceAll(this.#namespace, "{ns}")
      .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>")
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => this.#number("uid", uid))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => this.#time(time))
      .replace(/\b10\.96\.\d+\.\d+\b/g, (address) => this.#number("address", address))
      .replace(/\b(gen-\d+-|kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, (name, prefix: string) =>
        this.#number(prefix, name),
      )
      .replace(
        /(?<=current: |in record \(|in the precondition \(|in precondition: |in object meta: |resourceVersion\\*": ?\\*")\d+/g,
        (version) => this.#known("version", version),
      )
      .replace(/^\d+s$/, "<age>");
  }

  #time(time: string): string {
    return Math.abs(Date.parse(time) - this.#now()) < dayMs ? `<time${time.includes(".") ? " in micros" : ""}>` : time;
  }

  /** In a text a version may be one that was never shown. */
  #known(sort: string, value: string): string {
    return this.#numbered.get(sort)?.includes(value) ? this.#number(sort, value) : `<${sort}>`;
  }

  #number(sort: string, value: string): string {
    const values = this.#numbered.get(sort) ?? [];
    if (!values.includes(value)) values.push(value);
    this.#numbered.set(sort, values);
    return `<${sort} ${values.indexOf(value)}>`;
  }
}

/** Bookmarks that come with time rather than after something are sent at a moment that each server chooses. */
function withoutTimers(body: unknown): unknown {
  // A watch of one frame reads like an object.
  const frames = isFrame(body) ? [body] : body;
  if (!Array.isArray(frames)) return frames;
  return frames.filter(({ type, object }) => type !== "BOOKMARK" || object?.metadata?.annotations);
}

function isFrame(body: unknown): boolean {
  return typeof body === "object" && body !== null && "type" in body && "object" in body && !("kind" in body);
}

/** The rest of a bookmark's object is what an empty one of its kind looks like, and nobody looks at it. */
function pick({ kind, apiVersion, metadata }: Json): Json {
  return { kind, apiVersion, metadata };
}

function isBookmark(value: object): value is { type: string; object: Json } {
  const { type, object, ...rest } = value as Json;
  const isMore = Object.keys((object ?? {}) as Json).some((key) => !["kind", "apiVersion", "metadata"].includes(key));
  return type === "BOOKMARK" && isMore && Object.keys(rest).length === 0;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** The version of a list, of a bookmark and of a table is how far the server is, and servers have work of their own. */
function isOfList(path: readonly (string | number)[], within: unknown): boolean {
  const isMetadata = path.at(-2) === "metadata";
  const keys = Object.keys((within ?? {}) as Json);
  return isMetadata && !keys.includes("name");
}

/**
 * Entries are sorted by their second, and the same two requests may fall into one or two. Causes come out of Go's maps,
 * and as often as a check happens to be made there.
 */
function unordered(items: unknown): unknown {
  if (!Array.isArray(items)) return items;
  return [...new Set(items.map((item) => JSON.stringify(item)))].sort().map((text) => JSON.parse(text) as unknown);
}

/** What is new in a pod that may not change is told by a Go library that takes care to tell it in no fixed form. */
function withoutGoDiff(text: string): string {
  return text.replace(/(may not change fields other than [^\n]*\n).*?(?=\n, |\]$|$)/s, "$1<diff>");
}

/** A patch that makes no object is shown with all that it makes, the fields in whatever order. */
function withoutWholeObject(text: string): string {
  return text.replace(/Invalid value: "\{\\"apiVersion.*\}"(?=: )/s, 'Invalid value: "<the object>"');
}

/** `… is invalid: [first, second]`, in no order either. */
function unorderedProblems(text: string): string {
  const [, before = "", unknown = ""] = /^(.*strict decoding error: )(.*)$/s.exec(text) ?? [];
  if (unknown !== "") return before + unknown.split(", ").sort().join(", ");
  const [, start = "", list = "", end = ""] = /^(.*?: \[)(.*)(\])$/s.exec(text) ?? [];
  if (list !== "") return start + list.split(", ").sort().join(", ") + end;
  const lines = text.split("\n");
  return lines.length > 1 ? [lines[0], ...lines.slice(1).sort()].join("\n") : text;
}
