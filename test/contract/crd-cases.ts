/** A schema with something of everything, and specs that it refuses, with what a real server says of each. */
export const spec = {
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10, default: 3 },
    name: { type: "string", maxLength: 5, pattern: "^[a-z]*$" },
    colour: { type: "string", enum: ["red", "green"], default: "red" },
    port: { "x-kubernetes-int-or-string": true },
    when: { type: "string", format: "date-time" },
    nothing: { type: "string", nullable: true },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    inner: { type: "object", default: {}, properties: { deep: { type: "boolean", default: true } } },
    tags: { type: "array", maxItems: 3, "x-kubernetes-list-type": "set", items: { type: "string" } },
    parts: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, n: { type: "integer", default: 1 } },
      },
    },
    fixed: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }] },
    least: { type: "integer" },
    most: { type: "integer" },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.least) || !has(self.most) || self.least <= self.most",
      messageExpression: "self.least > 5 ? 'far above most' : 'above most'",
      reason: "FieldValueForbidden",
      fieldPath: ".least",
    },
  ],
};

// Where the schema is broken already, rules are not asked, which is told as a cause of its own.
export const unasked = "<nil>: FieldValueInvalid";

export const refusedSpecs: { spec: object; causes: string[]; message: string }[] = [
  {
    spec: { size: 0 },
    causes: ["spec.size: FieldValueInvalid"],
    message: "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
  },
  {
    spec: { size: 11 },
    causes: ["spec.size: FieldValueInvalid"],
    message: "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
  },
  {
    spec: { size: "1" },
    causes: ["spec.size: FieldValueTypeInvalid", ".spec.size: FieldValueInvalid", unasked],
    message: 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  },
  {
    spec: { name: "abcdef" },
    causes: ["spec.name: FieldValueTooLong", unasked],
    message: "spec.name: Too long: may not be more than 5 bytes",
  },
  {
    spec: { name: "A" },
    causes: ["spec.name: FieldValueInvalid"],
    message: `spec.name: Invalid value: "A": spec.name in body should match '^[a-z]*$'`,
  },
  {
    spec: { colour: "blue" },
    causes: ["spec.colour: FieldValueNotSupported", unasked],
    message: 'spec.colour: Unsupported value: "blue": supported values: "red", "green"',
  },
  {
    spec: { when: "yesterday" },
    causes: ["spec.when: FieldValueTypeInvalid", unasked],
    message: `spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"`,
  },
  {
    spec: { tags: ["a", "a"] },
    causes: ["spec.tags[1]: FieldValueDuplicate"],
    message: 'spec.tags[1]: Duplicate value: "a"',
  },
  {
    spec: { tags: ["a", "b", "c", "d"] },
    causes: ["spec.tags: FieldValueTooMany", unasked],
    message: "spec.tags: Too many: 4: must have at most 3 items",
  },
  {
    spec: { parts: [{ id: "a" }, { id: "a" }] },
    causes: ["spec.parts[1]: FieldValueDuplicate"],
    message: 'spec.parts[1]: Duplicate value: {"id":"a"}',
  },
  {
    spec: { parts: [{ n: 1 }] },
    causes: ["spec.parts[0].id: FieldValueRequired", unasked],
    message: "spec.parts[0].id: Required value",
  },
  {
    spec: { port: true },
    causes: ["spec.port: FieldValueTypeInvalid", unasked],
    message: 'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
  },
  {
    spec: { least: 2, most: 1 },
    causes: ["spec.least: FieldValueForbidden"],
    message: "spec.least: Forbidden: above most",
  },
];
