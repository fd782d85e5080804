import { isNotFound, StatusError, type Stored } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { type ConfigMap, ConfigMaps, Nodes, Pods, ServiceAccounts } from "../kinds.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { json, refuse, ScriptedServer, text } from "../testing/scripted-server.ts";
import type { Client } from "./client.ts";
import { createClient } from "./rest-client.ts";

const web = storedConfigMap("web", 7);
const webPath = "/api/v1/namespaces/default/configmaps/web";
const collection = "/api/v1/namespaces/default/configmaps";
const deletion = { apiVersion: "v1", kind: "DeleteOptions" };

interface Case {
  what: string;
  call: (client: Client) => Promise<unknown>;
  want: { method: string; url: string; body?: unknown; type?: string };
}

describe("each call sends", () => {
  test.each<Case>([
    {
      what: "get",
      call: (client) => client.get(ConfigMaps, "default", "web"),
      want: { method: "GET", url: webPath },
    },
    {
      what: "get from the cache, of a subresource",
      call: (client) => client.get(ConfigMaps, "default", "web", { resourceVersion: "0", subresource: "status" }),
      want: { method: "GET", url: `${webPath}/status?resourceVersion=0` },
    },
    {
      what: "get of something cluster-wide",
      call: (client) => client.get(Nodes, "", "n1"),
      want: { method: "GET", url: "/api/v1/nodes/n1" },
    },
    {
      what: "list",
      call: (client) => client.list(ConfigMaps, { namespace: "default", labelSelector: "a=b", limit: 5 }),
      want: { method: "GET", url: `${collection}?labelSelector=a%3Db&limit=5` },
    },
    {
      what: "list everywhere",
      call: (client) => client.list(ConfigMaps),
      want: { method: "GET", url: "/api/v1/configmaps" },
    },
    {
      what: "create, with the kind filled in",
      call: (client) =>
        client.create(ConfigMaps, { metadata: { namespace: "default", generateName: "web-" }, data: { a: "é" } }),
      want: {
        method: "POST",
        url: collection,
        type: "application/json",
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { namespace: "default", generateName: "web-" },
          data: { a: "é" },
        },
      },
    },
    {
      what: "create, dry, with every option",
      call: (client) =>
        client.create(
          ConfigMaps,
          { metadata: { namespace: "default", name: "web" } },
          { dryRun: true, fieldManager: "berg-controller", fieldValidation: "Strict" },
        ),
      want: {
        method: "POST",
        url: `${collection}?dryRun=All&fieldManager=berg-controller&fieldValidation=Strict`,
        type: "application/json",
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "web" } },
      },
    },
    {
      what: "update",
      call: (client) => client.update<ConfigMap>(ConfigMaps, web, { fieldManager: "me" }),
      want: { method: "PUT", url: `${webPath}?fieldManager=me`, type: "application/json", body: web },
    },
    {
      what: "update of the status",
      call: (client) => client.update<ConfigMap>(ConfigMaps, web, { subresource: "status" }),
      want: { method: "PUT", url: `${webPath}/status`, type: "application/json", body: web },
    },
    {
      what: "JSON patch",
      call: (client) =>
        client.patch(ConfigMaps, "default", "web", {
          type: "json",
          operations: [{ op: "test", path: "/metadata/resourceVersion", value: "7" }],
        }),
      want: {
        method: "PATCH",
        url: webPath,
        type: "application/json-patch+json",
        body: [{ op: "test", path: "/metadata/resourceVersion", value: "7" }],
      },
    },
    {
      what: "merge patch of the status",
      call: (client) =>
        client.patch(
          ConfigMaps,
          "default",
          "web",
          { type: "merge", body: { data: { a: null } } },
          { subresource: "status", fieldManager: "berg-listener", dryRun: true },
        ),
      want: {
        method: "PATCH",
        url: `${webPath}/status?dryRun=All&fieldManager=berg-listener`,
        type: "application/merge-patch+json",
        body: { data: { a: null } },
      },
    },
    {
      what: "strategic patch",
      call: (client) => client.patch(ConfigMaps, "default", "web", { type: "strategic", body: { data: {} } }),
      want: {
        method: "PATCH",
        url: webPath,
        type: "application/strategic-merge-patch+json",
        body: { data: {} },
      },
    },
    {
      what: "apply, by force",
      call: (client) =>
        client.apply(
          ConfigMaps,
          { metadata: { namespace: "default", name: "web", uid: "u1" }, data: { a: "b" } },
          { fieldManager: "berg-controller", force: true },
        ),
      want: {
        method: "PATCH",
        url: `${webPath}?fieldManager=berg-controller&force=true`,
        type: "application/apply-patch+yaml",
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { namespace: "default", name: "web", uid: "u1" },
          data: { a: "b" },
        },
      },
    },
    {
      what: "apply of the status",
      call: (client) =>
        client.apply(
          ConfigMaps,
          { metadata: { namespace: "default", name: "web" } },
          { fieldManager: "me", subresource: "status", fieldValidation: "Warn" },
        ),
      want: {
        method: "PATCH",
        url: `${webPath}/status?fieldManager=me&fieldValidation=Warn`,
        type: "application/apply-patch+yaml",
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "web" } },
      },
    },
    {
      what: "delete",
      call: (client) => client.delete(ConfigMaps, "default", "web"),
      want: { method: "DELETE", url: webPath, type: "application/json", body: deletion },
    },
    {
      what: "delete, with every option",
      call: (client) =>
        client.delete(ConfigMaps, "default", "web", {
          preconditions: { uid: "u1", resourceVersion: "7" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          dryRun: true,
        }),
      want: {
        method: "DELETE",
        url: webPath,
        type: "application/json",
        body: {
          ...deletion,
          preconditions: { uid: "u1", resourceVersion: "7" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          dryRun: ["All"],
        },
      },
    },
    {
      what: "deletion of a collection",
      call: (client) =>
        client.deleteCollection(ConfigMaps, {
          namespace: "default",
          labelSelector: "a=b",
          propagationPolicy: "Background",
        }),
      want: {
        method: "DELETE",
        url: `${collection}?labelSelector=a%3Db`,
        type: "application/json",
        body: { ...deletion, propagationPolicy: "Background" },
      },
    },
    {
      what: "eviction",
      call: (client) =>
        client.createSubresource(
          Pods,
          "ctf",
          "web",
          "eviction",
          { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web", namespace: "ctf" } },
          { dryRun: true },
        ),
      want: {
        method: "POST",
        url: "/api/v1/namespaces/ctf/pods/web/eviction?dryRun=All",
        type: "application/json",
        body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web", namespace: "ctf" } },
      },
    },
    {
      what: "token request",
      call: (client) => client.createSubresource(ServiceAccounts, "ctf", "bot", "token", { spec: { audiences: [] } }),
      want: {
        method: "POST",
        url: "/api/v1/namespaces/ctf/serviceaccounts/bot/token",
        type: "application/json",
        body: { spec: { audiences: [] } },
      },
    },
    {
      what: "raw",
      call: (client) => client.raw("/readyz?verbose"),
      want: { method: "GET", url: "/readyz?verbose" },
    },
    {
      what: "an odd name, escaped",
      call: (client) => client.get(ConfigMaps, "default", "é ü:?%#&"),
      want: { method: "GET", url: `${collection}/%C3%A9%20%C3%BC%3A%3F%25%23%26` },
    },
  ])("$what", async ({ call, want }) => {
    await using server = await ScriptedServer.start(json({}));
    const client = createClient({ connection: server.connection() });
    await call(client);
    expect(
      server.seen.map(({ method, url, headers, body }) => ({
        method,
        url,
        type: headers["content-type"],
        body: body === "" ? undefined : JSON.parse(body),
      })),
    ).toEqual([{ type: undefined, body: undefined, ...want }]);
    await client.close();
  });

  test("who asks, and that it wants JSON", async () => {
    await using server = await ScriptedServer.start(json({}));
    const client = createClient({
      connection: server.connection({ authorization: async () => "Bearer t1" }),
      component: "controller",
    });
    await client.get(ConfigMaps, "default", "web");
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: "Bearer t1",
      accept: "application/json",
      "user-agent": expect.stringMatching(/^berg-controller\/\d+\.\d+\.\d+ \(node v\d+/),
    });
    await client.close();
  });

  test("below the path of a server that has one", async () => {
    await using server = await ScriptedServer.start(json({}));
    const client = createClient({ connection: server.connection({ server: `${server.url}/k8s/clusters/c1/` }) });
    await client.get(ConfigMaps, "default", "web");
    expect(server.seen[0]?.url).toBe(`/k8s/clusters/c1${webPath}`);
    await client.close();
  });
});

