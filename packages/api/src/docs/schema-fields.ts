/** The fields of a JSON schema as rows of a table: nested ones by their path, such as `services[].port`. Pure. */
export interface JsonSchema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
}

export interface Field {
  /** Empty for a value that is no object. */
  path: string;
  type: string;
  isRequired: boolean;
  description: string;
}

export function fieldsOf(schema: JsonSchema, path = "", isRequired = true): Field[] {
  const inner = withoutNull(schema);
  if (inner.type === "array" && inner.items && hasFields(inner.items)) return fieldsOf(inner.items, `${path}[]`);
  if (!hasFields(inner)) return [{ path, type: typeOf(schema), isRequired, description: schema.description ?? "" }];
  const { properties = {}, required = [] } = inner;
  return Object.entries(properties).flatMap(([name, property]) =>
    fieldsOf(property, path === "" ? name : `${path}.${name}`, required.includes(name)),
  );
}

export function typeOf(schema: JsonSchema): string {
  const inner = withoutNull(schema);
  const orNull = inner === schema ? "" : " or null";
  if (inner.const !== undefined) return `${JSON.stringify(inner.const)}${orNull}`;
  if (inner.enum) return `${inner.enum.map((one) => JSON.stringify(one)).join(" | ")}${orNull}`;
  const alternatives = inner.anyOf ?? inner.oneOf;
  if (alternatives) return alternatives.map(typeOf).join(" | ");
  if (inner.type === "array") return `${inner.items ? typeOf(inner.items) : "any"}[]${orNull}`;
  const { additionalProperties } = inner;
  if (typeof additionalProperties === "object") return `map of ${typeOf(additionalProperties)}${orNull}`;
  const name = inner.format && inner.type === "string" ? inner.format : [inner.type ?? "any"].flat().join(" or ");
  return `${name}${limitsOf(inner)}${orNull}`;
}

function limitsOf({ minimum, maximum, minLength, maxLength, default: byDefault }: JsonSchema): string {
  // zod writes the largest safe integer for every integer.
  const isLimit = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const limits = [
    ...(isLimit(minimum) ? [`≥ ${minimum}`] : []),
    ...(isLimit(maximum) ? [`≤ ${maximum}`] : []),
    ...(minLength ? [`≥ ${minLength} characters`] : []),
    ...(maxLength ? [`≤ ${maxLength} characters`] : []),
    ...(byDefault === undefined ? [] : [`default ${JSON.stringify(byDefault)}`]),
  ];
  return limits.length > 0 ? ` (${limits.join(", ")})` : "";
}

function hasFields(schema: JsonSchema): boolean {
  const inner = withoutNull(schema);
  if (inner.type === "array" && inner.items) return hasFields(inner.items);
  return Object.keys(inner.properties ?? {}).length > 0;
}

/** Of `anyOf: [x, null]` the x. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  return others?.length === 1 && others[0] && others.length < (schema.anyOf?.length ?? 0) ? others[0] : schema;
}
