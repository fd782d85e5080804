/** Requests that are likely to meet: few managers, few fields, few values. */
import fc from "fast-check";
import type { JsonObject } from "../values.ts";
import type { Step } from "./play.ts";

const word = fc.constantFrom("a", "b", "c");
const number = fc.constantFrom(1, 2);
const few = { maxLength: 3 };

/** With each field or without it. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

/** Objects told apart by these keys; those, and what is required besides, each of them has. */
function keyed(keys: string[], fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []) {
  const item = fc.record(fields, { requiredKeys: [...keys, ...required] });
  const keyOf = (value: Record<string, unknown>) => JSON.stringify(keys.map((key) => value[key]));
  return fc.uniqueArray(item as fc.Arbitrary<Record<string, unknown>>, { ...few, selector: keyOf });
}

const wordMap = fc.dictionary(word, word, { maxKeys: 2 });
const set = fc.uniqueArray(word, few);
const finalizers = fc.uniqueArray(
  word.map((name) => `berg.test/${name}`),
  { maxLength: 2 },
);
const owner = (uid: string) => ({ apiVersion: "v1", kind: "Node", name: "n", uid });
const owners = fc.uniqueArray(word, { maxLength: 2 }).map((uids) => uids.map(owner));

export const metadata = some({ labels: wordMap, annotations: wordMap, finalizers, ownerReferences: owners });

const part = {
  name: word,
  image: word,
  args: fc.array(word, few),
  env: keyed(["name"], { name: word, value: word }),
  inner: some({ a: word, b: word }),
};

const widgetSpec = some({
  size: number,
  color: word,
  limit: fc.constantFrom(1, "50%"),
  tags: set,
  numbers: fc.uniqueArray(number, few),
  args: fc.array(word, few),
  plain: fc.array(word, few),
  box: some({ width: number, height: number }),
  labels: wordMap,
  rooms: fc.dictionary(word, some({ door: word, windows: number }), { maxKeys: 2 }),
  inner: some({ a: word, deep: some({ b: word, c: word }) }),
  free: fc.dictionary(word, fc.oneof(word, wordMap, fc.array(word, few), fc.array(wordMap, few)), { maxKeys: 2 }),
  ports: keyed(["port", "protocol"], { port: number, protocol: fc.constantFrom("TCP", "UDP"), name: word }),
  parts: keyed(["name"], part),
});

const widgetStatus = some({
  phase: word,
  conditions: keyed(["type"], { type: word, status: word, message: word }),
});

export const widgetBody = some({ spec: widgetSpec, status: widgetStatus, metadata });

export const configMapBody = some({ data: wordMap, metadata });

const container = {
  name: word,
  image: word,
  args: fc.array(word, few),
  env: keyed(["name"], { name: word, value: word }),
  ports: keyed(["containerPort", "protocol"], {
    containerPort: number,
    protocol: fc.constantFrom("TCP", "UDP"),
    name: fc.constantFrom("http", "dns"),
  }),
  resources: some({ limits: some({ cpu: fc.constantFrom("1", "500m"), memory: fc.constantFrom("1Gi") }) }),
};

const condition = {
  type: word,
  status: fc.constantFrom("True", "False"),
  message: word,
  lastTransitionTime: fc.constant("2026-01-01T00:00:00Z"),
  lastUpdateTime: fc.constant("2026-01-01T00:00:00Z"),
};

export const deploymentBody = some({
  spec: some({
    replicas: number,
    minReadySeconds: number,
    paused: fc.constant(true),
    strategy: some({
      type: fc.constant("RollingUpdate"),
      rollingUpdate: some({ maxSurge: fc.constantFrom(1, "50%") }),
    }),
    template: some({
      metadata: some({ annotations: wordMap }),
      spec: some({
        containers: keyed(["name"], container, ["image"]),
        nodeSelector: wordMap,
        terminationGracePeriodSeconds: number,
      }),
    }),
  }),
  status: some({
    observedGeneration: number,
    replicas: number,
    conditions: keyed(["type"], condition, ["status", "lastTransitionTime", "lastUpdateTime"]),
  }),
  metadata,
});

export const serviceBody = some({
  spec: some({
    selector: wordMap,
    ports: keyed(
      ["port", "protocol"],
      {
        port: number,
        protocol: fc.constantFrom("TCP", "UDP"),
        name: word,
        targetPort: fc.constantFrom(80, "web"),
      },
      ["name"],
    ),
  }),
  metadata,
});

export function steps(
  body: fc.Arbitrary<JsonObject>,
  verbs: Step["verb"][],
  subresources: ("" | "status")[],
): fc.Arbitrary<Step[]> {
  const step: fc.Arbitrary<Step> = fc.record({
    verb: fc.constantFrom(...verbs),
    manager: fc.constantFrom("one", "two", "three"),
    body,
    force: fc.boolean(),
    subresource: fc.constantFrom(...subresources),
  });
  return fc.array(step, { minLength: 1, maxLength: 8 });
}