describe("a mistake is refused before anything is sent", () => {
  const nameless = { metadata: { namespace: "default", name: "" } };
  const { resourceVersion: _, ...unread } = web.metadata;

  test.each<{ what: string; call: (client: Client) => Promise<unknown>; want: string }>([
    { what: "get", call: (client) => client.get(ConfigMaps, "default", ""), want: 'cannot use "" as a name' },
    { what: "delete", call: (client) => client.delete(ConfigMaps, "default", ""), want: 'cannot use "" as a name' },
    {
      what: "delete of a name that is not there",
      call: (client) => client.delete(ConfigMaps, "default", undefined as unknown as string),
      want: 'cannot use "undefined" as a name',
    },
    {
      what: "delete of another path",
      call: (client) => client.delete(ConfigMaps, "default", "../secrets/x"),
      want: 'cannot use "../secrets/x" as a name',
    },
    {
      what: "delete with a UID that is not known",
      call: (client) => client.delete(ConfigMaps, "default", "web", { preconditions: { uid: undefined } }),
      want: 'cannot delete configmaps "web": preconditions.uid is empty',
    },
    {
      what: "patch",
      call: (client) => client.patch(ConfigMaps, "default", "", { type: "merge", body: {} }),
      want: 'cannot use "" as a name',
    },
    {
      what: "apply",
      call: (client) => client.apply(ConfigMaps, nameless, { fieldManager: "me" }),
      want: 'cannot use "" as a name',
    },
    {
      what: "update of what was not read",
      call: (client) => client.update<ConfigMap>(ConfigMaps, { ...web, metadata: unread }),
      want: 'cannot update configmaps "web": it has no resourceVersion; read it first',
    },
    {
      what: "create nowhere",
      call: (client) => client.create(ConfigMaps, { metadata: { name: "web" } }),
      want: "cannot write configmaps: metadata.namespace is missing",
    },
    {
      what: "deletion of everybody's",
      call: (client) => client.deleteCollection(ConfigMaps, { labelSelector: "a=b" }),
      want: "cannot delete a collection of configmaps: it needs a namespace",
    },
    {
      what: "subresource",
      call: (client) => client.createSubresource(Pods, "ctf", "..", "token", {}),
      want: 'cannot use ".." as a name',
    },
  ])("$what", async ({ call, want }) => {
    await using server = await ScriptedServer.start(json({}));
    const client = createClient({ connection: server.connection() });
    await expect(call(client)).rejects.toThrow(want);
    expect(server.seen).toEqual([]);
    await client.close();
  });
});

