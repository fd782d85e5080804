/** Whatever anyOf, allOf, oneOf and not speak of must be described outside of them. */
import { type FieldError, required } from "../../errors/field-error.ts";
import { own } from "../json.ts";
import type { Schema } from "../schema.ts";

export function completenessErrors(schema: Schema, path: string): FieldError[] {
  return inCombinations(schema, schema, path, path);
}

function inCombinations(from: Schema, schema: Schema, path: string, fromPath: string): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = from;
  return [
    ...(not ? inNested(not, schema, path, `${fromPath}.not`) : []),
    ...allOf.flatMap((inner, index) => inNested(inner, schema, path, `${fromPath}.allOf[${index}]`)),
    ...anyOf.flatMap((inner, index) => inNested(inner, schema, path, `${fromPath}.anyOf[${index}]`)),
    ...oneOf.flatMap((inner, index) => inNested(inner, schema, path, `${fromPath}.oneOf[${index}]`)),
  ];
}

function inNested(nested: Schema, schema: Schema | undefined, path: string, nestedPath: string): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${nestedPath}`)];
  const errors = inCombinations(nested, schema, path, nestedPath);
  if (nested.items) errors.push(...inNested(nested.items, schema.items, `${path}.items`, `${nestedPath}.items`));
  for (const [key, inner] of Object.entries(nested.properties ?? {})) {
    const place = `${nestedPath}.properties[${key}]`;
    const known = own(schema.properties, key);
    if (known) errors.push(...inNested(inner, known, `${path}.properties[${key}]`, place));
    else errors.push(required(`${path}.properties[${key}]`, `because it is defined in ${place}`));
  }
  return errors;
}
