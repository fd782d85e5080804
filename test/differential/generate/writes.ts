/** Requests that write one object: created, replaced, patched, applied. */
import { applyMergePatch } from "@berg/apimachinery";
import fc from "fast-check";
import type { Json, Kind } from "../kinds/index.ts";
import { type Step, types } from "../step.ts";
import { asked, key, pathOf } from "./places.ts";
import { jsonPatch, odd, oneIn, oneWrong, withDirective, withNulls } from "./values.ts";

const writeOptions = fc.record({
  dryRun: oneIn(8, fc.constant("All")),
  fieldValidation: oneIn(2, fc.constantFrom("Strict", "Warn", "Ignore")),
  fieldManager: oneIn(2, fc.constantFrom("x", "y")),
});

export function bodies(kind: Kind): fc.Arbitrary<Json> {
  return fc.oneof({ arbitrary: kind.body, weight: 5 }, { arbitrary: oneWrong(kind.body), weight: 1 });
}

function named(kind: Kind, name: string, body: Json): Json {
  const { metadata, ...rest } = body;
  const typed = { apiVersion: kind.apiVersion, kind: kind.kind };
  return {
    ...typed,
    metadata: metadata === null || typeof metadata !== "object" ? metadata : { name, ...metadata },
    ...rest,
  };
}

function whole(kind: Kind, name: string): fc.Arbitrary<Json> {
  const full = kind.body.map((body) =>
    named(kind, name, { metadata: {}, ...(applyMergePatch(structuredClone(kind.base), body) as Json) }),
  );
  return fc.oneof({ arbitrary: full, weight: 6 }, { arbitrary: oneWrong(full), weight: 1 });
}

/** How a script begins: with something that is there. */
export function begin(kind: Kind, name: string): fc.Arbitrary<Step> {
  return whole(kind, name).map((body) => ({ method: "POST", path: pathOf(kind), body }));
}

export function create(kind: Kind, name: string): fc.Arbitrary<Step> {
  const generated = whole(kind, name).map((body) => {
    if (body.metadata === null || typeof body.metadata !== "object") return body;
    const { name: _, ...metadata } = body.metadata as Json;
    return { ...body, metadata: { generateName: kind.namespaced ? "gen-{n}-" : "{ns}-gen-{n}-", ...metadata } };
  });
  const body = fc.oneof(
    { arbitrary: whole(kind, name), weight: 40 },
    { arbitrary: generated, weight: 6 },
    { arbitrary: odd, weight: 1 },
  );
  return fc
    .tuple(body, writeOptions)
    .map(([sent, options]) => ({ method: "POST", path: asked(pathOf(kind), options), body: sent }));
}

export function update(kind: Kind, name: string): fc.Arbitrary<Step> {
  const version = fc.constantFrom(
    undefined,
    `{rv ${key(kind, name)}}`,
    `{rv ${key(kind, name)}}`,
    `{oldrv ${key(kind, name)}}`,
  );
  return fc.tuple(whole(kind, name), version, writeOptions).map(([body, resourceVersion, options]) => ({
    method: "PUT",
    path: asked(pathOf(kind, name), options),
    body:
      resourceVersion && isObject(body.metadata) ? { ...body, metadata: { ...body.metadata, resourceVersion } } : body,
  }));
}

/** Reads, changes and writes back, as most clients do. */
export function change(kind: Kind, name: string): fc.Arbitrary<Step> {
  const patch = fc.oneof(withNulls(kind.body), bodies(kind));
  const subresource = kind.status ? fc.constantFrom("", "", "", "/status") : fc.constant("");
  return fc.tuple(patch, subresource, writeOptions).map(([body, part, options]) => ({
    method: "PUT",
    path: asked(pathOf(kind, name) + part, options),
    from: key(kind, name),
    body,
  }));
}

export function patch(kind: Kind, name: string): fc.Arbitrary<Step> {
  const merge = fc
    .oneof(withNulls(kind.body), bodies(kind))
    .map((body) => ({ type: types.merge, body: body as unknown }));
  const strategic = fc
    .oneof(withDirective(kind.body), withNulls(kind.body), bodies(kind))
    .map((body) => ({ type: types.strategic, body: body as unknown }));
  const json = jsonPatch(kind.body).map((body) => ({ type: types.json, body: body as unknown }));
  const guarded = fc.constantFrom(`{rv ${key(kind, name)}}`, `{oldrv ${key(kind, name)}}`).map((resourceVersion) => ({
    type: types.merge,
    body: { metadata: { resourceVersion, labels: { guarded: "yes" } } } as unknown,
  }));
  const one = fc.oneof(
    { arbitrary: merge, weight: 3 },
    { arbitrary: strategic, weight: 4 },
    { arbitrary: json, weight: 3 },
    { arbitrary: guarded, weight: 1 },
  );
  return fc
    .tuple(one, writeOptions)
    .map(([sent, options]) => ({ method: "PATCH", path: asked(pathOf(kind, name), options), ...sent }));
}

export function apply(kind: Kind, name: string): fc.Arbitrary<Step> {
  const partial = bodies(kind).map((body) => named(kind, name, { metadata: {}, ...body }));
  const body = fc.oneof({ arbitrary: partial, weight: 3 }, { arbitrary: whole(kind, name), weight: 2 });
  const options = fc.record({
    fieldManager: fc.constantFrom("x", "y"),
    force: oneIn(2, fc.constantFrom("true", "false")),
    dryRun: oneIn(10, fc.constant("All")),
    fieldValidation: oneIn(6, fc.constantFrom("Strict", "Warn")),
  });
  return fc.tuple(body, options).map(([sent, query]) => ({
    method: "PATCH",
    path: asked(pathOf(kind, name), query),
    type: types.apply,
    body: sent,
  }));
}

export function writeStatus(kind: Kind, name: string, status: fc.Arbitrary<Json>): fc.Arbitrary<Step> {
  const body = fc.tuple(status, kind.body).map(([inside, other]): Json => ({ ...other, status: inside }));
  const path = `${pathOf(kind, name)}/status`;
  const merge = withNulls(body).map((sent) => ({ method: "PATCH" as const, path, type: types.merge, body: sent }));
  const strategic = withDirective(body).map((sent) => ({
    method: "PATCH" as const,
    path,
    type: types.strategic,
    body: sent,
  }));
  const put = fc
    .oneof(body, oneWrong(body))
    .map((sent) => ({ method: "PUT" as const, path, from: key(kind, name), body: sent }));
  const applied = fc.tuple(status, fc.constantFrom("x", "y")).map(([inside, manager]) => ({
    method: "PATCH" as const,
    path: `${path}?fieldManager=${manager}&force=true`,
    type: types.apply,
    body: named(kind, name, { metadata: {}, status: inside }),
  }));
  return fc.oneof(merge, strategic, put, applied);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
