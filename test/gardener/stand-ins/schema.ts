/** Words to write the schema of a stand-in with. */
export type Schema = Record<string, unknown>;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const whole: Schema = { type: "integer" };
export const time: Schema = { type: "string", format: "date-time" };
export const wholeOrText: Schema = { "x-kubernetes-int-or-string": true };
/** What a provider extension reads, and nobody else. */
export const blob: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export const texts: Schema = { type: "array", items: text };
export const textMap: Schema = { type: "object", additionalProperties: text };

/** Any part of it may be left out, as far as the schema goes. */
export const reference: Record<string, Schema> = {
  apiVersion: text,
  kind: text,
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  fieldPath: text,
};

export const oneOf = (...values: string[]): Schema => ({ type: "string", enum: values });
export const listOf = (items: Schema): Schema => ({ type: "array", items });

/** Fields whose name ends in `!` are required: `fields({ "name!": text, size: whole })`. */
export function fields(described: Record<string, Schema>, rules: Rule[] = []): Schema {
  const entries = Object.entries(described);
  const required = entries.filter(([name]) => name.endsWith("!")).map(([name]) => name.slice(0, -1));
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/!$/, ""), schema])),
    ...(required.length > 0 && { required }),
    ...ruled(rules),
  };
}

export interface Rule {
  rule: string;
  message: string;
}

/** Set once, and then for good. */
export const immutable = (schema: Schema): Schema => ({
  ...schema,
  ...ruled([{ rule: "self == oldSelf", message: "field is immutable" }]),
});

/** May not go away once it is there; a rule on the field itself is not asked when the field is taken out. */
export const kept = (field: string): Rule => ({
  rule: `!has(oldSelf.${field}) || has(self.${field})`,
  message: `${field}: field is immutable`,
});

function ruled(rules: Rule[]): Schema {
  return rules.length > 0 ? { "x-kubernetes-validations": rules } : {};
}
