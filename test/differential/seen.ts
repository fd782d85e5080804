/** What one server has shown in one play: what later steps refer to. */
import { applyMergePatch } from "@berg/apimachinery";
import type { Step } from "./step.ts";

type Json = Record<string, unknown>;

interface Life {
  object: Json;
  versions: string[];
}

const nobody = "00000000-0000-4000-8000-000000000000";

export class Seen {
  readonly #namespace: string;
  readonly #objects = new Map<string, Life>();
  #first: string | undefined;
  #listVersion: string | undefined;
  #continue = "none";

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** The step with everything in braces filled in. */
  filledIn(step: Step, index: number): { path: string; body: unknown } {
    const fill = (text: string) =>
      text.replace(
        /\{(ns|n|listrv|continue|(?:rv|oldrv|uid) [^}]+)\}/g,
        (_, what: string) => this.#value(what, index) ?? "1",
      );
    const patch = deepMap(step.body, fill);
    const last = step.from === undefined ? undefined : this.#objects.get(step.from)?.object;
    return {
      path: encodeURI(fill(step.path)),
      body: last === undefined ? patch : applyMergePatch(structuredClone(last), patch ?? {}),
    };
  }

  /** Remembers what an answer to a request for this resource shows. */
  learn(resource: string, body: unknown): void {
    if (!isObject(body)) return;
    const metadata = (body.metadata ?? {}) as Json;
    if (Array.isArray(body.items)) {
      if (typeof metadata.resourceVersion === "string") this.#listVersion = metadata.resourceVersion;
      if (typeof metadata.continue === "string") this.#continue = metadata.continue;
      for (const item of body.items) this.learn(resource, item);
    } else if (typeof metadata.name === "string" && typeof metadata.resourceVersion === "string") {
      const key = `${resource}/${metadata.name.replace(this.#namespace, "ns")}`;
      const life = this.#objects.get(key) ?? { object: body, versions: [] };
      // A scale is no object to write back; it has the version of the object that it is a view of.
      if (body.kind !== "Scale" && body.kind !== "PartialObjectMetadata") life.object = body;
      this.#first ??= metadata.resourceVersion;
      if (life.versions.at(-1) !== metadata.resourceVersion) life.versions.push(metadata.resourceVersion);
      this.#objects.set(key, life);
    }
  }

  #value(what: string, index: number): string | undefined {
    const [word = "", key = ""] = what.split(" ");
    const life = this.#objects.get(key);
    switch (word) {
      case "ns":
        return this.#namespace;
      case "n":
        return String(index);
      case "rv":
        return life?.versions.at(-1) ?? this.#first;
      case "oldrv":
        return life?.versions.at(-2) ?? this.#first;
      case "uid":
        return String((life?.object.metadata as Json | undefined)?.uid ?? nobody);
      case "listrv":
        return this.#listVersion ?? this.#first;
      default:
        return this.#continue;
    }
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function deepMap(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => deepMap(item, text));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), deepMap(item, text)]));
}
