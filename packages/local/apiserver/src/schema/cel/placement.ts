/**
 * A CRD whose rules stand everywhere, and objects for it. `placement.real.test.ts` compares what a real API server and
 * ours say of each.
 */
import type { Schema } from "../schema.ts";

const text = (maxLength: number, more: Schema = {}): Schema => ({ type: "string", maxLength, ...more });
const integer: Schema = { type: "integer" };

export const shelfSchema: Schema = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "self.metadata.name.startsWith('shelf')", message: " names start with shelf " },
    { rule: "!has(self.spec.root) || self.spec.root != self.kind", fieldPath: ".spec.root" },
  ],
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-validations": [
        {
          rule: "!has(self.min) || !has(self.max) || self.min <= self.max",
          message: "never shown",
          messageExpression: "'%d is more than %d'.format([self.min, self.max])",
          fieldPath: ".min",
        },
        { rule: "!has(self.secret)", reason: "FieldValueForbidden", message: "no secrets here" },
        {
          rule: "!has(self.min) || has(self.max)",
          reason: "FieldValueRequired",
          fieldPath: ".max",
          message: "min needs it",
        },
        { rule: "!has(self.root) || self.root != 'twice'", reason: "FieldValueDuplicate", fieldPath: ".root" },
        { rule: "!has(self.root) || self.root != 'blank'", messageExpression: "' '", message: "fallback" },
        { rule: "!has(self.root) || self.root != 'lines'", messageExpression: "'a\\nb'" },
        { rule: "!has(self.root) || self.root != 'broken'", messageExpression: "self.list[9]", message: "fallback" },
      ],
      properties: {
        root: text(20),
        min: integer,
        max: integer,
        secret: text(20, { "x-kubernetes-validations": [{ rule: "self.size() > 3" }] }),
        once: text(20, { "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }] }),
        changes: text(20, { "x-kubernetes-validations": [{ rule: "self != oldSelf", message: "must change" }] }),
        grows: {
          ...integer,
          "x-kubernetes-validations": [
            { rule: "!oldSelf.hasValue() || self >= oldSelf.value()", optionalOldSelf: true, message: "must grow" },
            { rule: "oldSelf.hasValue() || self == 0", optionalOldSelf: true, message: "starts at 0" },
          ],
        },
        list: {
          type: "array",
          maxItems: 5,
          items: text(20, { "x-kubernetes-validations": [{ rule: "self.startsWith('a')" }] }),
        },
        nullables: {
          type: "array",
          maxItems: 5,
          items: text(20, { nullable: true, "x-kubernetes-validations": [{ rule: "self != ''" }] }),
        },
        map: {
          type: "object",
          maxProperties: 5,
          additionalProperties: {
            ...integer,
            "x-kubernetes-validations": [{ rule: "self > 0" }, { rule: "self >= oldSelf", message: "shrinks" }],
          },
        },
        keyed: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name", "port"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: text(10),
              port: { ...integer, default: 80 },
              value: { ...integer, "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "shrinks" }] },
            },
            "x-kubernetes-validations": [{ rule: "!has(self.value) || self.value < 100", fieldPath: ".value" }],
          },
        },
        nested: {
          type: "object",
          properties: {
            deep: { type: "object", properties: { x: integer }, "x-kubernetes-validations": [{ rule: "self.x > 1" }] },
          },
        },
        labels: {
          type: "object",
          maxProperties: 5,
          additionalProperties: text(10),
          "x-kubernetes-validations": [{ rule: "!('bad' in self)", fieldPath: "['bad']" }],
        },
        embedded: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          "x-kubernetes-validations": [{ rule: "self.metadata.name != 'x' && self.kind != 'Bad'" }],
        },
      },
    },
  },
};

type Spec = Record<string, unknown>;

