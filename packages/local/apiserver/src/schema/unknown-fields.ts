/**
 * Finds, and drops, what a schema does not know. `apiVersion`, `kind` and `metadata` are known everywhere where an
 * object stands; what is in `metadata` is checked against its own schema.
 */
import { additional, child, isRecord, type Json, own } from "./json.ts";
import { metadataSchema } from "./metadata/metadata-schema.ts";
import type { Schema } from "./schema.ts";

/**
 * Paths such as `spec.containers[0].foo`, in the order in which Kubernetes tells them.
 *
 *     unknownFields(object, schema, { drop: true });
 */
export function unknownFields(object: unknown, schema: Schema, { drop }: { drop: boolean }): string[] {
  const search = new Search(drop);
  if (isRecord(object) && isRecord(object.metadata)) search.prune(object.metadata, metadataSchema, "metadata", false);
  const inMetadata = search.take();
  search.prune(object, { ...schema, "x-kubernetes-embedded-resource": true }, "", true);
  const elsewhere = search.take();
  search.inEmbedded(object, schema, "");
  return [...inMetadata, ...elsewhere, ...search.take()];
}

const metaFields = ["apiVersion", "kind", "metadata"];

/** Paths may be long; all that is unknown is dropped, whether it is told or not. */
const mostTold = 1000;

class Search {
  readonly #drop: boolean;
  #found: string[] = [];

  constructor(drop: boolean) {
    this.#drop = drop;
  }

  take(): string[] {
    const found = this.#found.sort();
    this.#found = [];
    return found;
  }

  prune(value: unknown, schema: Schema | undefined, path: string, isRoot: boolean): void {
    if (Array.isArray(value)) {
      // What is preserved is preserved inside of lists too; only what is described there is looked into.
      const isPreserved = schema?.["x-kubernetes-preserve-unknown-fields"] ?? false;
      if (isPreserved && schema?.items === undefined) return;
      const items = isPreserved ? { ...schema?.items, "x-kubernetes-preserve-unknown-fields": true } : schema?.items;
      for (const [index, item] of value.entries()) this.prune(item, items, `${path}[${index}]`, false);
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) this.#pruneField(value, key, schema, path, isRoot);
    }
  }

  #pruneField(value: Json, key: string, schema: Schema | undefined, path: string, isRoot: boolean): void {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.includes(key)) return;
    const known = own(schema?.properties, key);
    if (known !== undefined || schema?.additionalProperties !== undefined) {
      this.prune(value[key], known ?? additional(schema), child(path, key), false);
      return;
    }
    if (schema?.["x-kubernetes-preserve-unknown-fields"]) return;
    if (!isRoot || !metaFields.includes(key)) this.#tell(child(path, key));
    if (this.#drop) delete value[key];
  }

  #tell(path: string): void {
    if (this.#found.length < mostTold) this.#found.push(path);
  }

  /** The metadata of objects that stand inside of this one. */
  inEmbedded(value: unknown, schema: Schema | undefined, path: string): void {
    if (schema === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.inEmbedded(item, schema.items, `${path}[${index}]`);
    } else if (isRecord(value)) {
      if (schema["x-kubernetes-embedded-resource"] && isRecord(value.metadata))
        this.prune(value.metadata, metadataSchema, child(path, "metadata"), false);
      for (const key of Object.keys(value))
        this.inEmbedded(value[key], own(schema.properties, key) ?? additional(schema), child(path, key));
    }
  }
}

/** A copy without what the schema does not know. Of a part of an object, such as a default. */
export function pruned(value: unknown, schema: Schema): unknown {
  const copy = structuredClone(value);
  new Search(true).prune(copy, schema, "", false);
  return copy;
}
