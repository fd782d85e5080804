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
    author = await TestAuthor.create({
      ...{ CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" },
      ...{ HEALTH_PORT: "0", METRICS_PORT: "0" },
    });
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

  const start = (cluster = "cluster") =>
    author.berg("tunnel", "--runtime", "podman", "--kubeconfig", join(author.directory, cluster, "kubeconfig"));
  const makeObjects = async () => {
    const { port } = server.address() as AddressInfo;
    const baseImage = await loadTunnelBase(engine, signal);
    await client.create(ContainerNetworks, { metadata: { name: "lab" }, spec: { mode: "session", ipv6: false } });
    const tunnel = {
      ...{ name: "host", serverAddress: "127.0.0.1", serverPort: port },
      ...{ clientProxyAddress: "0.0.0.0", clientProxyPort: 7000, limits: { maxStreams: 10 } },
    };
    const spec = { containerNetworkName: "lab", baseImage, tunnels: [tunnel] };
    await client.create(ContainerNetworkTunnelProxies, { metadata: { name: "lab" }, spec });
  };
  const untilRunning = (tunnels = 1) =>
    vi.waitFor(async () => {
      const { status } = await client.get(ContainerNetworkTunnelProxies, "", "lab");
      const addresses = status?.tunnelStatuses?.flatMap(({ clientProxyAddresses: [one] = [] }) => one ?? []) ?? [];
      if (status?.state !== "Running" || addresses.length !== tunnels) throw new Error(JSON.stringify(status));
      return { status, address: addresses[0] ?? "" };
    }, patience);
  const deleteObjects = async () => {
    await client.delete(ContainerNetworkTunnelProxies, "", "lab");
    await client.delete(ContainerNetworks, "", "lab");
    await vi.waitFor(async () => {
      expect(await engine.listContainers({})).toEqual([]);
      expect((await engine.listNetworks({})).map(({ name }) => name)).toEqual(["podman"]);
      expect((await client.list(ContainerNetworks)).items).toEqual([]);
    }, patience);
  };

  test("says which files to apply where a cluster has not our kinds", async () => {
    await using _bare = await startLocalControlPlane({ dataDir: join(author.directory, "bare") });
    const berg = start("bare");
    expect(await berg.ended).toEqual([2, null]);
    expect(berg.said).toContain("apply crds/containernetworks.yaml and crds/containernetworktunnelproxies.yaml");
  });

  test("of two, one works; when it is killed, the other takes the tunnels over as they are", async () => {
    const first = start();
    await makeObjects();
    const { status: before } = await untilRunning();
    const second = start();
    await second.says("waiting for the lease");
    first.child.kill("SIGKILL");
    await first.ended;
    await second.says("networks and tunnels are looked after", 60_000);
    const tunnel = { name: "second", serverPort: 9 };
    const operations = [{ op: "add", path: "/spec/tunnels/-", value: tunnel }];
    await client.patch(ContainerNetworkTunnelProxies, "", "lab", { type: "json", operations });
    const { status } = await untilRunning(2);
    expect(status.clientProxyContainerId).toBe(before.clientProxyContainerId);
    expect(status.tunnelStatuses?.[0]).toEqual(before.tunnelStatuses?.[0]);
    await deleteObjects();
    second.child.kill("SIGTERM");
    expect(await second.ended).toEqual([0, null]);
  });

  test("makes a network and a tunnel on it, and takes both away", async () => {
    const berg = start();
    await makeObjects();
    const { address } = await untilRunning();
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

    const metricsPort = /"metricsPort":(\d+)/.exec(berg.said)?.[1];
    const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(figures).toContain('berg_tunnel_proxies{state="Running"} 1');
    expect(figures).toContain('berg_tunnel_open_streams{proxy="lab"} 0');

    await deleteObjects();
    berg.child.kill("SIGTERM");
    expect(await berg.ended).toEqual([0, null]);
  });
});
