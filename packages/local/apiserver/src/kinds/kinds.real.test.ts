/**
 * The built-in kinds beside those of a real API server: what discovery says of them, what they make of manifests, what
 * they refuse and in which words, and how they are shown in tables.
 */
import { applyMergePatch } from "@berg/apimachinery";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyObject, AnyStoredObject, ServedResource } from "../registry/resource.ts";
import { builtInKinds } from "./index.ts";
import { cases } from "./testing/manifests.ts";
import { type Manifest, type Outcome, play, sorted } from "./testing/play.ts";
import { workloadKinds } from "./workloads/index.ts";
import { type Answer, RealServer } from "./workloads/testing/real-server.ts";

const namespace = "cases";
/** Those of `workloads/` have tests of their own. */
const ownKinds = builtInKinds.filter((kind) => !workloadKinds.includes(kind));
const byName = new Map(ownKinds.map((kind) => [nameOf(kind), kind]));

// biome-ignore lint/suspicious/noExplicitAny: whatever a server of another make says
type Said = any;

describe.skipIf(await missingControlPlane())("built-in kinds, beside those of a real API server", () => {
  let server: RealServer;

  beforeAll(async () => {
    server = await RealServer.start();
    await ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function ask(method: string, path: string, body?: unknown, accept?: string): Promise<Answer & { body: Said }> {
    return server.ask(method, path, body, accept);
  }

  // In this order: the tables show what the manifests made.

  describe("a manifest comes out as the real server stores it, or is refused in the same words", () => {
    const stored: AnyStoredObject[] = [];

    test.each(Object.entries(cases))("%s", async (name, { kind: kindName, create, updates = [], status = [] }) => {
      const kind = byName.get(kindName);
      if (!kind) throw new Error(`no such kind: ${kindName}`);
      const manifest = applyMergePatch({ metadata: { name } }, create) as Manifest;
      const path = collectionPath(kind, namespace);
      let real = await ask("POST", path, manifest);
      let ours = play(kind, manifest, { namespace, stored });
      expectSame(ours, real, kind);
      if (!ours.object) return;
      stored.push(ours.object);

      const writes = [
        ...updates.map((patch) => ({ patch, subresource: "" })),
        ...status.map((patch) => ({ patch, subresource: "status" })),
      ];
      for (const { patch, subresource } of writes) {
        const [realBefore, old] = [real.body, ours.object as AnyStoredObject];
        const at = `${path}/${name}${subresource && `/${subresource}`}`;
        const written = await ask("PUT", at, applyMergePatch(realBefore, patch));
        const answer = play(kind, applyMergePatch(old, patch) as unknown as Manifest, {
          namespace,
          old,
          stored,
          subresource,
        });
        expectSame(answer, written, kind);
        if (!answer.object) continue;
        stored.splice(stored.indexOf(old), 1, answer.object);
        [ours, real] = [answer, written];
      }
    });
  });

  describe("tables have the same columns and cells", () => {
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

    test.each(ownKinds.map((kind) => [nameOf(kind), kind] as const))("%s", async (_, kind) => {
      const path = collectionPath(kind, namespace);
      const shown = (await ask("GET", path, undefined, table)).body;
      const { items } = (await ask("GET", path)).body;
      const columns = shown.columnDefinitions.map(({ name, type, format, priority }: Record<string, unknown>) => ({
        name,
        type,
        format,
        priority,
      }));
      expect(kind.columns.map(({ name, type, format = "", priority }) => ({ name, type, format, priority }))).toEqual(
        columns,
      );
      const now = Date.now();
      const typed = items.map((item: object) => ({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind }));
      const rows = typed.map((item: AnyObject) => kind.columns.map(({ value }) => withoutAge(value(item, now))));
      expect(rows).toEqual((shown.rows ?? []).map(({ cells }: { cells: unknown[] }) => cells.map(withoutAge)));
    });
  });

  test("discovery says the same of them", async () => {
    for (const kind of ownKinds) {
      const { resources } = (await ask("GET", groupPath(kind))).body;
      const real = resources.find(({ name }: { name: string }) => name === kind.resource);
      const { singular, namespaced, kind: kindName, verbs, shortNames, categories } = kind;
      expect({ singular, namespaced, kind: kindName, verbs, shortNames, categories }).toEqual({
        singular: real.singularName,
        namespaced: real.namespaced,
        kind: real.kind,
        verbs: real.verbs,
        shortNames: real.shortNames ?? [],
        categories: real.categories ?? [],
      });
      const subresources = resources.flatMap(({ name }: { name: string }) => {
        const [resource, subresource] = name.split("/");
        return resource === kind.resource && subresource && subresource !== "proxy" ? [subresource] : [];
      });
      const ours = [...Object.keys(kind.subresources), ...(kind.strategy.hasStatus ? ["status"] : [])];
      expect(sorted(ours), nameOf(kind)).toEqual(sorted(subresources));
    }
  });

  test("field selectors know the same fields", async () => {
    for (const kind of ownKinds) {
      const select = async (field: string) => {
        const path = `${collectionPath(kind, namespace)}?fieldSelector=${encodeURIComponent(`${field}=x`)}`;
        return (await ask("GET", path)).code;
      };
      for (const field of Object.keys(kind.selectableFields))
        expect([field, await select(field)]).toEqual([field, 200]);
      expect(await select("spec.nothing")).toBe(400);
    }
  });
});

function expectSame(ours: Outcome, { code, body, warnings }: Answer & { body: Said }, kind: ServedResource): void {
  if (code >= 400) {
    expect(sorted(ours.causes ?? ["accepted"])).toEqual(
      sorted(body.details?.causes ?? [{ code, message: body.message }]),
    );
    return;
  }
  expect(masked(ours.causes ?? ours.object)).toEqual(masked(body));
  expect(ours.warnings).toEqual(warnings);
  expect(kind.strategy.hasGeneration).toBe(body.metadata.generation !== undefined);
}

/** Without what is the registry's, and with addresses and ports that were given out by chance made alike. */
function masked(object: unknown): unknown {
  const copy = structuredClone(object) as { metadata?: Record<string, unknown> };
  for (const field of ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"])
    delete copy.metadata?.[field];
  return JSON.parse(JSON.stringify(copy), (key, value) => {
    if (key === "nodePort" || key === "healthCheckNodePort") return value > 30_085 ? "<port>" : value;
    if (typeof value === "string" && /^10\.96\.\d+\.\d+$/.test(value))
      return value.startsWith("10.96.0.") ? value : "<address>";
    return value;
  });
}

function withoutAge(cell: unknown): unknown {
  return typeof cell === "string" && /^(\d+[smhdy])+$/.test(cell) ? "<age>" : cell;
}

function nameOf({ group, resource }: ServedResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function apiVersionOf({ group, version }: ServedResource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `/apis/apps/v1` */
function groupPath(kind: ServedResource): string {
  return kind.group === "" ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
}

function collectionPath(kind: ServedResource, namespace: string): string {
  const scope = kind.namespaced ? `/namespaces/${namespace}` : "";
  return `${groupPath(kind)}${scope}/${kind.resource}`;
}
