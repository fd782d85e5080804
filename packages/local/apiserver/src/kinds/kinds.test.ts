/**
 * What the kinds make of the manifests that `kinds.real.test.ts` puts to a real API server. That one says that it is
 * right; this one, which needs no server, that it stays so. `npx vitest -u` rewrites `snapshots/`: YAML, but not such as the formatter would write.
 */
import { applyMergePatch } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { AnyObject, AnyStoredObject, ServedResource } from "../registry/resource.ts";
import { builtInKinds } from "./index.ts";
import { type Case, cases } from "./testing/manifests.ts";
import { type Manifest, type Outcome, play, texts } from "./testing/play.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const namespace = "cases";

const kinds = new Map(
  builtInKinds.map((kind) => [kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`, kind]),
);
const kindNames = [...new Set(Object.values(cases).map(({ kind }) => kind))];

test.each(kindNames)("manifests of %s", async (kindName) => {
  const stored: AnyStoredObject[] = [];
  const own = Object.entries(cases).filter(([, { kind }]) => kind === kindName);
  const outcomes = own.map(([name, written]) => [name, history(name, written, stored)]);
  await expect(
    stringify(Object.fromEntries(outcomes), { lineWidth: 0, aliasDuplicateObjects: false }),
  ).toMatchFileSnapshot(`snapshots/${kindName}.txt`);
});

function history(name: string, { kind: kindName, create, updates = [], status = [] }: Case, stored: AnyStoredObject[]) {
  const kind = kindOf(kindName);
  const created = play(kind, manifestOf(name, create), { namespace, stored });
  const outcomes = [created];
  let current = created.object;
  if (current) stored.push(current);
  const writes = [
    ...updates.map((patch) => ({ patch, subresource: "" })),
    ...status.map((patch) => ({ patch, subresource: "status" })),
  ];
  for (const { patch, subresource } of current ? writes : []) {
    const old = current as AnyStoredObject;
    const written = play(kind, applyMergePatch(old, patch) as unknown as Manifest, {
      namespace,
      old,
      stored,
      subresource,
    });
    outcomes.push(written);
    if (!written.object) continue;
    stored.splice(stored.indexOf(old), 1, written.object);
    current = written.object;
  }
  return outcomes.map((outcome) => shown(kind, outcome));
}

function shown(kind: ServedResource, outcome: Outcome): unknown {
  if (!outcome.object) return { refused: texts(outcome) };
  const { apiVersion, kind: _, metadata, ...rest } = outcome.object;
  const { name, namespace, uid, ...more } = metadata;
  const row = kind.columns.map(({ value }) => value(outcome.object as unknown as AnyObject, now)).slice(1);
  return { stored: { ...more, ...rest }, row, ...(outcome.warnings?.length && { warnings: outcome.warnings }) };
}

describe("what is stored", () => {
  const objects = Object.entries(cases).flatMap(([name, { kind, create }]) => {
    const { object } = play(kindOf(kind), manifestOf(name, create), { namespace });
    return object ? [[name, kindOf(kind), object] as const] : [];
  });

  test.each(objects)("%s: stays as it is when it is read in again", (_, kind, object) => {
    const again = structuredClone(object) as unknown as AnyObject;
    kind.strategy.fillIn?.(again);
    expect(again).toEqual(object);
  });

  test.each(objects)("%s: can be sent back unchanged", (_, kind, old) => {
    const { object, causes } = play(kind, structuredClone(old) as never, { namespace, old, stored: [old] });
    expect(causes).toBeUndefined();
    expect(object).toEqual(old);
  });
});

test("every kind has a table of its own, apart from events", () => {
  const tables = builtInKinds.map(({ storedAs }) => storedAs);
  expect(new Set(tables).size).toBe(tables.length - 1);
});

function manifestOf(name: string, create: Record<string, unknown>): Manifest {
  return applyMergePatch({ metadata: { name } }, create) as unknown as Manifest;
}

function kindOf(name: string): ServedResource {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`no such kind: ${name}`);
  return kind;
}
