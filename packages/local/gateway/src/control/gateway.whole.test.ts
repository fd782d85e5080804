/** Gateways on the embedded control plane: what becomes of objects, and traffic through to real servers. */
import { get } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { apiVersionOf, defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, createClient, Informer, Namespaces, Services, silentLogger, unlimited } from "@berg/kube";
import { makeCa } from "@berg/kube/testing/certificates";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { installGatewayKinds } from "../crds/install.ts";
import { EndpointSlices, type Gateway, type HttpRoute, type Route } from "../kinds.ts";
import { closeAll, freePort, httpBackend, listening } from "../testing/servers.ts";
import { certificateOption, controllerName, issuedHere } from "../vocabulary.ts";
import { startGateway } from "./gateway.ts";

const group = "gateway.networking.k8s.io";
const kind = <T extends KubeObject>(kind: string, resource: string, namespaced = true) =>
  defineResource<T>({ group, version: "v1", resource, kind, namespaced });
const GatewayClasses = kind<KubeObject & { spec: object; status?: { conditions: object[] } }>(
  "GatewayClass",
  "gatewayclasses",
  false,
);
const Gateways = kind<Gateway>("Gateway", "gateways");
const HTTPRoutes = kind<HttpRoute>("HTTPRoute", "httproutes");
const TLSRoutes = kind<Route>("TLSRoute", "tlsroutes");

