import type { KubeObject, Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAsWanted } from "./is-as-wanted.ts";

type Fields = Record<string, unknown>;

const stored = (apiVersion: string, kind: string, fields: Fields): Stored<KubeObject> => ({
  apiVersion,
  kind,
  ...fields,
  metadata: {
    name: "one",
    uid: "u1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(fields.metadata as object),
  },
});

const deployment = (container: Fields, more: Fields = {}) => ({
  spec: { template: { spec: { containers: [{ name: "web", ...container }], ...more } } },
});
const policy = (spec: Fields) => ({ spec });

describe("a child", () => {
  test.each<{ name: string; kind: [string, string]; wanted: Fields; found: Fields; want: boolean }>([
    {
      name: "with fields and elements of others is as wanted",
      kind: ["apps/v1", "Deployment"],
      wanted: deployment({ env: [{ name: "A", value: "1" }] }),
      found: {
        ...deployment(
          {
            env: [
              { name: "B", value: "2" },
              { name: "A", value: "1" },
            ],
            imagePullPolicy: "Always",
          },
          { restartPolicy: "Always" },
        ),
        status: { replicas: 1 },
      },
      want: true,
    },
    {
      name: "with another value in an element is not",
      kind: ["apps/v1", "Deployment"],
      wanted: deployment({ env: [{ name: "A", value: "1" }] }),
      found: deployment({ env: [{ name: "A", value: "2" }] }),
      want: false,
    },
    {
      name: "without an element that was set is not",
      kind: ["apps/v1", "Deployment"],
      wanted: deployment({ volumeMounts: [{ mountPath: "/flag", name: "flag" }] }),
      found: deployment({}),
      want: false,
    },
    {
      name: "with one port number for TCP and for UDP is as wanted, in any order",
      kind: ["v1", "Service"],
      wanted: policy({
        ports: [
          { port: 53, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
      }),
      found: policy({
        ports: [
          { port: 53, protocol: "UDP", nodePort: 30053 },
          { port: 53, protocol: "TCP", nodePort: 30054 },
        ],
      }),
      want: true,
    },
    {
      name: "of whose two equal port numbers one is missing is not",
      kind: ["v1", "Service"],
      wanted: policy({
        ports: [
          { port: 53, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
      }),
      found: policy({ ports: [{ port: 53, protocol: "TCP" }] }),
      want: false,
    },
    {
      name: "with more labels, finalizers and owners is as wanted",
      kind: ["example.com/v1", "Route"],
      wanted: { metadata: { labels: { a: "1" }, finalizers: ["x"], ownerReferences: [{ uid: "o1" }] } },
      found: {
        metadata: {
          labels: { a: "1", b: "2" },
          finalizers: ["y", "x"],
          ownerReferences: [{ uid: "o2" }, { uid: "o1", name: "owner" }],
        },
      },
      want: true,
    },
    {
      name: "of a custom kind is compared list by list, with defaults inside elements",
      kind: ["gateway.networking.k8s.io/v1", "HTTPRoute"],
      wanted: { spec: { parentRefs: [{ name: "gateway" }] } },
      found: { spec: { parentRefs: [{ name: "gateway", kind: "Gateway" }] } },
      want: true,
    },
    {
      name: "of a custom kind with one element more is not",
      kind: ["gateway.networking.k8s.io/v1", "HTTPRoute"],
      wanted: { spec: { hostnames: ["a"], parentRefs: [{ name: "gateway" }] } },
      found: { spec: { hostnames: ["a"], parentRefs: [{ name: "gateway" }, { name: "other" }] } },
      want: false,
    },
    {
      name: "whose selector was narrowed is not",
      kind: ["v1", "Service"],
      wanted: { spec: { selector: { app: "web" } } },
      found: { spec: { selector: { app: "web", also: "this" } } },
      want: false,
    },
    {
      name: "whose empty selector, which means all, was narrowed is not",
      kind: ["networking.k8s.io/v1", "NetworkPolicy"],
      wanted: policy({ podSelector: {}, policyTypes: ["Ingress"] }),
      found: policy({ podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Ingress"] }),
      want: false,
    },
    {
      name: "that is a network policy with a peer that was widened is not",
      kind: ["networking.k8s.io/v1", "NetworkPolicy"],
      wanted: policy({ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] }),
      found: policy({ podSelector: {}, ingress: [{ from: [{ podSelector: {}, namespaceSelector: { a: {} } }] }] }),
      want: false,
    },
    {
      name: "that is a network policy with a direction that was opened is not",
      kind: ["cilium.io/v2", "CiliumNetworkPolicy"],
      wanted: policy({ endpointSelector: {}, ingress: [{ fromEntities: ["ingress"] }] }),
      found: policy({
        endpointSelector: {},
        ingress: [{ fromEntities: ["ingress"] }],
        egress: [{ toEntities: ["all"] }],
      }),
      want: false,
    },
    {
      name: "that is a network policy with labels and a status of others is as wanted",
      kind: ["cilium.io/v2", "CiliumNetworkPolicy"],
      wanted: policy({ endpointSelector: {}, ingress: [{}] }),
      found: { ...policy({ endpointSelector: {}, ingress: [{}], egress: [] }), status: { ok: true } },
      want: true,
    },
    {
      name: "without what was set to nothing is as wanted",
      kind: ["v1", "ConfigMap"],
      wanted: { metadata: { labels: {}, annotations: null }, data: { a: "", b: undefined }, list: [] },
      found: { data: {} },
      want: true,
    },
    {
      name: "with something where nothing was wanted is not",
      kind: ["v1", "ConfigMap"],
      wanted: { data: { a: "" } },
      found: { data: { a: "x" } },
      want: false,
    },
    { name: "whose false was dropped is not", kind: ["v1", "Pod"], wanted: { on: false }, found: {}, want: false },
    {
      name: "with a number in place of its text is not",
      kind: ["v1", "Pod"],
      wanted: { on: "1" },
      found: { on: 1 },
      want: false,
    },
    {
      name: "without what only a prototype has is as wanted",
      kind: ["v1", "ConfigMap"],
      wanted: { data: { constructor: "" } },
      found: { data: {} },
      want: true,
    },
  ])("$name", ({ kind, wanted, found, want }) => {
    expect(isAsWanted(wanted, stored(...kind, found))).toBe(want);
  });
});

// PROPERTIES

const leaf = fc.oneof(fc.string({ minLength: 1 }), fc.integer(), fc.boolean());
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("tree"), { minKeys: 1, maxKeys: 4 }),
    fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
  ),
}));
const named = fc.uniqueArray(fc.record({ name: fc.string({ minLength: 1 }), more: tree }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ name }) => name,
});
/** Something with lists by index, and lists by key where a Deployment has them. */
const manifest = fc.record({
  spec: fc.record({ any: tree, template: fc.record({ spec: fc.record({ containers: named }) }) }),
});
const found = (fields: unknown) => stored("apps/v1", "Deployment", fields as Fields);

