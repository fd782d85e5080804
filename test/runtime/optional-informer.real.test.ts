/** A manager whose controller needs a kind that nobody has installed yet. */
import { defineResource, type KubeObject, keyOf } from "@berg/apimachinery";
import { type Client, createClient, createMetrics, Manager, silentLogger, unlimited, watchMapped } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CustomResourceDefinitions } from "../contract/given.ts";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { eventually } from "./eventually.ts";

const group = "optional.berg.test";
type Route = KubeObject & { spec?: { to?: string } };
const Routes = defineResource<Route>({
  group,
  version: "v1alpha2",
  resource: "routes",
  kind: "Route",
  namespaced: true,
});

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

async function installRoutes(): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.create(CustomResourceDefinitions, {
    metadata: { name: `routes.${group}` },
    spec: {
      group,
      names: { plural: "routes", kind: "Route" },
      scope: "Namespaced",
      versions: [{ name: "v1alpha2", served: true, storage: true, schema }],
    },
  });
}

describe.skipIf(await missingControlPlane())("a kind that is installed while a manager runs", () => {
  test("is found in the version that there is, and its objects arrive without a restart", async () => {
    const manager = new Manager({ component: "test", client, log: silentLogger, metrics: await createMetrics() });
    const routes = manager.optionalInformer<Route>({ group, kind: "Route", versions: ["v1", "v1alpha2"] });
    const seen: string[] = [];
    manager.addController({
      name: "test",
      watches: [watchMapped(routes, (object) => [keyOf(object)])],
      async reconcile(key) {
        seen.push(`${key} ${routes.get(key)?.spec?.to ?? "gone"}`);
        return undefined;
      },
    });
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    expect(await routes.look(stop.signal)).toBeUndefined();

    await installRoutes();
    const at = { namespace: "default", name: "a" };
    await eventually("a route is accepted", () =>
      client.create(Routes, { metadata: at, spec: { to: "web" } }).then(
        () => true,
        () => false,
      ),
    );
    await eventually("the kind is found", () => routes.look(stop.signal));
    expect(routes.informer?.type).toMatchObject({ version: "v1alpha2", resource: "routes" });
    await eventually("what was there is seen", () => seen.includes("default/a web"));
    await client.patch(Routes, "default", "a", { type: "merge", body: { spec: { to: "pwn" } } });
    await eventually("a change is seen", () => seen.includes("default/a pwn"));
    await client.delete(Routes, "default", "a");
    await eventually("its end is seen", () => seen.includes("default/a gone"));
    stop.abort();
    await run;
  });
});
