/** The guide's two objects on a cluster of their own, with `berg tunnel` as a process beside it. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type Client, createClient } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { connectEngine, type Engine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { ContainerNetworks, ContainerNetworkTunnelProxies, customResourceDefinitions } from "@berg/resources";
import { busyboxImage, missingPodman, startPodman, type TestPodman } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { TestAuthor } from "../dev/testing/author.ts";
import { loadTunnelBase } from "../dev/tunnels/base-image.ts";
import { installKinds } from "../up/install-kinds.ts";

const image = "berg.test/tunnel-user:1";
const patience = { timeout: 120_000, interval: 200 };

describe.skipIf(missingPodman())("berg tunnel on Podman", () => {
  const { signal } = new AbortController();
  const server = createServer((socket) => socket.end("hello from the host\n"));
  let podman: TestPodman;
  let engine: Engine;
  let author: TestAuthor;
  let plane: Awaited<ReturnType<typeof startLocalControlPlane>>;
  let client: Client;
  beforeAll(async () => {
    podman = await startPodman();
    engine = connectEngine(podman.socket);
    await engine.loadImage(imageArchive(busyboxImage({ name: image, command: ["sleep", "1000"] })));
    author = await TestAuthor.create({ CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" });
    plane = await startLocalControlPlane({ dataDir: join(author.directory, "cluster") });
    client = createClient({ connection: plane.apiServer.connection, component: "test" });
    await installKinds(client, customResourceDefinitions(), signal);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    server.close();
    await client?.close();
    await plane?.[Symbol.asyncDispose]();
    await author?.[Symbol.asyncDispose]();
    await podman?.stop();
  });

  test("makes a network and a tunnel on it, and takes both away", async () => {
    const kubeconfig = join(author.directory, "cluster/kubeconfig");
    const berg = author.berg("tunnel", "--runtime", "podman", "--kubeconfig", kubeconfig);
    const { port } = server.address() as AddressInfo;
    const baseImage = await loadTunnelBase(engine, signal);
    await client.create(ContainerNetworks, { metadata: { name: "lab" }, spec: { mode: "session", ipv6: false } });
    const tunnel = {
      ...{ name: "host", serverAddress: "127.0.0.1", serverPort: port },
      ...{ clientProxyAddress: "0.0.0.0", clientProxyPort: 7000, limits: { maxStreams: 10 } },
    };
    const spec = { containerNetworkName: "lab", baseImage, tunnels: [tunnel] };
    await client.create(ContainerNetworkTunnelProxies, { metadata: { name: "lab" }, spec });
    const address = await vi.waitFor(async () => {
      const { status } = await client.get(ContainerNetworkTunnelProxies, "", "lab");
      const [found] = status?.tunnelStatuses?.[0]?.clientProxyAddresses ?? [];
      if (status?.state !== "Running" || !found) throw new Error(JSON.stringify(status));
      return found;
    }, patience);
    const { status } = await client.get(ContainerNetworks, "", "lab");
    const user = await engine.createContainer("tunnel-user", {
      Image: image,
      Cmd: ["nc", address, "7000"],
      Labels: {},
      HostConfig: { NetworkMode: status?.networkName ?? "" },
    });
    await engine.startContainer(user.id);
    let said = "";
    for await (const { bytes } of engine.containerLogs(user.id, { follow: true, timestamps: false })) {
      said += Buffer.from(bytes);
    }
    expect(said).toBe("hello from the host\n");
    await engine.removeContainer(user.id);

    await client.delete(ContainerNetworkTunnelProxies, "", "lab");
    await client.delete(ContainerNetworks, "", "lab");
    await vi.waitFor(async () => {
      expect(await engine.listContainers({})).toEqual([]);
      expect((await engine.listNetworks({})).map(({ name }) => name)).toEqual(["podman"]);
      expect((await client.list(ContainerNetworks)).items).toEqual([]);
    }, patience);
    berg.child.kill("SIGTERM");
    expect(await berg.ended).toEqual([0, null]);
  });
});
