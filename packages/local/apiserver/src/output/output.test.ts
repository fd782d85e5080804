import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { KubeObject } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { builtIn } from "../kinds/built-in.ts";
import type { AnyStoredObject } from "../registry/resource.ts";
import type { WatchFrame } from "../registry/verbs.ts";
import type { HistoryEvent } from "../storage/table.ts";
import { encodeList, encodeObject } from "./answers.ts";
import { bodyOf } from "./encoded.ts";
import { type Form, formOf, plainFormOf, plainJson } from "./form.ts";
import { frameEncoder } from "./watch-frames.ts";
import { streamWatch } from "./watch-stream.ts";

const columns = [
  { name: "Name", type: "string", description: "", priority: 0, value: ({ metadata }: KubeObject) => metadata.name },
] as const;
const maps = builtIn({ resource: "configmaps", kind: "ConfigMap", schema: {}, columns });
const widgets = builtIn({ group: "x.io", resource: "widgets", kind: "Widget", schema: {}, columns });
const questions = builtIn({ group: "policy", resource: "questions", kind: "Question", schema: {}, columns: [] });
const view = { includeObject: "Metadata", now: 0 } as const;

function object(name: string, more = {}, kind = "ConfigMap", apiVersion = "v1"): AnyStoredObject {
  return Object.freeze({
    apiVersion,
    kind,
    metadata: { name, uid: "u", resourceVersion: "7", creationTimestamp: "t" },
    ...more,
  });
}
const parsed = (bytes: Buffer) => JSON.parse(bytes.toString());
const table: Form = { ...plainJson, as: "table" };
const metadata: Form = { ...plainJson, as: "metadata", metaVersion: "meta.k8s.io/v1beta1" };

describe("an answer", () => {
  const one = object("a", { data: { x: "yes", y: "é\n" } });

  test("is the object", () => {
    expect(parsed(encodeObject(maps, one, plainJson, view))).toEqual(one);
    expect(encodeObject(maps, one, plainJson, view).at(-1)).toBe(10);
  });

  test("in YAML is the same for who reads YAML 1.1", () => {
    const text = encodeObject(maps, one, { ...plainJson, media: "application/yaml" }, view).toString();
    expect(parse(text, { version: "1.1" })).toEqual(one);
    expect(text).toContain('"yes"');
  });

  test("is readable where a person asks", () => {
    expect(encodeObject(maps, one, { ...plainJson, isPretty: true }, view).toString()).toBe(
      `${JSON.stringify({ kind: one.kind, apiVersion: one.apiVersion, metadata: one.metadata, data: one.data }, null, 2)}\n`,
    );
  });

  test("of a kind that keeps nothing may be without metadata", () => {
    const bare = { apiVersion: "v1", kind: "Bare" } as AnyStoredObject;
    expect(parsed(encodeObject(maps, bare, plainJson, view))).toEqual(bare);
  });

  test("with many objects says what they are only where they are custom", () => {
    const items = [object("a", { data: { x: "1" } }), object("b")];
    const { apiVersion: _, kind: __, ...rest } = items[0] as AnyStoredObject;
    const list = parsed(encodeList(maps, { metadata: { resourceVersion: "9" }, items }, plainJson, view));
    expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "9" } });
    expect(list.items[0]).toEqual(rest);
    const own = [object("w", {}, "Widget", "x.io/v1")];
    const custom = parsed(encodeList(widgets, { metadata: { resourceVersion: "9" }, items: own }, plainJson, view));
    expect(custom).toEqual({
      kind: "WidgetList",
      apiVersion: "x.io/v1",
      metadata: { resourceVersion: "9", continue: "" },
      items: own,
    });
    expect(parsed(encodeList(maps, { metadata: {}, items: [] }, plainJson, view)).items).toEqual([]);
  });

  test("as metadata leaves out the rest", () => {
    const { metadata: meta } = one;
    const want = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: meta };
    expect(parsed(encodeObject(maps, one, metadata, view))).toEqual(want);
    expect(parsed(encodeList(maps, { metadata: {}, items: [one] }, metadata, view)).items).toEqual([want]);
  });

  test("makes the JSON of a stored object once", () => {
    expect(bodyOf(one)).toBe(bodyOf(one));
  });
});

