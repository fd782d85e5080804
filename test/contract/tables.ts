/** Answers as kubectl asks for them: as tables, and as nothing but metadata. */
import { beforeEach, expect, test } from "vitest";
import { create, define, widgetsPath } from "./crd.ts";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const partials = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

interface Columns {
  columnDefinitions: { name: string; priority: number; type: string; format: string }[];
}
const headings = ({ columnDefinitions }: Columns) =>
  columnDefinitions.map(({ name, priority }) => (priority === 0 ? name : `(${name})`));

export function tables(given: Given): void {
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  beforeEach(async () => {
    const body = { metadata: { name: "one", labels: { a: "b" } }, data: { a: "1", b: "2" } };
    await given.ask("POST", maps(), { body });
  });
  const rows = async (path: string) => (await given.ask("GET", path, { accept: table })).body.rows;

  test("a list is a table of columns and cells, with the metadata of each object", async () => {
    const { body, headers } = await given.ask("GET", `${maps()}?labelSelector=a`, { accept: table });
    expect(headers["content-type"]).toBe("application/json");
    expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(headings(body)).toEqual(["Name", "Data", "Age"]);
    expect(body.columnDefinitions[0]).toMatchObject({ type: "string", format: "name" });
    const [row] = body.rows;
    expect(row.cells.slice(0, 2)).toEqual(["one", 2]);
    expect(row.cells[2]).toMatch(/^\d+s$/);
    expect(row.object).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "one", labels: { a: "b" } },
    });
    expect(row.object.data).toBeUndefined();
  });

  test("one object is a table of one row", async () => {
    const { body } = await given.ask("GET", `${maps()}/one`, { accept: table });
    expect(body.rows).toHaveLength(1);
    expect(body.rows[0].cells.slice(0, 2)).toEqual(["one", 2]);
  });

  test("rows bring the whole object, its metadata or none, as asked", async () => {
    const [whole] = await rows(`${maps()}?labelSelector=a&includeObject=Object`);
    expect(whole.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { a: "1" } });
    const [none] = await rows(`${maps()}?labelSelector=a&includeObject=None`);
    expect(none.object).toBeNull();
    const odd = await given.ask("GET", `${maps()}?includeObject=Half`, { accept: table });
    expect(said(odd)).toMatchObject({ code: 400, reason: "BadRequest" });
  });

  test("what was made answers as a table too", async () => {
    const { body, code } = await given.ask("POST", maps(), { accept: table, body: { metadata: { name: "two" } } });
    expect(code).toBe(201);
    expect(body).toMatchObject({ kind: "Table", rows: [{ object: { metadata: { name: "two" } } }] });
  });

  test("a refusal is a Status whatever was asked for", async () => {
    expect(said(await given.ask("GET", `${maps()}/none`, { accept: table }))).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: 'configmaps "none" not found',
    });
  });

  test("a watch says its columns once", async () => {
    const path = `${maps()}?labelSelector=a&watch=true&timeoutSeconds=1`;
    const { body } = await given.ask(
      "GET",
      `${path}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { accept: table },
    );
    // More bookmarks may come before its time is up.
    expect(body.map(({ type }: { type: string }) => type).slice(0, 2)).toEqual(["ADDED", "BOOKMARK"]);
    expect(headings(body[0].object)).toEqual(["Name", "Data", "Age"]);
    expect(body[0].object.rows[0].cells.slice(0, 2)).toEqual(["one", 2]);
    expect(body[1].object.columnDefinitions ?? []).toEqual([]);
  });

  test.each([
    ["pods", "Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)"],
    ["services", "Name Type Cluster-IP External-IP Port(s) Age (Selector)"],
    ["secrets", "Name Type Data Age"],
    ["serviceaccounts", "Name Age"],
    ["events", "Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)"],
    ["resourcequotas", "Name Request Limit Age"],
    ["limitranges", "Name Created At"],
  ])("columns of %s", async (resource, want) => {
    const { body } = await given.ask("GET", `/api/v1/namespaces/${given.namespace}/${resource}`, { accept: table });
    expect(headings(body).join(" ")).toBe(want);
  });

  test.each([
    ["/api/v1/namespaces", "Name Status Age"],
    [
      "/api/v1/nodes",
      "Name Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)",
    ],
    ["/apis/apps/v1/deployments", "Name Ready Up-to-date Available Age (Containers) (Images) (Selector)"],
    ["/apis/apps/v1/replicasets", "Name Desired Current Ready Age (Containers) (Images) (Selector)"],
    ["/apis/networking.k8s.io/v1/networkpolicies", "Name Pod-Selector Age"],
    ["/apis/policy/v1/poddisruptionbudgets", "Name Min Available Max Unavailable Allowed Disruptions Age"],
    ["/apis/coordination.k8s.io/v1/leases", "Name Holder Age"],
    ["/apis/discovery.k8s.io/v1/endpointslices", "Name AddressType Ports Endpoints Age"],
    ["/apis/rbac.authorization.k8s.io/v1/rolebindings", "Name Role Age (Users) (Groups) (ServiceAccounts)"],
    ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "Name Created At"],
  ])("columns of %s", async (path, want) => {
    const { body } = await given.ask("GET", path, { accept: table });
    expect(headings(body).join(" ")).toBe(want);
  });

  test("columns of a custom kind are those of its definition", async () => {
    const column = (name: string, jsonPath: string, more: object = {}) => ({ name, jsonPath, type: "string", ...more });
    await define(
      given,
      { "x-kubernetes-preserve-unknown-fields": true },
      {
        additionalPrinterColumns: [
          column("Size", ".spec.size", { type: "integer", description: "how big" }),
          column("First", ".spec.parts[*].id"),
          column("Wide", ".spec.wide", { priority: 1 }),
          column("Since", ".spec.since", { type: "date" }),
        ],
      },
    );
    await create(given, "full", {
      size: 3,
      parts: [{ id: "a" }, { id: "b" }],
      wide: true,
      since: "2020-01-01T00:00:00Z",
    });
    await create(given, "void", {});
    const { body } = await given.ask("GET", widgetsPath(given), { accept: table });
    expect(headings(body)).toEqual(["Name", "Size", "First", "(Wide)", "Since"]);
    expect(body.columnDefinitions[1]).toMatchObject({ type: "integer", description: "how big" });
    const [full, empty] = body.rows.map(({ cells }: { cells: unknown[] }) => cells);
    expect(full.slice(0, 4)).toEqual(["full", 3, "a", "true"]);
    expect(full[4]).toMatch(/^\d+y/);
    expect(empty).toEqual(["void", null, null, null, null]);
  });

  test("a custom kind without columns shows its age", async () => {
    await define(given, {});
    const { body } = await given.ask("GET", widgetsPath(given), { accept: table });
    expect(headings(body)).toEqual(["Name", "Age"]);
  });

  test("metadata alone: of one, of a list, of a watch", async () => {
    const one = (await given.ask("GET", `${maps()}/one`, { accept: partial })).body;
    expect(one).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "one" },
    });
    expect(one.data).toBeUndefined();
    const list = (await given.ask("GET", `${maps()}?labelSelector=a`, { accept: partials })).body;
    expect(list).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ metadata: { labels: { a: "b" } } }] });
    const path = `${maps()}?labelSelector=a&watch=true&timeoutSeconds=1&resourceVersion=0`;
    const [event] = [(await given.ask("GET", path, { accept: partial })).body].flat();
    expect(event).toMatchObject({
      type: "ADDED",
      object: { kind: "PartialObjectMetadata", metadata: { name: "one" } },
    });
    expect(event.object.data).toBeUndefined();
  });

  test("the first form that the server knows is taken; none is not acceptable", async () => {
    const choose = (accept: string) => given.ask("GET", `${maps()}/one`, { accept });
    expect((await choose(`application/json;as=Odd;v=v9;g=meta.k8s.io,${table},application/json`)).body.kind).toBe(
      "Table",
    );
    expect((await choose("application/yaml")).text).toMatch(/^apiVersion: v1\n/);
    expect((await choose("*/*")).body.kind).toBe("ConfigMap");
    const none = await choose("application/json;as=Table;v=v9;g=meta.k8s.io");
    expect(none.code).toBe(406);
    expect(said(none).reason).toBe("NotAcceptable");
  });
}
