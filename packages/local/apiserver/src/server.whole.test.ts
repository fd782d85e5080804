/** The whole server, as a client sees it. */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineResource, isForbidden, isNotFound, isUnauthorized, type KubeObject } from "@berg/apimachinery";
import { type Client, ConfigMaps, createClient, type Deployment, Deployments, ServiceAccounts } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "./http/testing/raw-requests.ts";
import { type ApiServer, startApiServer } from "./server.ts";

type Widget = KubeObject & { spec: { size: number; color?: string }; status?: { size: number } };
const Definitions = defineResource<
  KubeObject & { spec: unknown; status?: { conditions?: { type: string; status: string }[] } }
>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});
const Widgets = defineResource<Widget>({
  group: "x.io",
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
});

const definition = {
  metadata: { name: "widgets.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { size: { type: "integer" }, color: { type: "string", default: "red" } },
              },
              status: { type: "object", properties: { size: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

const map = (name: string, x = "1") => ({ metadata: { namespace: "default", name }, data: { x } });

async function until<T>(get: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await get();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function define(client: Client): Promise<void> {
  await client.create(Definitions, definition);
  await until(async () =>
    (await client.get(Definitions, "", "widgets.x.io")).status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    ),
  );
  // Served a moment later.
  await until(() =>
    client.list(Widgets).then(
      () => true,
      () => false,
    ),
  );
}

describe("the server", () => {
  let server: ApiServer;
  let client: Client;
  beforeAll(async () => {
    const users = [{ token: "bobs-token", user: { name: "bob", groups: [] } }];
    server = await startApiServer({ dataDir: ":memory:", users });
    client = createClient({ connection: server.connection });
  });
  afterAll(() => server.stop());

  test("creates, applies, reads and deletes", async () => {
    await client.create(ConfigMaps, map("one"));
    await client.apply(
      ConfigMaps,
      { ...map("one", "2"), apiVersion: "v1", kind: "ConfigMap" },
      { fieldManager: "me", force: true },
    );
    expect((await client.get(ConfigMaps, "default", "one")).data).toEqual({ x: "2" });
    await client.delete(ConfigMaps, "default", "one");
    await expect(client.get(ConfigMaps, "default", "one")).rejects.toSatisfy(isNotFound);
  });

  test("shows what happens to whoever watches", async () => {
    const { metadata } = await client.list(ConfigMaps, { namespace: "default" });
    const seen: string[] = [];
    const watching = client.watch(
      ConfigMaps,
      { namespace: "default", resourceVersion: metadata.resourceVersion ?? "", timeoutSeconds: 2 },
      (events) =>
        seen.push(
          ...events.map(
            ({ type, object }) =>
              `${type} ${"metadata" in object && "name" in (object.metadata ?? {}) ? (object.metadata as { name: string }).name : ""}`,
          ),
        ),
    );
    await client.create(ConfigMaps, map("watched"));
    await client.patch(ConfigMaps, "default", "watched", { type: "merge", body: { data: { y: "1" } } });
    await client.delete(ConfigMaps, "default", "watched");
    await watching;
    expect(seen.filter((line) => line.endsWith("watched"))).toEqual([
      "ADDED watched",
      "MODIFIED watched",
      "DELETED watched",
    ]);
  });

  test("serves a kind as soon as it is defined, with its scale", async () => {
    await define(client);
    const widget = await client.create(Widgets, { metadata: { namespace: "default", name: "w" }, spec: { size: 2 } });
    expect(widget.spec.color).toBe("red");
    const { token } = server;
    const path = "/apis/x.io/v1/namespaces/default/widgets/w/scale";
    const scale = JSON.parse((await send({ ...server, token }, { path })).text);
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 2 }, metadata: { name: "w" } });
    const index = JSON.parse((await send({ ...server, token }, { path: "/openapi/v3" })).text);
    expect(Object.keys(index.paths)).toContain("apis/x.io/v1");
  });

  test("fills in a deployment, and scales it", async () => {
    const labels = { app: "web" };
    const deployment = await client.create(Deployments, {
      metadata: { namespace: "default", name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "x" }] } },
      },
    } as unknown as Parameters<typeof client.create<Deployment>>[1]);
    expect(deployment.spec?.replicas).toBe(1);
    const { token } = server;
    const path = "/apis/apps/v1/namespaces/default/deployments/web/scale";
    const headers = { "content-type": "application/merge-patch+json" };
    await send({ ...server, token }, { method: "PATCH", path, headers, body: '{"spec":{"replicas":3}}' });
    expect((await client.get(Deployments, "default", "web")).spec?.replicas).toBe(3);
  });

  test("knows service accounts by the tokens it gives them", async () => {
    await client.create(ServiceAccounts, { metadata: { namespace: "default", name: "bot" } });
    const { status } = await client.createSubresource<{ status: { token: string } }>(
      ServiceAccounts,
      "default",
      "bot",
      "token",
      {
        spec: { expirationSeconds: 600 },
      },
    );
    const review = await send(
      { ...server, token: status.token },
      {
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        headers: { "content-type": "application/json" },
        body: "{}",
      },
    );
    expect(JSON.parse(review.text).status.userInfo.username).toBe("system:serviceaccount:default:bot");
  });

  test("reads a question by its shape before it answers", async () => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const ask = (body: string) =>
      send(
        { ...server, token: "bobs-token" },
        { method: "POST", path, headers: { "content-type": "application/json" }, body },
      );
    const spec = '"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}';
    for (const good of [`{${spec}}`, `{"metadata":{"name":"","labels":{}},${spec}}`])
      expect((await ask(good)).code, good).toBe(201);
    expect((await ask(`{"metadata":{"name":"x"},${spec}}`)).code).toBe(422);
    for (const bad of ['{"spec":"x"}', '{"spec":{"resourceAttributes":[]}}', '{"kind":"Pod"}', "[]", "7"])
      expect((await ask(bad)).code, bad).toBe(400);
    expect((await ask("null")).code).toBe(422);
  });

  test("lets nobody in but whom it knows, and them no further than RBAC says", async () => {
    const list = (token: string) => createClient({ connection: server.connectWith(token) }).list(ConfigMaps);
    await expect(list("wrong")).rejects.toSatisfy(isUnauthorized);
    await expect(list("bobs-token")).rejects.toSatisfy(isForbidden);
  });

  test("has the namespaces and the service that every cluster has", async () => {
    const { token } = server;
    const { items } = JSON.parse((await send({ ...server, token }, { path: "/api/v1/namespaces" })).text);
    expect(items.map(({ metadata }: KubeObject) => metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect((await send({ ...server, token }, { path: "/api/v1/namespaces/default/services/kubernetes" })).code).toBe(
      200,
    );
  });

  test("says plainly that it does not run pods", async () => {
    const { token } = server;
    const headers = { "content-type": "application/json" };
    const body = '{"metadata":{"name":"default"}}';
    await send(
      { ...server, token },
      { method: "POST", path: "/api/v1/namespaces/default/serviceaccounts", headers, body },
    );
    const pods = "/api/v1/namespaces/default/pods";
    const pod = '{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"x"}]}}';
    expect((await send({ ...server, token }, { method: "POST", path: pods, headers, body: pod })).code).toBe(201);
    for (const part of ["log", "exec?command=ls&stdout=true"]) {
      const answer = await send({ ...server, token }, { path: `${pods}/p/${part}` });
      expect([answer.code, JSON.parse(answer.text).message]).toEqual([
        501,
        `this server does not offer pods/${part.split("?")[0]}`,
      ]);
    }
  });
});

