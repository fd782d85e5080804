/** The objects of the guide are taken by an API server that has our kinds, and mean what the guide says. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import {
  type ContainerNetwork,
  ContainerNetworks,
  ContainerNetworkTunnelProxies,
  type ContainerNetworkTunnelProxy,
  customResourceDefinitions,
} from "@berg/resources";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { installKinds } from "../packages/cli/src/up/install-kinds.ts";

test("the tunnels of the guide are taken, with their defaults", async () => {
  const text = await readFile(join(import.meta.dirname, "examples/tunnel.yaml"), "utf8");
  const [network, proxy] = parseAllDocuments(text).map((document) => document.toJS());
  await using plane = await startLocalControlPlane({ dataDir: ":memory:" });
  const client = createClient({ connection: plane.apiServer.connection, component: "guide" });
  try {
    await installKinds(client, customResourceDefinitions(), new AbortController().signal);
    const { spec } = await client.create(ContainerNetworks, network as ContainerNetwork);
    expect(spec).toEqual({ networkName: "lab", mode: "session", ipv6: false });
    const { spec: wanted } = await client.create(ContainerNetworkTunnelProxies, proxy as ContainerNetworkTunnelProxy);
    expect(wanted.tunnels.map(({ name, serverAddress }) => [name, serverAddress])).toEqual([
      ["database", "localhost"],
      ["checker", "127.0.0.1"],
    ]);
  } finally {
    await client.close();
  }
});