describe("what the server refuses", () => {
  test("is a StatusError", async () => {
    await using server = await ScriptedServer.start(refuse(404, { reason: "NotFound", message: 'pods "x" not found' }));
    const client = createClient({ connection: server.connection() });
    const error = await client.get(Pods, "ctf", "x").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StatusError);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ message: 'pods "x" not found' });
    await client.close();
  });

  test("on a raw path is a StatusError, at once", async () => {
    await using server = await ScriptedServer.start(text("etcd failed", { status: 500 }));
    const client = createClient({ connection: server.connection() });
    await expect(client.raw("/readyz")).rejects.toMatchObject({ code: 500, message: expect.stringContaining("etcd") });
    expect(server.seen.length).toBe(1);
    await client.close();
  });

  test("raw resolves to the text", async () => {
    await using server = await ScriptedServer.start(text("ok"));
    const client = createClient({ connection: server.connection() });
    expect(await client.raw("/readyz")).toBe("ok");
    await client.close();
  });
});

describe("a list", () => {
  const bare = (name: string) => ({ metadata: { name } });
  const page = (names: string[], metadata: object) =>
    json({ apiVersion: "v1", kind: "ConfigMapList", metadata, items: names.map(bare) });
  const namesOf = ({ items }: { items: Stored<ConfigMap>[] }) => items.map((item) => item.metadata.name);
  const queries = (server: ScriptedServer) =>
    server.seen.map(({ url }) => Object.fromEntries(new URL(url, "http://x").searchParams));

  test("gives its items the kind that the server leaves out", async () => {
    await using server = await ScriptedServer.start(page(["a"], { resourceVersion: "3" }));
    const client = createClient({ connection: server.connection() });
    expect((await client.list(ConfigMaps)).items).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    ]);
    await client.close();
  });

  test("that is empty may be null", async () => {
    await using server = await ScriptedServer.start(json({ metadata: { resourceVersion: "3" }, items: null }));
    const client = createClient({ connection: server.connection() });
    expect((await client.list(ConfigMaps)).items).toEqual([]);
    expect(await client.listAll(ConfigMaps)).toMatchObject({ items: [], metadata: { resourceVersion: "3" } });
    await client.close();
  });

  test("is followed over its pages", async () => {
    await using server = await ScriptedServer.start(
      page(["a", "b"], { resourceVersion: "3", continue: "t1" }),
      page(["c", "d"], { resourceVersion: "3", continue: "t2" }),
      page(["e"], { resourceVersion: "3" }),
    );
    const client = createClient({ connection: server.connection() });
    const list = await client.listAll(ConfigMaps, {
      labelSelector: "a=b",
      resourceVersion: "2",
      resourceVersionMatch: "NotOlderThan",
      limit: 2,
    });
    expect(namesOf(list)).toEqual(["a", "b", "c", "d", "e"]);
    expect(list.items.every((item) => item.kind === "ConfigMap")).toBe(true);
    expect(list.metadata).toEqual({ resourceVersion: "3" });
    expect(queries(server)).toEqual([
      { labelSelector: "a=b", limit: "2", resourceVersion: "2", resourceVersionMatch: "NotOlderThan" },
      { labelSelector: "a=b", limit: "2", continue: "t1" },
      { labelSelector: "a=b", limit: "2", continue: "t2" },
    ]);
    await client.close();
  });

  test("costs what is kept of each page before the next one is asked for", async () => {
    await using server = await ScriptedServer.start(
      page(["a", "b"], { resourceVersion: "3", continue: "t1" }),
      refuse(410, { reason: "Expired" }),
      page(["c"], { resourceVersion: "9" }),
    );
    const client = createClient({ connection: server.connection() });
    const kept: string[] = [];
    const list = await client.listAll(ConfigMaps, {
      limit: 2,
      keep: (object) => {
        kept.push(`${object.metadata.name} after ${server.seen.length}`);
        return { ...object, data: { kept: "yes" } };
      },
    });
    expect(kept).toEqual(["a after 1", "b after 1", "c after 3"]);
    expect(list.items.map(({ data }) => data)).toEqual([{ kept: "yes" }]);
    await client.close();
  });

  test("whose snapshot is gone in the middle is asked for anew, in one piece", async () => {
    await using server = await ScriptedServer.start(
      page(["a"], { resourceVersion: "3", continue: "t1" }),
      refuse(410, { reason: "Expired" }),
      page(["b", "c"], { resourceVersion: "9" }),
    );
    const client = createClient({ connection: server.connection() });
    const list = await client.listAll(ConfigMaps, { namespace: "ctf" });
    expect(namesOf(list)).toEqual(["b", "c"]);
    expect(list.metadata.resourceVersion).toBe("9");
    expect(queries(server)).toEqual([{ limit: "500" }, { limit: "500", continue: "t1" }, {}]);
    await client.close();
  });

  const budget = { items: 5, pages: 3, groupVersions: 1, discoveryMs: 1000 };

  test("without end is cut short where the server is not trusted", async () => {
    await using server = await ScriptedServer.start(page(["a"], { continue: "again" }));
    const client = createClient({ connection: server.connection(), budget });
    await expect(client.listAll(ConfigMaps)).rejects.toThrow("the server answers with more than 3 pages");
    expect(server.seen).toHaveLength(3);
    await client.close();
  });

  test.each([
    { what: "at once", pages: [["a", "b", "c", "d", "e", "f"]] },
    {
      what: "by and by",
      pages: [
        ["a", "b", "c"],
        ["d", "e", "f"],
      ],
    },
  ])("of too many objects $what is refused there, too", async ({ pages }) => {
    const answers = pages.map((names) => page(names, { continue: "more" }));
    await using server = await ScriptedServer.start(...answers);
    const client = createClient({ connection: server.connection(), budget });
    await expect(client.listAll(ConfigMaps)).rejects.toThrow("the server answers with more than 5 objects");
    expect(server.seen).toHaveLength(pages.length);
    await client.close();
  });

  test("that is refused in the middle for another reason is an error", async () => {
    await using server = await ScriptedServer.start(page(["a"], { continue: "t1" }), refuse(403));
    const client = createClient({ connection: server.connection() });
    await expect(client.listAll(ConfigMaps)).rejects.toMatchObject({ code: 403 });
    await client.close();
  });
});