describe("what is kept", () => {
  test("is there again after a restart: objects, kinds, keys, and resourceVersions that go on", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "berg-apiserver-"));
    try {
      const first = await startApiServer({ dataDir });
      const client = createClient({ connection: first.connection });
      await define(client);
      await client.create(Widgets, { metadata: { namespace: "default", name: "w" }, spec: { size: 2 } });
      const written = await client.create(ConfigMaps, map("kept"));
      const kubeconfig = join(dataDir, "kubeconfig");
      expect(await readFile(kubeconfig, "utf8")).toBe(first.kubeconfig);
      expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
      await first.stop();

      const second = await startApiServer({ dataDir, port: Number(new URL(first.url).port) });
      expect(second.caPem).toBe(first.caPem);
      // The connection of before is still good.
      const again = createClient({ connection: first.connection });
      expect((await again.get(ConfigMaps, "default", "kept")).metadata.uid).toBe(written.metadata.uid);
      expect((await again.get(Widgets, "default", "w")).spec.size).toBe(2);
      const later = await again.create(ConfigMaps, map("later"));
      expect(Number(later.metadata.resourceVersion)).toBeGreaterThan(Number(written.metadata.resourceVersion));
      await second.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test("can be stopped twice, with watches open", async () => {
    const server = await startApiServer({ dataDir: ":memory:" });
    const client = createClient({ connection: server.connection });
    const watching = client.watch(ConfigMaps, { resourceVersion: "0" }, () => {});
    await client.create(ConfigMaps, map("x"));
    await Promise.all([server.stop(), server.stop()]);
    await watching;
  });
});
