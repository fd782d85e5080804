/** A custom kind with an odd schema: every way of owning, defaults, numbers that may be texts, rules that look back. */
import fc from "fast-check";
import { few, type Kind, keyed, metadata, number, rarely, some, word, wordMap } from "./kind.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

const schema = object(
  {
    spec: object(
      {
        replicas: { ...integer, default: 1, minimum: 0, maximum: 5 },
        size: { ...integer, format: "int32" },
        color: { ...text, enum: ["a", "b", "c", "red"], default: "red" },
        code: { ...text, pattern: "^[a-c]$", maxLength: 3 },
        once: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "stays as it is" }] },
        limit: { "x-kubernetes-int-or-string": true },
        share: {
          "x-kubernetes-int-or-string": true,
          anyOf: [{ type: "integer" }, { type: "string" }],
          pattern: "^[0-9]+%$",
        },
        ratio: { type: "number" },
        at: { ...text, format: "date-time" },
        note: { ...text, nullable: true },
        flag: { type: "boolean", default: false },
        tags: { type: "array", items: { ...text, maxLength: 5 }, "x-kubernetes-list-type": "set", maxItems: 3 },
        args: { type: "array", items: text, "x-kubernetes-list-type": "atomic" },
        box: object(
          { width: { ...integer, default: 3 }, height: integer },
          { "x-kubernetes-map-type": "atomic", required: ["height"] },
        ),
        inner: object({ a: text, deep: object({ b: { ...text, default: "deep" }, c: text }, { default: {} }) }),
        rooms: {
          type: "object",
          additionalProperties: object({ door: { ...text, default: "shut" }, windows: integer }),
        },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { ...integer, default: 7 } },
        },
        ports: {
          type: "array",
          items: object({ port: integer, protocol: { ...text, default: "TCP" }, name: text }, { required: ["port"] }),
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
      {
        default: {},
        "x-kubernetes-validations": [
          {
            rule: "!has(self.size) || !has(oldSelf.size) || self.size >= oldSelf.size",
            message: "size only grows",
            fieldPath: ".size",
          },
          {
            rule: "!has(self.tags) || self.tags.all(tag, tag != 'c')",
            messageExpression: "'no c after ' + self.tags[0]",
          },
          { rule: "!has(self.code) || has(self.size)", reason: "FieldValueRequired", fieldPath: ".size" },
        ],
      },
    ),
    status: object({
      replicas: integer,
      selector: text,
      phase: { ...text, default: "New" },
      conditions: {
        type: "array",
        items: object({ type: text, status: text, message: text }, { required: ["type", "status"] }),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
    }),
  },
  { required: ["spec"] },
);

export const gadgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.play.berg.test" },
  spec: {
    group: "play.berg.test",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList", shortNames: ["gg"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Tags", type: "string", jsonPath: ".spec.tags" },
        ],
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    ],
  },
};

export const gadgets: Kind = {
  resource: "gadgets",
  apiVersion: "play.berg.test/v1",
  kind: "Gadget",
  namespaced: true,
  base: { spec: {} },
  hasScale: true,
  body: some({
    metadata,
    spec: rarely({
      replicas: number,
      size: number,
      color: word,
      code: fc.constantFrom("a", "b", "d"),
      once: word,
      limit: fc.constantFrom(1, "50%"),
      share: fc.constantFrom("5%", "50%"),
      ratio: fc.constantFrom(1, 1.5, 1e3),
      at: fc.constantFrom("2020-01-01T00:00:00Z", "2020-01-01T00:00:00+01:00"),
      note: fc.constantFrom("a", null),
      flag: fc.boolean(),
      tags: fc.uniqueArray(word, few),
      args: fc.array(word, few),
      box: fc.record({ width: number, height: number }, { requiredKeys: ["height"] }),
      inner: some({ a: word, deep: some({ b: word, c: word }) }),
      rooms: fc.dictionary(word, some({ door: word, windows: number }), { maxKeys: 2 }),
      free: fc.dictionary(fc.constantFrom("a", "known"), fc.oneof(number, word, wordMap, fc.array(wordMap, few)), {
        maxKeys: 2,
      }),
      ports: keyed(["port", "protocol"], { port: number, protocol: fc.constantFrom("TCP", "UDP"), name: word }),
      template: fc.constantFrom(
        { apiVersion: "v1", kind: "ConfigMap" },
        { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: { a: "b" } }, spec: { y: 1 } },
        { kind: "Pod" },
      ),
    }),
    status: some({ phase: word, replicas: number }),
  }),
  status: some({
    phase: word,
    replicas: number,
    selector: fc.constantFrom("a=b", "a in (b)", "="),
    conditions: keyed(["type"], { type: word, status: word, message: word }, ["status"]),
  }),
};
