/** Our kinds on the embedded control plane. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, createClient, Namespaces, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CustomResourceDefinitions, gatewayCrds, oursAnnotation } from "./crds.ts";
import { installGatewayKinds } from "./install.ts";

const world = new AsyncDisposableStack();
let client: Client;

beforeAll(async () => {
  const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  client = createClient({ connection: apiServer.connection, rate: unlimited });
  world.defer(() => client.close());
  await client.create(Namespaces, { metadata: { name: "x" } });
});
afterAll(() => world.disposeAsync());

const names = gatewayCrds.map(({ metadata }) => metadata.name);
const all = async () => (await client.list(CustomResourceDefinitions)).items;

test("those of others are left as they are, and ours come beside them", async () => {
  const [theirs] = gatewayCrds.filter(({ metadata }) => metadata.name.startsWith("httproutes."));
  const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/1" };
  const { metadata } = await client.create(CustomResourceDefinitions, {
    ...theirs,
    metadata: { name: "httproutes.gateway.networking.k8s.io", annotations },
  } as never);
  await installGatewayKinds(client);
  const found = await all();
  expect(found.map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort());
  const kept = found.find(({ metadata }) => metadata.name.startsWith("httproutes."))?.metadata;
  expect([kept?.uid, kept?.annotations, kept?.generation]).toEqual([metadata.uid, annotations, metadata.generation]);
});

test("ours are brought up to date at the next start, and nothing is written where they are", async () => {
  const name = "gateways.gateway.networking.k8s.io";
  const stripped = [{ op: "remove", path: "/spec/versions/0/additionalPrinterColumns" }];
  await client.patch(CustomResourceDefinitions, "", name, { type: "json", operations: stripped });
  await installGatewayKinds(client);
  const found = async () => {
    const { spec, metadata } = await client.get(CustomResourceDefinitions, "", name);
    return {
      columns: spec.versions[0]?.additionalPrinterColumns?.length,
      ours: metadata.annotations?.[oursAnnotation],
      version: metadata.resourceVersion,
    };
  };
  const after = await found();
  expect(after).toMatchObject({ columns: 4, ours: "true" });
  await installGatewayKinds(client);
  expect(await found()).toEqual(after);
});

describe("what our kinds refuse", () => {
  const kind = (kind: string, resource: string) =>
    defineResource<KubeObject & { spec: object }>({
      group: "gateway.networking.k8s.io",
      version: "v1",
      kind,
      resource,
      namespaced: true,
    });
  const backendRefs = [{ name: "web", port: 80 }];
  const listener = { name: "a", port: 1, protocol: "HTTP" };

  test.each<[string, string, object, string]>([
    ["a Gateway without listeners", "gateways", { gatewayClassName: "x", listeners: [] }, "spec.listeners"],
    ["one without a class", "gateways", { listeners: [listener] }, "spec.gatewayClassName"],
    [
      "tls for HTTP",
      "gateways",
      { gatewayClassName: "x", listeners: [{ ...listener, tls: {} }] },
      "tls is for protocols HTTPS and TLS",
    ],
    [
      "TLS without tls",
      "gateways",
      { gatewayClassName: "x", listeners: [{ ...listener, protocol: "TLS" }] },
      "protocol TLS needs a tls mode",
    ],
    [
      "HTTPS passed on",
      "gateways",
      { gatewayClassName: "x", listeners: [{ ...listener, protocol: "HTTPS", tls: { mode: "Passthrough" } }] },
      "needs tls mode Terminate",
    ],
    ["two of one name", "gateways", { gatewayClassName: "x", listeners: [listener, listener] }, "Duplicate value"],
    ["port 0", "gateways", { gatewayClassName: "x", listeners: [{ ...listener, port: 0 }] }, "spec.listeners[0].port"],
    ["a hostname that is none", "tlsroutes", { hostnames: ["a_b"], rules: [{ backendRefs }] }, "spec.hostnames[0]"],
    ["a TLSRoute for every host", "tlsroutes", { rules: [{ backendRefs }] }, "spec.hostnames"],
    [
      "two rules of a TLSRoute",
      "tlsroutes",
      { hostnames: ["a"], rules: [{ backendRefs }, { backendRefs }] },
      "spec.rules",
    ],
    [
      "a path that is none",
      "httproutes",
      { rules: [{ matches: [{ path: { value: "a" } }] }] },
      "a path begins with a slash",
    ],
    ["a Service without a port", "httproutes", { rules: [{ backendRefs: [{ name: "web" }] }] }, "needs a port"],
    ["a method that is none", "httproutes", { rules: [{ matches: [{ method: "FETCH" }] }] }, "method"],
  ])("%s", async (_, resource, spec, text) => {
    const kinds: Record<string, string> = { gateways: "Gateway", httproutes: "HTTPRoute", tlsroutes: "TLSRoute" };
    const type = kind(kinds[resource] ?? "", resource);
    await expect(client.create(type, { metadata: { namespace: "x", name: "y" }, spec })).rejects.toThrow(text);
  });
});