/** What a server and others add: fields in every object, and containers of their own before and after. */
function withAdditions(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) {
    const list = value.map((item) => withAdditions(item));
    return field === "containers" ? [{ name: "" }, ...list.reverse(), { name: "", extra: 1 }] : list;
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withAdditions(inner, name)]);
  return { ...Object.fromEntries(fields), "0-added": { by: ["others"] } };
}

type Path = (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leavesOf(item, [...path, at]));
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([field, inner]) => leavesOf(inner, [...path, field]));
}

function change(value: unknown, [step, ...rest]: Path, how: (old: unknown) => unknown): unknown {
  if (step === undefined) return how(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Fields) }) as Fields;
  copy[step] = change(copy[step], rest, how);
  return copy;
}

test("whatever others add, it is as wanted", () => {
  fc.assert(
    fc.property(manifest, (wanted) => {
      expect(isAsWanted(wanted, found(withAdditions(wanted)))).toBe(true);
    }),
  );
});

test("whatever set field changes or goes, it is not as wanted", () => {
  fc.assert(
    fc.property(
      manifest,
      fc.nat(),
      fc.option(leaf, { nil: undefined }),
      fc.boolean(),
      (wanted, pick, value, additions) => {
        const leaves = leavesOf(wanted);
        const path = leaves[pick % leaves.length] as Path;
        fc.pre(path.reduce<unknown>((at, step) => (at as Fields)[step], wanted) !== value);
        const changed = change(wanted, path, () => value);
        expect(isAsWanted(wanted, found(additions ? withAdditions(changed) : changed))).toBe(false);
      },
    ),
    { numRuns: 500 },
  );
});
