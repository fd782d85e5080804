/** When an empty value of a built-in kind is stored. Marks on a schema that nobody sees who does not know of them. */
import type { Schema } from "./schema.ts";

const presence = Symbol("presence");

/**
 * Kept where it is false, 0 or "". Elsewhere such a value says no more than nothing does, and is not stored; here it is
 * someone's choice, as `automountServiceAccountToken: false` is.
 */
export function kept(schema: Schema): Schema {
  return Object.assign({ ...schema }, { [presence]: "kept" });
}

/** There even where nobody has set it: as `{}`, 0, or null for a time. */
export function always(schema: Schema): Schema {
  return Object.assign({ ...schema }, { [presence]: "always" });
}

/** When an empty value of this is stored; undefined: never. A matter of storage alone, so that OpenAPI does not show it. */
export function presenceOf(schema: Schema): "kept" | "always" | undefined {
  return (schema as { [presence]?: "kept" | "always" })[presence];
}
