/**
 * What a client and a server of the Kubernetes API share: object shapes, errors, selectors, quantities, patches and
 * watch frames. Pure functions over plain JSON; nothing here does I/O, reads a clock or keeps state between calls.
 *
 * Reading order: object → resource → status → selectors → quantity, duration, time → patch → watch.
 */
export * from "./duration.ts";
export * from "./names.ts";
export * from "./object.ts";
export * from "./parse-error.ts";
export { jsonEqual } from "./patch/json.ts";
export * from "./patch/json-diff.ts";
export { applyJsonPatch, type JsonPatchOperation, maxJsonPatchOperations } from "./patch/json-patch.ts";
export * from "./patch/merge-patch.ts";
export { PatchError } from "./patch/patch-error.ts";
export * from "./patch/strategic-diff.ts";
export * from "./patch/strategic-patch.ts";
export { type StrategicSchema, strategicSchemaFor } from "./patch/strategic-schema.ts";
export * from "./quantity.ts";
export * from "./resource.ts";
export * from "./selectors/field-selector.ts";
export * from "./selectors/label-parser.ts";
export type { LabelOperator, LabelRequirement, Labels } from "./selectors/label-requirement.ts";
export * from "./selectors/label-selector.ts";
export * from "./status.ts";
export * from "./time.ts";
export * from "./watch/event.ts";
export * from "./watch/frames.ts";
