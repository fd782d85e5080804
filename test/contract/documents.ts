/** What the server says of itself: versions, health, discovery in both forms, and its schemas. */
import { expect, test } from "vitest";
import { define, groupOf } from "./crd.ts";
import { eventually, type Given } from "./given.ts";
import { said } from "./wire.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Found {
  metadata: { name: string };
  versions: { version: string; freshness: string; resources: { resource: string }[] }[];
}

export function documents(given: Given): void {
  test.each(["/healthz", "/livez", "/readyz"])("%s is ok, and tells its checks when asked", async (path) => {
    const plain = await given.ask("GET", path);
    expect(plain).toMatchObject({ code: 200, text: "ok" });
    const { text } = await given.ask("GET", `${path}?verbose`);
    expect(text).toContain("[+]ping ok\n");
    expect(text).toContain(`${path.slice(1)} check passed\n`);
  });

  test("the version has every part that clients read", async () => {
    const { body } = await given.ask("GET", "/version");
    expect(body).toMatchObject({
      major: "1",
      minor: expect.stringMatching(/^\d+/),
      gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
    });
    for (const key of ["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"])
      expect(body).toHaveProperty(key);
  });

  test("the root lists paths", async () => {
    const { paths } = (await given.ask("GET", "/")).body;
    for (const path of ["/api", "/api/v1", "/apis", "/apis/apps/v1", "/healthz", "/openapi/v3", "/version"])
      expect(paths).toContain(path);
  });

  test("the old discovery: versions, groups, resources", async () => {
    const { body: core } = await given.ask("GET", "/api");
    expect(core).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    const { body: groups } = await given.ask("GET", "/apis");
    expect(groups).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
    const apps = groups.groups.find(({ name }: { name: string }) => name === "apps");
    expect(apps).toEqual({
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
    const { body: list } = await given.ask("GET", "/apis/apps/v1");
    expect(list).toMatchObject({ kind: "APIResourceList", groupVersion: "apps/v1" });
    const named = (wanted: string) => list.resources.find(({ name }: { name: string }) => name === wanted);
    expect(named("deployments")).toMatchObject({
      singularName: "deployment",
      namespaced: true,
      kind: "Deployment",
      shortNames: ["deploy"],
      categories: ["all"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    });
    expect(named("deployments/status")).toMatchObject({ kind: "Deployment", verbs: ["get", "patch", "update"] });
    expect(named("deployments/scale")).toMatchObject({ kind: "Scale", group: "autoscaling", version: "v1" });
  });

  test.each([
    ["pods", ["po"], ["all"]],
    ["services", ["svc"], ["all"]],
    ["configmaps", ["cm"], undefined],
    ["namespaces", ["ns"], undefined],
    ["serviceaccounts", ["sa"], undefined],
    ["resourcequotas", ["quota"], undefined],
    ["limitranges", ["limits"], undefined],
    ["events", ["ev"], undefined],
    ["nodes", ["no"], undefined],
  ])("short names and categories of %s", async (wanted, shortNames, categories) => {
    const { body } = await given.ask("GET", "/api/v1");
    const found = body.resources.find(({ name }: { name: string }) => name === wanted);
    expect({ shortNames: found.shortNames, categories: found.categories }).toEqual({ shortNames, categories });
  });

  test("the new discovery tells everything in two answers", async () => {
    const { body: core, headers } = await given.ask("GET", "/api", { accept: aggregated });
    expect(headers["content-type"]).toBe(aggregated);
    expect(core).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
    const pods = core.items[0].versions[0].resources.find(({ resource }: { resource: string }) => resource === "pods");
    expect(pods).toMatchObject({
      responseKind: { group: "", version: "", kind: "Pod" },
      scope: "Namespaced",
      singularResource: "pod",
      shortNames: ["po"],
      categories: ["all"],
    });
    const under = pods.subresources.map(({ subresource }: { subresource: string }) => subresource);
    for (const name of ["binding", "eviction", "exec", "log", "status"]) expect(under).toContain(name);
    const items: Found[] = (await given.ask("GET", "/apis", { accept: aggregated })).body.items;
    const apps = items.find(({ metadata }) => metadata.name === "apps");
    expect(apps?.versions).toMatchObject([{ version: "v1", freshness: "Current" }]);
  });

  test("discovery has a tag, and says so when nothing is new", async () => {
    const { headers } = await given.ask("GET", "/apis", { accept: aggregated });
    const tag = String(headers.etag);
    const again = await given.ask("GET", "/apis", { accept: aggregated, headers: { "if-none-match": tag } });
    expect(again).toMatchObject({ code: 304, text: "" });
  });

  test("a group or a version that is not there", async () => {
    for (const path of ["/apis/none.test", "/apis/none.test/v1", "/apis/apps/v9", "/api/v9"]) {
      expect((await given.ask("GET", path)).code, path).toBe(404);
    }
  });

  test("schemas are found by group and version, under a hash of their content", async () => {
    const { text } = await given.ask("GET", "/openapi/v3");
    const url = JSON.parse(text).paths["api/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]+$/);
    const document = (await given.ask("GET", url)).body;
    expect(document.openapi).toMatch(/^3\./);
    const pod = document.components.schemas["io.k8s.api.core.v1.Pod"];
    expect(pod["x-kubernetes-group-version-kind"]).toEqual([{ group: "", version: "v1", kind: "Pod" }]);
    expect(pod.properties).toHaveProperty("spec");
    expect(document.paths).toHaveProperty("/api/v1/namespaces/{namespace}/pods/{name}");
    expect((await given.ask("GET", "/openapi/v3/apis/none.test/v1")).code).toBe(404);
  });

  test("schemas of custom kinds come and go with their definition", async () => {
    await define(given, { properties: { size: { type: "integer", description: "how big" } } });
    const path = `/openapi/v3/apis/${groupOf(given)}/v1`;
    await eventually(async () => {
      const { body } = await given.ask("GET", path);
      const [name = ""] = Object.keys(body.components.schemas).filter((key) => key.endsWith(".Widget"));
      expect(body.components.schemas[name].properties.spec.properties.size).toEqual({
        type: "integer",
        description: "how big",
      });
    });
    await given.ask("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${groupOf(given)}`);
    await eventually(async () => expect((await given.ask("GET", path)).code).toBe(404));
  });

  test("a path that is none", async () => {
    expect(await given.ask("GET", "/nothing/here")).toMatchObject({ code: 404, text: "404 page not found\n" });
    expect(await given.ask("GET", "/apis/none.test/v1")).toMatchObject({ code: 404, text: "404 page not found\n" });
    expect(said(await given.ask("GET", `/api/v1/namespaces/${given.namespace}/nothings`))).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource",
    });
  });
}
