/** This node, on each engine, does what a kubelet does. */
import { join } from "node:path";
import { createClient, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import type { Engine } from "@berg/local-engine";
import { busyboxImage } from "@berg/test";
import { onEachEngine } from "@berg/test/engine";
import { expect, test } from "vitest";
import { imageArchive } from "../images/archive.ts";
import { startNetworks } from "../networks/networks.ts";
import { startContainerNode } from "../node/container-node.ts";
import type { Networks } from "./networks.ts";
import { cases, rootImage, webImage } from "./testing/cases.ts";
import { checkCases } from "./testing/check-cases.ts";

onEachEngine((given) => {
  test("pods end up as a kubelet would have them, and nothing is left", async () => {
    const { engine, real } = given;
    const httpd = ["httpd", "-f", "-p", "8080", "-h", "/bin"];
    await engine.loadImage(imageArchive(busyboxImage({ name: webImage, command: httpd })));
    await engine.loadImage(imageArchive(busyboxImage({ name: rootImage, command: ["sleep", "1000"] })));
    await using world = new AsyncDisposableStack();
    const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:" }));
    const client = createClient({ connection: apiServer.connection, rate: unlimited });
    world.defer(() => client.close());
    const name = `kubelet-${given.name}`;
    // The tests' Docker has a network of its own: its bridges are not ours to close, nor its pods ours to dial.
    const isHere = given.name === "podman";
    const networks = isHere
      ? world.use(await startNetworks({ engine, client, node: name, pool: "10.233.0.0/16" }))
      : plainNetworks(engine);
    const some = cases.filter((one) => isHere || one.name !== "never-ready");
    const dataDir = join(real.directory, "node");
    const node = await startContainerNode({ engine, client, name, dataDir, networks, capabilities: [] });
    try {
      // Not all at once, on two cores.
      await checkCases(client, some.slice(0, 10), "first");
      await checkCases(client, some.slice(10), "second");
    } finally {
      await node.stop({ removeContainers: true });
    }
    expect(await engine.listContainers({ "berg.local/node": name })).toEqual([]);
  }, 300_000);
});

function plainNetworks(engine: Engine): Networks {
  const made = new Map<string, Promise<unknown>>();
  const make = (name: string, index: number) =>
    engine.createNetwork({
      ...{ name, labels: {}, bridge: `berg-t-${name}` },
      ...{ subnet: `10.89.${210 + index}.0/24`, gateway: `10.89.${210 + index}.1` },
    });
  return {
    async attach(namespace) {
      made.set(namespace, made.get(namespace) ?? make(namespace, made.size));
      await made.get(namespace);
      return { network: namespace, resolvConf: "nameserver 10.96.0.10\n" };
    },
    podStarted() {},
    podGone() {},
    async removeUnused() {},
  };
}
