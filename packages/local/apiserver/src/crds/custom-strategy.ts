/** What objects of a custom kind must be: what the schema says, then what its rules say. */
import type { FieldError } from "../errors/field-error.ts";
import type { AnyObject, AnyStoredObject, Strategy } from "../registry/resource.ts";
import { compileRules } from "../schema/cel/compile-rules.ts";
import { qualifiedNameProblems } from "../schema/metadata/names.ts";
import type { Schema } from "../schema/schema.ts";
import { validateSchema } from "../schema/validate/validate-schema.ts";
import type { Version } from "./definition.ts";
import { scaleErrors } from "./scale.ts";

/** The rules expect what the schema says: after such errors they are not asked. */
const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const rulesLeftOut: FieldError = {
  reason: "FieldValueInvalid",
  field: "<nil>",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

export function customStrategy(version: Version, schema: Schema): Strategy {
  const { status, scale } = version.subresources ?? {};
  const { rules } = compileRules(schema);

  function validate(object: AnyObject, old: AnyStoredObject | undefined, subresource: string): FieldError[] {
    const errors = [
      ...validateSchema(object, schema, old, subresource === "status" ? "status" : undefined),
      ...scaleErrors(object, scale, subresource),
    ];
    if (!rules.isEmpty && errors.some(({ reason }) => blocking.has(reason))) return [...errors, rulesLeftOut];
    return [...errors, ...rules.check(object, old)];
  }

  return {
    hasStatus: status !== undefined,
    hasGeneration: true,
    needsVersion: true,
    validate,
    // Only what an update leaves alone is warned about.
    warnings: (object, old) => [...finalizerWarnings(object, old), ...(old ? rules.judge(object, old).warnings : [])],
  };
}

/** Of those that were added. */
function finalizerWarnings(object: AnyObject, old: AnyStoredObject | undefined): string[] {
  const before = new Set(old?.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  return [...new Set(added)].sort().flatMap((finalizer) => {
    const said = (text: string) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${text}`;
    const problems = qualifiedNameProblems(finalizer).map(said);
    if (finalizer.includes("/") || ["orphan", "foregroundDeletion", "kubernetes"].includes(finalizer)) return problems;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...problems, said(advice)];
  });
}