describe("what a client accepts", () => {
  const json = "application/json";
  const asTable = `${json};as=Table;v=v1;g=meta.k8s.io`;
  test.each<[string | undefined, Partial<Form>]>([
    [undefined, {}],
    ["", {}],
    ["*/*", {}],
    ["application/vnd.kubernetes.protobuf,application/json", {}],
    [`application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,${asTable},${json}`, { as: "table" }],
    [`${json};as=Table;v=v1beta1;g=meta.k8s.io`, { as: "table", metaVersion: "meta.k8s.io/v1beta1" }],
    ["application/yaml", { media: "application/yaml" }],
    [`${json};pretty=1`, { isPretty: true }],
    [`${json};as=Table;v=v9;g=meta.k8s.io,${json}`, {}],
    [`${json};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, { as: "metadata" }],
  ])("%j", (accept, wanted) => expect(formOf(accept, maps, "object")).toEqual({ ...plainJson, ...wanted }));

  test.each<[string, Parameters<typeof formOf>[1], Parameters<typeof formOf>[2], RegExp]>([
    ["text/html", maps, "object", /^406: Not Acceptable/],
    ["application/*", maps, "object", /^406: Not Acceptable/],
    [
      "text/html",
      widgets,
      "object",
      /^only the following media types are accepted: application\/json, application\/yaml$/,
    ],
    ["application/vnd.kubernetes.protobuf", maps, "list", /406/],
    ["application/yaml", maps, "watch", /^only .* application\/json;stream=watch$/],
    [asTable, questions, "object", /^only the following/],
    [`${json};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, maps, "list", /is a list \(\*core.ConfigMapList\)$/],
    [`${json};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`, maps, "object", /is not a list \(\*core.ConfigMap\)$/],
  ])("%s is refused", (accept, resource, shape, wanted) => {
    expect(() => formOf(accept, resource, shape)).toThrow(wanted);
  });

  test("refusals are plain, whatever was asked for", () => {
    expect(plainFormOf(asTable)).toEqual(plainJson);
    expect(plainFormOf("text/html")).toEqual(plainJson);
    expect(plainFormOf("application/yaml")).toMatchObject({ media: "application/yaml" });
  });
});

describe("frames of a watch", () => {
  const event = (): HistoryEvent => ({
    type: "ADDED",
    revision: 7,
    object: object("a"),
    previous: undefined,
    encodings: new Map(),
  });
  const frameOf = (from: HistoryEvent): WatchFrame => ({
    type: "ADDED",
    object: from.object as AnyStoredObject,
    event: from,
  });

  test("are made once for all who watch in the same form", () => {
    const happened = event();
    const encode = () => frameEncoder(maps, plainJson, () => view)(frameOf(happened));
    expect(encode()).toBe(encode());
    expect(parsed(encode())).toEqual({ type: "ADDED", object: happened.object });
    const partial = frameEncoder(maps, metadata, () => view)(frameOf(happened));
    expect(parsed(partial).object.kind).toBe("PartialObjectMetadata");
    expect(happened.encodings.size).toBe(2);
  });

  test("are not kept for ever", () => {
    const first = event();
    const encode = frameEncoder(maps, plainJson, () => view);
    encode(frameOf(first));
    const large = "x".repeat(1 << 20);
    for (let i = 0; i < 20; i++) encode(frameOf({ ...event(), object: object(`n${i}`, { data: { large } }) }));
    expect(first.encodings.size).toBe(0);
  });

  test("name the columns of a table once", () => {
    const encode = frameEncoder(maps, table, () => view);
    const definitions = [1, 2].map(() => parsed(encode(frameOf(event()))).object.columnDefinitions);
    expect(definitions).toEqual([[{ name: "Name", type: "string", format: "", description: "", priority: 0 }], null]);
  });

  test("of an error are a Status in every form", () => {
    const status = { kind: "Status", code: 410 } as unknown as AnyStoredObject;
    expect(parsed(frameEncoder(maps, table, () => view)({ type: "ERROR", object: status }))).toEqual({
      type: "ERROR",
      object: status,
    });
  });
});

describe("a client that does not read", () => {
  async function* endless(seen: { taken: number }): AsyncGenerator<readonly WatchFrame[]> {
    for (;;) {
      await turn();
      seen.taken++;
      yield [{ type: "ADDED", object: object("a", { data: { x: "x".repeat(10_000) } }) }];
    }
  }

  test("holds up its own watch, and costs no more than what is on its way", async () => {
    const seen = { taken: 0 };
    const to = new PassThrough({ highWaterMark: 1 << 16 });
    const done = streamWatch(
      endless(seen),
      frameEncoder(maps, plainJson, () => view),
      to,
    );
    for (let i = 0; i < 200; i++) await turn();
    const stalledAt = seen.taken;
    expect(stalledAt).toBeLessThan(30);
    to.resume();
    for (let i = 0; i < 200; i++) await turn();
    expect(seen.taken).toBeGreaterThan(stalledAt);
    to.destroy();
    await done;
  });

  test("and goes away ends it", async () => {
    const to = new PassThrough({ highWaterMark: 1 });
    const done = streamWatch(
      endless({ taken: 0 }),
      frameEncoder(maps, plainJson, () => view),
      to,
    );
    await turn();
    to.destroy();
    await done;
  });

  test("gets a large batch in pieces", async () => {
    const frames: WatchFrame[] = Array.from({ length: 50 }, () => ({
      type: "ADDED",
      object: object("a", { data: { x: "x".repeat(10_000) } }),
    }));
    const to = new PassThrough({ highWaterMark: 1 });
    const sizes: number[] = [];
    to.on("data", (chunk: Buffer) => sizes.push(chunk.length));
    await streamWatch(
      (async function* () {
        yield frames;
      })(),
      frameEncoder(maps, plainJson, () => view),
      to,
    );
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    expect(sizes.length).toBeGreaterThan(5);
  });
});