/** Kubernetes takes no address of the loopback for an endpoint, and a machine may have no other. */
const standIn = "192.0.2.1";
const onLoopback = (client: Client): Client => {
  const swap = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(standIn, "127.0.0.1"));
  return new Proxy(client, {
    get(target, name) {
      if (name === "listAll")
        return async (...args: Parameters<Client["listAll"]>) => swap(await target.listAll(...args));
      if (name === "watch") {
        return (...[type, options, onEvents]: Parameters<Client["watch"]>) =>
          target.watch(type, options, (events) => onEvents(swap(events)));
      }
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
};

const world = new AsyncDisposableStack();
let client: Client;
let count = 0;

beforeAll(async () => {
  const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  client = createClient({ connection: apiServer.connection, rate: unlimited });
  world.defer(() => client.close());
  await installGatewayKinds(client);
  const ca = await makeCa();
  world.use(
    await startGateway({
      client: onLoopback(client),
      log: silentLogger,
      certificateFor: (hostname) => ca.issue(hostname),
    }),
  );
  await client.create(GatewayClasses, { metadata: { name: "local" }, spec: { controllerName } });
  await client.create(GatewayClasses, { metadata: { name: "foreign" }, spec: { controllerName: "example.com/other" } });
}, 30_000);
afterAll(() => world.disposeAsync());
afterEach(closeAll);

const newNamespace = async () => {
  const name = `test-${++count}`;
  await client.create(Namespaces, { metadata: { name } });
  return name;
};
const conditionsOf = (conditions: { type: string; status: string; reason?: string }[] = []) =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

async function makeGateway(namespace: string, listeners: Gateway["spec"]["listeners"], spec: object = {}) {
  await client.create(Gateways, {
    metadata: { namespace, name: "edge" },
    spec: { gatewayClassName: "local", listeners, ...spec },
  });
}

const gatewayConditions = async (namespace: string) =>
  conditionsOf((await client.get(Gateways, namespace, "edge")).status?.conditions);

async function makeBackend(namespace: string) {
  await client.create(Services, { metadata: { namespace, name: "web" }, spec: { ports: [{ port: 80 }] } });
  await client.create(EndpointSlices, {
    metadata: { namespace, name: "web", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [],
    ports: [{ name: "", protocol: "TCP", port: 1 }],
  });
}

const makeRoute = (namespace: string, name: string, spec: Partial<HttpRoute["spec"]>) =>
  client.create(HTTPRoutes, {
    metadata: { namespace, name },
    spec: { parentRefs: [{ name: "edge" }], rules: [{ backendRefs: [{ name: "web", port: 80 }] }], ...spec },
  });

const ask = (port: number, host: string) =>
  new Promise<string>((resolve, reject) => {
    get({ port, host: "127.0.0.1", headers: { host }, agent: false }, (response) => {
      text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
    }).on("error", reject);
  });

describe("a Gateway", () => {
  test("with routes leads requests to pods, as they come and go", async () => {
    const namespace = await newNamespace();
    const port = await freePort();
    await makeGateway(namespace, [{ name: "http", port, protocol: "HTTP", hostname: "*.test" }]);
    await expect
      .poll(() => gatewayConditions(namespace))
      .toEqual({ Accepted: "True Accepted", Programmed: "True Programmed" });
    expect(await ask(port, "web.test")).toMatch(/^404 /);

    await makeBackend(namespace);
    await makeRoute(namespace, "web", { hostnames: ["web.test"] });
    await expect.poll(() => ask(port, "web.test")).toMatch(/^503 /);

    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const slice = await client.get(EndpointSlices, namespace, "web");
    const endpoints = [{ addresses: [standIn], conditions: { ready: true } }];
    await client.update(EndpointSlices, { ...slice, endpoints, ports: [{ name: "", protocol: "TCP", port: backend }] });
    await expect.poll(() => ask(port, "web.test")).toBe("200 fine");

    const { status } = await client.get(Gateways, namespace, "edge");
    expect(status?.addresses).toEqual([{ type: "IPAddress", value: "127.0.0.1" }]);
    expect(status?.listeners).toMatchObject([
      { name: "http", attachedRoutes: 1, supportedKinds: [{ group, kind: "HTTPRoute" }] },
    ]);
    expect(conditionsOf(status?.listeners?.[0]?.conditions)).toEqual({
      Accepted: "True Accepted",
      Programmed: "True Programmed",
      ResolvedRefs: "True ResolvedRefs",
      Conflicted: "False NoConflicts",
    });
    const route = await client.get(HTTPRoutes, namespace, "web");
    expect(route.status?.parents).toMatchObject([
      {
        controllerName,
        parentRef: { group, kind: "Gateway", name: "edge" },
        conditions: [{ observedGeneration: 1 }, {}, {}],
      },
    ]);
    expect(conditionsOf(route.status?.parents?.[0]?.conditions)).toEqual({
      Accepted: "True Accepted",
      ResolvedRefs: "True ResolvedRefs",
      Programmed: "True Programmed",
    });

    await client.delete(HTTPRoutes, namespace, "web");
    await expect.poll(() => ask(port, "web.test")).toMatch(/^404 /);
    await client.delete(Gateways, namespace, "edge");
    await expect.poll(() => ask(port, "web.test").catch((error) => error.code)).toBe("ECONNREFUSED");
  });

  test("answers the first request that comes after it has accepted a route, and from a pod once it is programmed", async () => {
    const namespace = await newNamespace();
    const port = await freePort();
    await makeGateway(namespace, [{ name: "http", port, protocol: "HTTP" }]);
    await expect.poll(() => gatewayConditions(namespace)).toMatchObject({ Programmed: "True Programmed" });
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const answers: Record<string, Promise<string>> = {};
    const routes = new Informer({ client, type: HTTPRoutes, selection: { namespace } });
    const stop = new AbortController();
    routes.onChange(({ object }) => {
      const { Accepted, ResolvedRefs, Programmed } = conditionsOf(object.status?.parents?.[0]?.conditions);
      const { name } = object.metadata;
      if (Accepted !== "True Accepted" || ResolvedRefs !== "True ResolvedRefs") return;
      answers[`${name} accepted`] ??= ask(port, `${name}.test`);
      if (Programmed === "True Programmed") answers[`${name} programmed`] ??= ask(port, `${name}.test`);
    });
    const watching = routes.run(stop.signal);
    const names = Array.from({ length: 10 }, (_, at) => `web-${at}`);
    const endpoints = [{ addresses: [standIn], conditions: { ready: true } }];
    const ports = [{ name: "", protocol: "TCP", port: backend }];
    await Promise.all(
      names.map(async (name) => {
        // All at once, as the controller of instances creates them; the pods come last.
        await Promise.all([
          makeRoute(namespace, name, { hostnames: [`${name}.test`], rules: [{ backendRefs: [{ name, port: 80 }] }] }),
          client.create(Services, { metadata: { namespace, name }, spec: { ports: [{ port: 80 }] } }),
        ]);
        const labels = { "kubernetes.io/service-name": name };
        await client.create(EndpointSlices, {
          metadata: { namespace, name, labels },
          ...{ addressType: "IPv4", endpoints, ports },
        });
      }),
    );
    await expect.poll(() => Object.keys(answers).length, { timeout: 20_000 }).toBe(20);
    stop.abort();
    await watching;
    for (const name of names) {
      expect(await answers[`${name} accepted`]).toMatch(/^(200|503) /);
      expect(await answers[`${name} programmed`]).toBe("200 fine");
    }
  }, 30_000);

  test("says that a port is taken, and opens it once it is free", async () => {
    const namespace = await newNamespace();
    const other = createServer();
    const port = await listening(other);
    await makeGateway(namespace, [{ name: "http", port, protocol: "HTTP" }]);
    await expect
      .poll(() => gatewayConditions(namespace))
      .toEqual({
        Accepted: "False ListenersNotValid",
        Programmed: "False Invalid",
      });
    const { status } = await client.get(Gateways, namespace, "edge");
    expect(status?.listeners?.[0]?.conditions).toMatchObject([
      { type: "Accepted", reason: "PortUnavailable", message: `port ${port} of 127.0.0.1 is used by another process` },
      {},
      {},
      {},
    ]);
    other.close();
    await expect
      .poll(() => gatewayConditions(namespace), { timeout: 5_000 })
      .toEqual({
        Accepted: "True Accepted",
        Programmed: "True Programmed",
      });
  }, 15_000);

  test("of another class is left alone", async () => {
    const [ours, foreign] = [await newNamespace(), await newNamespace()];
    await makeGateway(foreign, [{ name: "http", port: await freePort(), protocol: "HTTP" }], {
      gatewayClassName: "foreign",
    });
    await makeGateway(ours, [{ name: "http", port: await freePort(), protocol: "HTTP" }]);
    await expect.poll(() => gatewayConditions(ours)).toMatchObject({ Accepted: "True Accepted" });
    expect((await gatewayConditions(foreign)).Accepted ?? "Unknown Pending").toBe("Unknown Pending");
    const classes = (await client.list(GatewayClasses)).items.map(({ metadata, status }) => [
      metadata.name,
      conditionsOf(status?.conditions as never).Accepted ?? "Unknown Pending",
    ]);
    expect(classes).toEqual([
      ["foreign", "Unknown Pending"],
      ["local", "True Accepted"],
    ]);
  });
});

describe("the status of a route", () => {
  const verdict = async (namespace: string, name: string) =>
    conditionsOf((await client.get(HTTPRoutes, namespace, name)).status?.parents?.[0]?.conditions);

  test("follows what it depends on, and what others say of it stays", async () => {
    const namespace = await newNamespace();
    await makeGateway(namespace, [{ name: "http", port: await freePort(), protocol: "HTTP" }]);
    await makeRoute(namespace, "web", { hostnames: ["web.test"] });
    await expect
      .poll(() => verdict(namespace, "web"))
      .toEqual({
        Accepted: "True Accepted",
        ResolvedRefs: "False BackendNotFound",
      });
    const foreign = {
      controllerName: "example.com/other",
      parentRef: { name: "another" },
      conditions: [
        {
          type: "Accepted",
          status: "True",
          reason: "Accepted",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    };
    const route = await client.get(HTTPRoutes, namespace, "web");
    const parents = [...(route.status?.parents ?? []), foreign];
    await client.update(HTTPRoutes, { ...route, status: { parents } } as HttpRoute, { subresource: "status" });

    await makeBackend(namespace);
    const parentsNow = async () => (await client.get(HTTPRoutes, namespace, "web")).status?.parents ?? [];
    await expect
      .poll(async () => (await parentsNow()).map((p) => [p.controllerName, conditionsOf(p.conditions).ResolvedRefs]))
      .toEqual([
        ["example.com/other", undefined],
        [controllerName, "True ResolvedRefs"],
      ]);

    await client.patch(HTTPRoutes, namespace, "web", {
      type: "merge",
      body: { spec: { parentRefs: [{ name: "none" }] } },
    });
    await expect.poll(async () => (await parentsNow()).map((p) => p.controllerName)).toEqual(["example.com/other"]);
  });

  test("is not written again where nothing changed", async () => {
    const namespace = await newNamespace();
    await makeGateway(namespace, [{ name: "http", port: await freePort(), protocol: "HTTP" }]);
    await makeRoute(namespace, "web", { hostnames: ["web.test"] });
    await makeBackend(namespace);
    await expect.poll(() => verdict(namespace, "web")).toMatchObject({ ResolvedRefs: "True ResolvedRefs" });
    const settled = async () => {
      const objects = [await client.get(HTTPRoutes, namespace, "web"), await client.get(Gateways, namespace, "edge")];
      return objects.map(({ metadata }) => metadata.resourceVersion);
    };
    await expect
      .poll(async () => (await client.get(Gateways, namespace, "edge")).status?.listeners?.[0]?.attachedRoutes)
      .toBe(1);
    const before = await settled();
    // Something else changes, and everything is looked at anew.
    await makeRoute(namespace, "second", { hostnames: ["other.test"], parentRefs: [{ name: "none" }] });
    await makeGateway(await newNamespace(), [{ name: "http", port: await freePort(), protocol: "HTTP" }]);
    await expect.poll(() => gatewayConditions(`test-${count}`)).toMatchObject({ Accepted: "True Accepted" });
    expect(await settled()).toEqual(before);
  });

  test("of a TLSRoute is written too", async () => {
    const namespace = await newNamespace();
    const tls = { mode: "Terminate", options: { [certificateOption]: issuedHere } };
    await makeGateway(namespace, [{ name: "tls", port: await freePort(), protocol: "TLS", tls }]);
    await client.create(TLSRoutes, {
      apiVersion: apiVersionOf(TLSRoutes),
      metadata: { namespace, name: "raw" },
      spec: {
        parentRefs: [{ name: "edge", sectionName: "tls" }],
        hostnames: ["a.test"],
        rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
      },
    });
    const conditions = async () =>
      conditionsOf((await client.get(TLSRoutes, namespace, "raw")).status?.parents?.[0]?.conditions);
    await expect.poll(conditions).toEqual({ Accepted: "True Accepted", ResolvedRefs: "False BackendNotFound" });
  });
});
