import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingControlPlane } from "../../../../../../test/control-plane/binaries.ts";
import type { AnyObject, ServedResource } from "../../registry/resource.ts";
import { workloadKinds } from "./index.ts";
import { cases } from "./testing/cases.ts";
import { changes } from "./testing/changes.ts";
import { judgeChanged, judgeNew, kindOf } from "./testing/judge.ts";
import { randomObject } from "./testing/random-objects.ts";
import { type Answer, RealServer } from "./testing/real-server.ts";
import { rows } from "./testing/rows.ts";

const runs = process.env.WORKLOAD_RUNS;

describe.skipIf(await missingControlPlane())("workloads, beside a real API server", () => {
  let server: RealServer;
  let count = 0;

  beforeAll(async () => {
    server = await RealServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(workloadKinds)("$kind is discovered as it is there", async (kind) => {
    const { group, version, resource, namespaced, singular, shortNames, categories, verbs, subresources } = kind;
    const { body } = await server.ask("GET", group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
    const listed = (body as unknown as { resources: Listed[] }).resources;
    const own = { name: resource, singularName: singular, namespaced, kind: kind.kind, verbs };
    expect(withoutEmpty({ ...own, shortNames, categories })).toEqual(
      withoutEmpty(listed.find(({ name }) => name === resource)),
    );
    const parts = Object.entries(subresources).map(([name, part]) => ({
      name: `${resource}/${name}`,
      singularName: "",
      namespaced,
      kind: part.kind,
      verbs: part.verbs,
      ...((part.group !== group || part.version !== version) && { group: part.group, version: part.version }),
    }));
    // `status` follows from the strategy; nothing here can be reached through a proxy.
    const theirs = listed.filter(({ name }) => name.startsWith(`${resource}/`) && !/\/(status|proxy)$/.test(name));
    expect(parts).toEqual(theirs);
    expect(kind.strategy.hasStatus).toBe(listed.some(({ name }) => name === `${resource}/status`));
  });

  test.each(cases)("$what", async ({ manifest }) => {
    const kind = kindOf(manifest.kind as string);
    const answer = await server.ask("POST", `${pathOf(kind)}?dryRun=All`, manifest);
    const own = judgeNew(kind, manifest);
    expect(own.errors.map(firstLine).toSorted()).toEqual(errorsOf(answer));
    if (answer.code !== 201) return;
    expect(masked(own.object)).toEqual(masked(answer.body));
    expect(own.warnings).toEqual(answer.warnings);
  });

  test.each(workloadKinds)("any $kind at all is refused for the same reasons", async (kind) => {
    await fc.assert(
      fc.asyncProperty(randomObject(kind), async (manifest) => {
        const answer = await server.ask("POST", `${pathOf(kind)}?dryRun=All`, manifest);
        const own = judgeNew(kind, manifest);
        const isMeant = (text: string) => !knownDifferences.some((known) => known.test(text));
        expect(own.errors.map(firstLine).filter(isMeant).toSorted()).toEqual(errorsOf(answer).filter(isMeant));
      }),
      // Always the same ones, unless someone goes looking for more.
      runs === undefined ? { numRuns: 100, seed: 1 } : { numRuns: Number(runs) },
    );
  });

  test.each(changes)("$what", async ({ manifest, status, change, subresource = "" }) => {
    const kind = kindOf(manifest.kind as string);
    const name = `changed-${count++}`;
    const path = `${pathOf(kind)}/${name}`;
    const created = await server.ask("POST", pathOf(kind), {
      ...manifest,
      metadata: { ...(manifest.metadata as object), name },
    });
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    if (status) {
      const answered = await server.ask("PUT", `${path}/status`, { ...created.body, status });
      expect(answered.code, JSON.stringify(answered.body)).toBe(200);
    }
    const { body: stored } = await server.ask("GET", path);
    const changed = change(structuredClone(stored));
    const end = subresource && `/${subresource}`;
    const answer = await server.ask("PUT", `${path}${end}?dryRun=All`, changed);
    const own = judgeChanged(kind, changed, stored, subresource);
    expect(own.errors.map(firstLine).toSorted()).toEqual(errorsOf(answer));
    if (answer.code !== 200) return;
    expect(masked(own.object)).toEqual(masked(answer.body));
  });

  test.each(rows)("$what", async ({ manifest, status, isEnding = false }) => {
    const kind = kindOf(manifest.kind as string);
    const name = `row-${count++}`;
    const metadata = { ...(manifest.metadata as object), name, ...(isEnding && { finalizers: ["example.com/hold"] }) };
    const created = await server.ask("POST", pathOf(kind), { ...manifest, metadata });
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    const path = `${pathOf(kind)}/${name}`;
    if (status) {
      const answered = await server.ask("PUT", `${path}/status`, { ...created.body, status });
      expect(answered.code, JSON.stringify(answered.body)).toBe(200);
    }
    if (isEnding) await server.ask("DELETE", `${path}?gracePeriodSeconds=100`);
    const { body: stored } = await server.ask("GET", path);
    const { body: table } = await server.ask("GET", path, undefined, asTable);
    const { columnDefinitions, rows: answered } = table as unknown as Table;
    expect(kind.columns.map(({ name, type, format = "", priority }) => ({ name, type, format, priority }))).toEqual(
      columnDefinitions.map(({ description, ...column }) => column),
    );
    const own = kind.columns.map(({ value }) => value(stored as unknown as AnyObject, Date.now()));
    expect(own.map(withoutAge)).toEqual(answered[0]?.cells.map(withoutAge));
  });
});

/** Where we say less, or something else, and why. */
const knownDifferences = [
  // No node here runs Windows, nor a driver that is no part of Kubernetes any more: no more is checked than is complete.
  /windowsOptions|WindowsOptions":\{|hostProcess|hostNetwork must be true if|os: Unsupported value: "windows"/,
  /volumes\[\d+\]\.(flocker|fc|gitRepo|rbd|iscsi|azure|scaleIO|quobyte|csi|storageos|flexVolume|portworx|glusterfs)/i,
  /volumes\[\d+\]\.(gcePersistentDisk|persistentDisk|cinder|awsElasticBlockStore|cephfs|photon|vsphere|ephemeral)/i,
  // What kubelets alone write.
  /declaredFeatures|nodeSwapStatus|podCIDRs: (Internal error|Invalid value: \[)/,
  // An empty list or map is to Go another thing than none, here and there; to us it never is.
  /ephemeralContainers\[\d+\]\.\w+: Forbidden|claims may not be set for Resources|status\.allocatable|status\.capacity(\.|\[\]):/,
  /^data: Required value|template\.metadata\.labels: Invalid value: (\{\}|null)/,
];

interface Listed {
  name: string;
  [field: string]: unknown;
}

function withoutEmpty(listed: object | undefined): object {
  const { storageVersionHash, ...rest } = { ...listed } as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

interface Table {
  columnDefinitions: { name: string; type: string; format: string; priority: number; description: string }[];
  rows: { cells: unknown[] }[];
}

/** A second may pass between one answer and the other. */
function withoutAge(cell: unknown): unknown {
  return typeof cell === "string" ? cell.replace(/^\d+s$/, "0s") : cell;
}

function pathOf({ group, version, resource, namespaced }: ServedResource): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced ? `${root}/namespaces/default/${resource}` : `${root}/${resource}`;
}

/** Sorted: Kubernetes goes through maps in no order. */
function errorsOf({ body }: Answer): string[] {
  const { details, message } = body as {
    details?: { causes?: { field: string; message: string }[] };
    message?: string;
  };
  if (body.kind !== "Status") return [];
  return (details?.causes ?? [{ field: "", message: message ?? "" }])
    .map(({ field, message }) => firstLine(`${field}: ${message}`))
    .toSorted();
}

/** Where a pod may not change, Kubernetes adds how its Go structs differ. */
function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

/** Without what the registry fills in for every kind, and without the moment. */
function masked(object: unknown): unknown {
  const text = JSON.stringify(object).replace(/("lastTransitionTime"):"[^"]+"/g, '$1:"then"');
  const { metadata, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const { uid, creationTimestamp, generation, managedFields, resourceVersion, ...own } = metadata as Record<
    string,
    unknown
  >;
  return { ...rest, metadata: own };
}
