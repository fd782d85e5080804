/**
 * Whether the schema of a CustomResourceDefinition can be served: structural, so that pruning and defaults are clear, and
 * well-formed. CEL rules are checked where they are compiled (`cel/`).
 */
import { type FieldError, forbidden, formatFieldError, invalid } from "../../errors/field-error.ts";
import type { Schema } from "../schema.ts";
import { completenessErrors } from "./completeness.ts";
import { defaultErrors } from "./defaults.ts";
import { formErrors } from "./forms.ts";
import { keywordErrors, unsupportedKeyword } from "./keywords.ts";

export interface SchemaPlace {
  /** Where the schema stands; Kubernetes names the schema that all versions share so. */
  path?: string;
  /** Whether the version has the status subresource. */
  hasStatus?: boolean;
}

export function structuralProblems(schema: Schema, place: SchemaPlace = {}): FieldError[] {
  const { path = "spec.validation.openAPIV3Schema", hasStatus = false } = place;
  const errors: FieldError[] = hasStatus ? rootErrors(schema, path) : [];
  if (schema.nullable) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  const unsupported = unsupportedKeyword(schema);
  if (unsupported === undefined) {
    const structural = [...formErrors(schema, path), ...completenessErrors(schema, path)].sort(byText);
    errors.push(...structural);
    if (structural.length === 0) errors.push(...defaultErrors(schema, path));
  }
  errors.push(...keywordErrors(schema, path));
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(path, "", unsupported));
  return errors;
}

const allowedAtRoot: Readonly<Record<string, string>> = {
  description: "Description",
  type: "Type",
  format: "Format",
  title: "Title",
  maximum: "Maximum",
  exclusiveMaximum: "ExclusiveMaximum",
  minimum: "Minimum",
  exclusiveMinimum: "ExclusiveMinimum",
  maxLength: "MaxLength",
  minLength: "MinLength",
  pattern: "Pattern",
  maxItems: "MaxItems",
  minItems: "MinItems",
  uniqueItems: "UniqueItems",
  multipleOf: "MultipleOf",
  required: "Required",
  items: "Items",
  properties: "Properties",
  externalDocs: "ExternalDocs",
  example: "Example",
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
};

/** What stands at the root is not checked where only status is written, so that little may stand there. */
function rootErrors(schema: Schema, path: string): FieldError[] {
  if (schema.type !== undefined && schema.type !== "object") {
    const rule = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, schema.type, rule)];
  }
  const odd = Object.entries(schema).filter(([key, value]) => value && !Object.hasOwn(allowedAtRoot, key));
  if (odd.length === 0) return [];
  const names = Object.values(allowedAtRoot).join(" ");
  const rule = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, rule)];
}

function byText(a: FieldError, b: FieldError): number {
  return formatFieldError(a) < formatFieldError(b) ? -1 : 1;
}