export const created: readonly (readonly [name: string, spec: Spec])[] = [
  ["shelf", {}],
  ["other", {}],
  ["shelf", { root: "Shelf" }],
  ["shelf", { min: 3, max: 2 }],
  ["shelf", { min: 3 }],
  ["shelf", { secret: "abcd" }],
  ["shelf", { secret: "ab" }],
  ["shelf", { root: "twice" }],
  ["shelf", { root: "blank" }],
  ["shelf", { root: "lines" }],
  ["shelf", { root: "broken", list: [] }],
  ["shelf", { once: "a", grows: 0 }],
  ["shelf", { grows: 1 }],
  ["shelf", { list: ["a", "b", "ab", ""] }],
  ["shelf", { nullables: ["a", null, ""] }],
  ["shelf", { map: { a: 1, b: 0, "c.d": -1 } }],
  [
    "shelf",
    {
      keyed: [
        { name: "a", value: 5 },
        { name: "a", port: 81, value: 100 },
      ],
    },
  ],
  ["shelf", { nested: { deep: { x: 1 } } }],
  ["shelf", { nested: { deep: { x: 2 } } }],
  ["shelf", { nested: { deep: {} } }],
  ["shelf", { labels: { bad: "x" } }],
  ["shelf", { embedded: { apiVersion: "v1", kind: "Good", metadata: { name: "x" } } }],
  ["shelf", { embedded: { apiVersion: "v1", kind: "Bad", metadata: { name: "y" } } }],
  ["shelf", { embedded: { apiVersion: "v1", kind: "Good", metadata: {} } }],
];

export const changed: readonly (readonly [from: Spec, to: Spec])[] = [
  [{ once: "a" }, { once: "a" }],
  [{ once: "a" }, { once: "b" }],
  [{ once: "a" }, {}],
  [{ changes: "a" }, { changes: "a", root: "x" }],
  [{}, { once: "b" }],
  [{ grows: 0 }, { grows: 1 }],
  [{ grows: 0 }, { grows: -1 }],
  [{ map: { a: 3, b: 1 } }, { map: { a: 2, c: 1 } }],
  [
    {
      keyed: [
        { name: "a", value: 5 },
        { name: "b", value: 5 },
      ],
    },
    {
      keyed: [
        { name: "b", value: 4 },
        { name: "a", value: 6 },
      ],
    },
  ],
  [{ keyed: [{ name: "a", port: 1, value: 5 }] }, { keyed: [{ name: "a", port: 2, value: 4 }] }],
  [{ keyed: [{ name: "a", value: 5 }] }, { keyed: [{ name: "a", port: 80, value: 4 }] }],
  [{ list: ["a"] }, { list: ["a", "b"] }],
  [{ map: { a: 1 } }, { map: { a: 1, b: 0 } }],
];

/** Updates of what was stored while there were no rules: what is left alone stays. */
export const ratcheted: readonly (readonly [from: Spec, to: Spec])[] = [
  [{ list: ["b"] }, { list: ["b"], root: "x" }],
  [{ list: ["b"] }, { list: ["b", "a"] }],
  [{ map: { a: 0 } }, { map: { a: 0, b: 1 } }],
  [{ map: { a: 0 } }, { map: { a: -1 } }],
  [{ keyed: [{ name: "a", value: 100 }] }, { keyed: [{ name: "b" }, { name: "a", value: 100 }] }],
  [{ keyed: [{ name: "a", value: 100 }] }, { keyed: [{ name: "a", value: 101 }] }],
  [
    { min: 3, max: 2 },
    { min: 3, max: 2 },
  ],
  [
    { min: 3, max: 2 },
    { min: 3, max: 2, root: "x" },
  ],
  [{ nested: { deep: { x: 1 } } }, { nested: { deep: { x: 1 } }, root: "x" }],
  [{ secret: "ab" }, { secret: "ab", root: "x" }],
  [{ labels: { bad: "x" } }, { labels: { bad: "x" }, root: "y" }],
  [{ labels: { bad: "x" } }, { labels: { bad: "y" } }],
];
