import { readdir, readFile } from "node:fs/promises";
import { get } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, type KubeObject, StatusError } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FieldError } from "../errors/field-error.ts";
import type { Column } from "../registry/resource.ts";
import { ServedResources } from "../registry/served-resources.ts";
import { subdomainProblems } from "../schema/metadata/names.ts";
import { validateObjectMeta } from "../schema/metadata/validate-object-meta.ts";
import { CustomKinds } from "./custom-kinds.ts";
import type { DefinitionDraft, StoredDefinition } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { nextStep } from "./lifecycle.ts";
import { definition, group, odd, schema, version } from "./testing/definitions.ts";

const Crds = defineResource<StoredDefinition & KubeObject>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

const moment = { now: 0, random: () => 0, newestAll: () => [] };

/** As the registry does it. */
function written(crd: DefinitionDraft, old?: StoredDefinition): { crd: StoredDefinition; errors: FieldError[] } {
  const draft = structuredClone(crd) as StoredDefinition;
  definitionStrategy.fillIn?.(draft);
  definitionStrategy.prepare?.(draft, old, moment);
  const rules = { namespaced: false, nameProblems: subdomainProblems, old: old?.metadata, isBuiltIn: true };
  const errors = [
    ...validateObjectMeta(draft.metadata, rules),
    ...(definitionStrategy.validate?.(draft, old, "") ?? []),
  ];
  return { crd: draft, errors };
}

