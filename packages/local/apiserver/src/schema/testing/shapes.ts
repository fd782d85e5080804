/** As much of some kinds' shapes as the tests of decoding need. */
import type { Schema } from "../schema.ts";

const text: Schema = { type: "string" };
const int32: Schema = { type: "integer", format: "int32" };
const bytes: Schema = { type: "string", format: "byte" };
const bool: Schema = { type: "boolean" };
const list = (items: Schema): Schema => ({ type: "array", items });
const map = (additionalProperties: Schema): Schema => ({ type: "object", additionalProperties });
const object = (properties: Record<string, Schema>): Schema => ({ type: "object", properties });

const container = object({
  name: text,
  image: text,
  args: list(text),
  ports: list(object({ containerPort: int32 })),
  resources: object({ limits: map({ "x-kubernetes-int-or-string": true, format: "quantity" }) }),
});

export const builtInShapes: Readonly<Record<string, Schema>> = {
  ConfigMap: object({ data: map(text), binaryData: map(bytes), immutable: bool }),
  Secret: object({ data: map(bytes), stringData: map(text), type: text, immutable: bool }),
  Pod: object({
    spec: object({
      containers: list(container),
      hostname: text,
      subdomain: text,
      hostNetwork: bool,
      priority: int32,
      terminationGracePeriodSeconds: { type: "integer", format: "int64" },
      nodeSelector: map(text),
    }),
  }),
};

const named = object({ x: text });

export const readingShape: Schema = object({
  spec: object({
    a: { type: "integer" },
    s: text,
    m: map(named),
    l: list(named),
    ll: list(list(named)),
    p: { ...object({ k: named }), "x-kubernetes-preserve-unknown-fields": true },
    e: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  }),
});
