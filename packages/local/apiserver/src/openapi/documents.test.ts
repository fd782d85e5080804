import { expect, test } from "vitest";
import { builtIn } from "../kinds/built-in.ts";
import { builtInKinds } from "../kinds/index.ts";
import { ServedResources } from "../registry/served-resources.ts";
import { OpenApi } from "./documents.ts";

function servedWith(...kinds: Parameters<typeof builtIn>[0][]) {
  const served = new ServedResources();
  for (const kind of kinds) served.add(builtIn(kind));
  return served;
}
const widget = {
  group: "x.io",
  resource: "widgets",
  kind: "Widget",
  schema: { type: "object", properties: { size: { type: "integer" } } },
  columns: [],
} as const;
const parsed = (openApi: OpenApi, path: string) => JSON.parse(openApi.document(path)?.bytes.toString() ?? "null");

test("a document says which kinds can be patched on trial, and what is in them", () => {
  const document = parsed(new OpenApi(servedWith(widget)), "apis/x.io/v1");
  const { patch } = document.paths["/apis/x.io/v1/namespaces/{namespace}/widgets/{name}"];
  expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "x.io", version: "v1", kind: "Widget" });
  expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
  ]);
  expect(Object.keys(patch.requestBody.content)).not.toContain("application/strategic-merge-patch+json");
  const schema = document.components.schemas["io.x.v1.Widget"];
  expect(schema.properties.size).toEqual({ type: "integer" });
  expect(schema["x-kubernetes-group-version-kind"]).toEqual([{ group: "x.io", version: "v1", kind: "Widget" }]);
});

test("a change of one kind changes the hash of its document alone", () => {
  const served = servedWith(widget, { ...widget, group: "y.io" });
  const openApi = new OpenApi(served);
  const before = openApi.index().paths;
  served.add(builtIn({ ...widget, schema: { type: "object" } }));
  const after = openApi.index().paths;
  expect(after["apis/y.io/v1"]).toEqual(before["apis/y.io/v1"]);
  expect(after["apis/x.io/v1"]).not.toEqual(before["apis/x.io/v1"]);
  served.remove({ group: "y.io", version: "v1", resource: "widgets" });
  expect(Object.keys(openApi.index().paths)).toEqual(["apis/x.io/v1"]);
  expect(openApi.document("apis/y.io/v1")).toBeUndefined();
});

test("every reference of every built-in kind's document leads somewhere", () => {
  const served = new ServedResources();
  for (const kind of builtInKinds) served.add(kind);
  const openApi = new OpenApi(served);
  for (const path of Object.keys(openApi.index().paths)) {
    const text = openApi.document(path)?.bytes.toString() ?? "";
    const { schemas } = JSON.parse(text).components;
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !(name in schemas))).toEqual([]);
  }
});