describe.skipIf(await missingControlPlane())("CustomResourceDefinitions on a real API server and ours", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  const sorted = (errors: readonly unknown[]) => errors.map((error) => JSON.stringify(error)).sort();
  const said = (write: Promise<unknown>) =>
    write.then(
      () => [],
      (error) => {
        if (!(error instanceof StatusError) || error.reason !== "Invalid") throw error;
        return (error.status.details?.causes ?? []).map(({ reason, field, message }) => ({ reason, field, message }));
      },
    );

  test.each(odd)("%s", async (_, crd) => {
    const real = await said(client.create(Crds, crd as never, { dryRun: true }));
    expect(sorted(written(crd).errors)).toEqual(sorted(real));
  });

  test("what may not change once it is established", async () => {
    const crd = definition("fixeds", { versions: [version("v1"), version("v2", { storage: false })] });
    await client.create(Crds, crd as never);
    const stored = await established("fixeds");
    const changes: Partial<DefinitionDraft["spec"]>[] = [
      { scope: "Cluster" },
      { names: { ...stored.spec.names, kind: "Other" } },
      { names: { ...stored.spec.names, plural: "others" } },
      { group: "other.berg.test" },
      { versions: [version("v2")] },
      { names: { ...stored.spec.names, singular: "single" } },
    ];
    for (const change of changes) {
      const changed = { ...stored, spec: { ...stored.spec, ...change } };
      const real = await said(client.update(Crds, changed as never, { dryRun: true }));
      expect(sorted(written(changed, stored).errors), JSON.stringify(change)).toEqual(sorted(real));
    }
  });

  async function established(plural: string): Promise<StoredDefinition> {
    for (;;) {
      const crd = (await client.get(Crds, "", `${plural}.${group}`)) as unknown as StoredDefinition;
      const about = (type: string) => crd.status?.conditions?.find((each) => each.type === type)?.status;
      if (about("Established") === "True" || about("NamesAccepted") === "False") return crd;
      await delay(50);
    }
  }

  const masked = (status: unknown) =>
    JSON.parse(JSON.stringify(status), (key, value) => (key === "lastTransitionTime" ? "" : value));

  test("what it comes to, and which names are taken", async () => {
    const all = [
      definition("apples", { names: { plural: "apples", kind: "Apple", shortNames: ["ap"], categories: ["fruit"] } }),
      definition("pears", { names: { plural: "pears", kind: "Apple" } }),
      definition("plums", { names: { plural: "plums", kind: "Plum", shortNames: ["ap", "apple", "pl"] } }),
      definition("figs", { names: { plural: "figs", kind: "Fig", singular: "apple", listKind: "AppleList" } }),
    ];
    const ours: StoredDefinition[] = [];
    for (const crd of all) {
      await client.create(Crds, crd as never);
      const real = await established(crd.spec.names.plural);
      const made = written(crd).crd;
      const step = nextStep(made, { all: ours, hasObjects: false, now: 0 });
      if (step.do !== "write status") throw new Error(`${step.do}`);
      ours.push({ ...made, status: step.status });
      const byType = (status: { conditions?: { type: string }[] | null }) => ({
        ...masked(status),
        conditions: masked(status.conditions?.toSorted((a, b) => (a.type < b.type ? -1 : 1))),
      });
      expect(byType(step.status), crd.metadata.name).toEqual(byType(real.status as never));
      expect(made.spec).toEqual(real.spec);
    }
  });

  test("how it is listed and shown", async () => {
    const crd = definition("shows", {
      names: { plural: "shows", kind: "Show", shortNames: ["sh"], categories: ["all", "berg"] },
      versions: [
        version("v1", {
          subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
          schema: { openAPIV3Schema: { ...schema, properties: { ...schema.properties, status: anything } } },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1, description: "how big" },
            { name: "Color", type: "string", jsonPath: ".spec.color", format: "byte" },
            { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: "Since", type: "date", jsonPath: ".status.conditions[?(@.type=='Ready')].since" },
            { name: "First", type: "string", jsonPath: ".spec.tags[0]" },
            { name: "Last", type: "string", jsonPath: ".spec.tags[-1]" },
            { name: "All", type: "string", jsonPath: ".spec.tags" },
            { name: "Each", type: "string", jsonPath: ".spec.tags[*]" },
            { name: "Whole", type: "string", jsonPath: ".status.map" },
            { name: "Dotted", type: "string", jsonPath: ".status.map.a\\.b" },
            { name: "Quoted", type: "string", jsonPath: ".status.map['a.b']" },
            { name: "Number", type: "number", jsonPath: ".status.number" },
            { name: "Text", type: "string", jsonPath: ".status.number" },
            { name: "Flag", type: "boolean", jsonPath: ".status.flag" },
            { name: "Wrong", type: "integer", jsonPath: ".spec.color" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        }),
        version("v1beta1", { storage: false }),
      ],
    });
    await client.create(Crds, crd as never);
    const stored = await established("shows");
    const served = new ServedResources();
    new CustomKinds(served).set(stored);

    const list = async () =>
      JSON.parse(await controlPlane.kubectl(["get", "--raw", `/apis/${group}/v1`])).resources as Record<
        string,
        unknown
      >[];
    while (!(await list()).some(({ name }) => name === "shows/scale")) await delay(50);
    const [listed] = (await list()).filter(({ name }) => name === "shows");
    const ours = served.find(group, "v1", "shows");
    expect(listed).toMatchObject({
      singularName: ours?.singular,
      kind: ours?.kind,
      verbs: ours?.verbs,
      shortNames: ours?.shortNames,
      categories: ours?.categories,
      namespaced: ours?.namespaced,
    });

    const Shows = defineResource<KubeObject>({
      group,
      version: "v1",
      resource: "shows",
      kind: "Show",
      namespaced: true,
    });
    const body = { metadata: { name: "one", namespace: "default" }, spec: { size: 3, color: "red", tags: ["a", "b"] } };
    const one = await client.create(Shows, body as never);
    const status = {
      conditions: [
        { type: "Other", status: "x" },
        { type: "Ready", status: "True", since: "2020-01-01T00:00:00Z" },
      ],
      map: { "a.b": 1, c: [1.5, "<"] },
      number: 2.5,
      flag: false,
    };
    await client.update(Shows, { ...one, status } as never, { subresource: "status" });
    await client.create(Shows, { metadata: { name: "two", namespace: "default" } } as never);
    const table = await tableFrom(controlPlane, `/apis/${group}/v1/namespaces/default/shows`);
    const objects = (await client.list(Shows, { namespace: "default" })).items as never[];
    const columns = ours?.columns ?? [];
    const cells = objects.map((object) => columns.map((column) => column.value(object, Date.now()) ?? null));
    // How long it is there depends on when it is asked.
    const ageless = (row: unknown[]) => row.slice(0, -1);
    expect(cells.map(ageless)).toEqual(table.rows.map(({ cells }) => ageless(cells)));
    const definitionOf = ({ name, type, format = "", priority }: Omit<Column, "value" | "description">) => ({
      name,
      type,
      format,
      priority,
    });
    expect(columns.map(definitionOf)).toEqual(table.columnDefinitions.map(definitionOf));
  });

  test("our own CRDs are taken, and come to the same", async () => {
    const { parseAllDocuments } = await import("yaml");
    const folder = new URL("../../../../../crds/", import.meta.url);
    const found = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".yaml"));
    const files = found.filter((name) => !name.endsWith("kustomization.yaml"));
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) {
      for (const document of parseAllDocuments(await readFile(new URL(file, folder), "utf8"))) {
        const crd = document.toJS() as DefinitionDraft;
        const real = await said(client.create(Crds, crd as never, { dryRun: true }));
        expect([written(crd).errors, real]).toEqual([[], []]);
      }
    }
  });
});

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;

interface Table {
  columnDefinitions: Column[];
  rows: { cells: unknown[] }[];
}

async function tableFrom({ connection }: ControlPlane, path: string): Promise<Table> {
  const { ca } = await connection.tls();
  const authorization = (await connection.authorization()) ?? "";
  const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io", authorization };
  return new Promise((resolve, reject) => {
    get(`${connection.server}${path}`, { headers, ca }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve(JSON.parse(text));
    }).on("error", reject);
  });
}
