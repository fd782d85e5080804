/** The gateway on a real API server, with the kinds as the Gateway API publishes them and with ours: both must agree. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, createClient, Namespaces, Services, silentLogger, unlimited } from "@berg/kube";
import { installForeignCrds, missingControlPlane, missingForeignCrds, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installGatewayKinds } from "../crds/install.ts";
import { freePort } from "../testing/servers.ts";
import { certificateOption, controllerName, issuedHere } from "../vocabulary.ts";
import { startGateway } from "./gateway.ts";

type Any = KubeObject & { spec: object; status?: object };
const kind = (kind: string, resource: string, version = "v1") =>
  defineResource<Any>({
    group: "gateway.networking.k8s.io",
    version,
    resource,
    kind,
    namespaced: kind !== "GatewayClass",
  });
const which = ["gatewayclasses", "gateways", "httproutes", "tlsroutes"] as const;

describe
  .skipIf((await missingControlPlane()) ?? (await missingForeignCrds()))
  .each(["ours", "theirs", "theirs before 1.5"] as const)("the gateway with kinds of %s", (origin) => {
  const world = new AsyncDisposableStack();
  let client: Client;

  beforeAll(async () => {
    const plane = await startControlPlane({ controllerManager: false, scheduler: false });
    world.defer(() => plane.stop());
    client = createClient({ connection: plane.connection, rate: unlimited });
    world.defer(() => client.close());
    if (origin === "ours") await installGatewayKinds(client);
    if (origin === "theirs") await installForeignCrds(client, { which });
    if (origin === "theirs before 1.5") await installForeignCrds(client, { which, tlsRouteVersion: "v1alpha2" });
    world.use(await startGateway({ client, log: silentLogger, certificateFor: () => ({ cert: "", key: "" }) }));
  });
  afterAll(() => world.disposeAsync());

  test("says of each object what became of it", async () => {
    const [GatewayClasses, Gateways] = [kind("GatewayClass", "gatewayclasses"), kind("Gateway", "gateways")];
    const HTTPRoutes = kind("HTTPRoute", "httproutes");
    const TLSRoutes = kind("TLSRoute", "tlsroutes", origin === "theirs before 1.5" ? "v1alpha2" : "v1");
    await client.create(Namespaces, { metadata: { name: "a" } });
    await client.create(Services, { metadata: { namespace: "a", name: "web" }, spec: { ports: [{ port: 80 }] } });
    await client.create(GatewayClasses, { metadata: { name: "local" }, spec: { controllerName } });
    const tls = { mode: "Terminate", options: { [certificateOption]: issuedHere } };
    const metadata = (name: string) => ({ namespace: "a", name });
    await client.create(Gateways, {
      metadata: metadata("edge"),
      spec: {
        gatewayClassName: "local",
        listeners: [
          { name: "http", port: await freePort(), protocol: "HTTP", hostname: "*.test" },
          { name: "https", port: await freePort(), protocol: "HTTPS", tls },
          { name: "tls", port: await freePort(), protocol: "TLS", tls: { mode: "Passthrough" } },
          { name: "tcp", port: 9, protocol: "TCP" },
        ],
      },
    });
    const rules = (name: string) => [{ backendRefs: [{ name, port: 80 }] }];
    const parentRefs = [{ name: "edge", sectionName: "http" }];
    const spec = { parentRefs, hostnames: ["a.test"], rules: rules("web") };
    await client.create(HTTPRoutes, { metadata: metadata("good"), spec });
    await client.create(HTTPRoutes, { metadata: metadata("lost"), spec: { ...spec, rules: rules("none") } });
    await client.create(TLSRoutes, {
      metadata: metadata("raw"),
      spec: { ...spec, parentRefs: [{ name: "edge", sectionName: "tls" }] },
    });

    const told = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value ?? null), (key, inner) => {
        if (key === "conditions") {
          return inner.map(
            (each: Record<string, string>) => `${each.type} ${each.status} ${each.reason} ${each.observedGeneration}`,
          );
        }
        return inner;
      });
    const status = async (type: typeof Gateways, name: string) =>
      told((await client.get(type, type.namespaced ? "a" : "", name)).status);
    const fine = [
      "Accepted True Accepted 1",
      "Programmed True Programmed 1",
      "ResolvedRefs True ResolvedRefs 1",
      "Conflicted False NoConflicts 1",
    ];
    const group = "gateway.networking.k8s.io";
    const takes = (kind: string) => [{ group, kind }];
    await expect
      .poll(() => status(Gateways, "edge"), { timeout: 10_000 })
      .toMatchObject({
        addresses: [{ type: "IPAddress", value: "127.0.0.1" }],
        conditions: ["Accepted True ListenersNotValid 1", "Programmed True Programmed 1"],
        listeners: [
          { name: "http", attachedRoutes: 2, supportedKinds: takes("HTTPRoute"), conditions: fine },
          { name: "https", attachedRoutes: 0, supportedKinds: takes("HTTPRoute"), conditions: fine },
          { name: "tls", attachedRoutes: 1, supportedKinds: takes("TLSRoute"), conditions: fine },
          {
            name: "tcp",
            attachedRoutes: 0,
            conditions: ["Accepted False UnsupportedProtocol 1", "Programmed False Invalid 1", ...fine.slice(2)],
          },
        ],
      });
    await expect.poll(() => status(GatewayClasses, "local")).toEqual({ conditions: ["Accepted True Accepted 1"] });
    const unready = "Programmed False NoReadyEndpoints 1";
    const parent = (sectionName: string, resolved: string, ...more: string[]) => ({
      parents: [
        {
          controllerName,
          parentRef: { group, kind: "Gateway", name: "edge", sectionName },
          conditions: ["Accepted True Accepted 1", `ResolvedRefs ${resolved} 1`, ...more],
        },
      ],
    });
    await expect.poll(() => status(HTTPRoutes, "good")).toEqual(parent("http", "True ResolvedRefs", unready));
    await expect.poll(() => status(HTTPRoutes, "lost")).toEqual(parent("http", "False BackendNotFound"));
    await expect.poll(() => status(TLSRoutes, "raw")).toEqual(parent("tls", "True ResolvedRefs", unready));
  });
});
