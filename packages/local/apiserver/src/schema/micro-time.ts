/** Times in microseconds rather than in seconds. OpenAPI says the same of both, and so does a schema but for a mark. */
import type { Schema } from "./schema.ts";

const micro = Symbol("micro");

export function asMicroTime(time: Schema): Schema {
  return Object.assign({ ...time }, { [micro]: true });
}

export function isMicroTime(schema: Schema): boolean {
  return micro in schema;
}
