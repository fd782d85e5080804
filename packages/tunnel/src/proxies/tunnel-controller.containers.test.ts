/** The whole of it, on real engines: both proxies, an image that is built here, and a server on this host. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, silentLogger, unlimited } from "@berg/kube";
import { ContainerNetworks, ContainerNetworkTunnelProxies } from "@berg/resources";
import { onEachEngine } from "@berg/test/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { baseImage as makeBaseImage } from "../image/testing/base-images.ts";
import { pairLabels } from "./pair/surroundings.ts";
import type { ControllerProcessOptions } from "./testing/controller-process.ts";
import { type Tunnel, type TunnelProxy, TunnelWorld } from "./testing/tunnel-world.ts";
import { startTunnelController, type TunnelController } from "./tunnel-controller.ts";

const baseImage = "berg.test/tunnel-base:1";
const controllerProcess = join(import.meta.dirname, "testing/controller-process.ts");
const patience = { timeout: 90_000, interval: 200 };
const network = `berg-test-tunnel-${process.pid}`;
const node = `test-${process.pid}`;

/** Says back each line that it gets. */
async function startServer() {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => socket.write(`you said ${bytes}`));
    socket.on("end", () => socket.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, stop };
}

/** Empty for one that has just ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

onEachEngine((given) => {
  let world: TunnelWorld;
  let directory: string;
  let server: Awaited<ReturnType<typeof startServer>>;
  let client: Client;
  let controller: TunnelController | undefined;
  let child: ChildProcess | undefined;
  let pod: string;

  const startController = async () => {
    const { engine } = given;
    controller = await startTunnelController({ client, engine, directory, node, version: "0.1.0", log: silentLogger });
    return controller;
  };
  const startControllerProcess = async () => {
    const { connection } = world;
    const options: ControllerProcessOptions = {
      server: connection.server,
      tls: await connection.tls(),
      authorization: await connection.authorization(),
      engineSocket: given.real.socket,
      directory,
      node,
    };
    const started = spawn(process.execPath, [controllerProcess], { stdio: ["pipe", "inherit", "inherit"] });
    started.stdin.write(`${JSON.stringify(options)}\n`);
    child = started;
    return started;
  };
  const read = ({ metadata }: TunnelProxy) => world.client.get(ContainerNetworkTunnelProxies, "", metadata.name);
  const until = (proxy: TunnelProxy, isSo: (status: NonNullable<TunnelProxy["status"]>) => boolean) =>
    vi.waitFor(async () => {
      const now = await read(proxy);
      if (!now.status || !isSo(now.status)) throw new Error(`it is ${JSON.stringify(now.status)}`);
      return now.status;
    }, patience);
  const make = async (tunnels: Tunnel[], name = "proxy") => {
    const spec = { containerNetworkName: network, tunnels, baseImage };
    const proxy = await world.client.create(ContainerNetworkTunnelProxies, { metadata: { name }, spec } as never);
    return proxy as TunnelProxy;
  };
  const running = (proxy: TunnelProxy) =>
    until(proxy, ({ state, tunnelStatuses }) => state === "Running" && tunnelStatuses?.[0]?.state === "Ready");
  const leftovers = async () => {
    const labels = pairLabels({ node });
    const containers = (await given.engine.listContainers(labels)).map(({ name }) => name);
    const networks = (await given.engine.listNetworks(labels)).map(({ name }) => name);
    const directories = await readdir(join(directory, "pairs")).catch((): string[] => []);
    return [...containers, ...networks, ...directories];
  };
  const inPod = async (script: string) => {
    const command = ["sh", "-c", script];
    const session = await given.engine.exec(pod, { command, stdin: true, stdout: true, stderr: true, tty: false });
    let said = "";
    const over = (async () => {
      for await (const { bytes } of session.output) said += Buffer.from(bytes);
    })();
    // A test that fails may leave it open.
    over.catch(() => {});
    return { session, over, said: () => said };
  };
  const endpoint = ({ tunnelStatuses = [] }: NonNullable<TunnelProxy["status"]>) =>
    `${tunnelStatuses[0]?.clientProxyAddresses?.[0]} ${tunnelStatuses[0]?.clientProxyPort}`;
  /** A watch misses no state, however short it is. */
  const firstSightOf = async (state: string, { metadata: { name, resourceVersion } }: TunnelProxy) => {
    const seen = new AbortController();
    const fieldSelector = `metadata.name=${name}`;
    const options = { fieldSelector, resourceVersion, signal: seen.signal };
    await world.client
      .watch(ContainerNetworkTunnelProxies, options, (events) => {
        const states = events.map(({ object }) => (object as TunnelProxy).status?.state);
        if (states.includes(state as never)) seen.abort();
      })
      .catch((error: unknown) => {
        if (!seen.signal.aborted) throw error;
      });
    if (!seen.signal.aborted) throw new Error(`it was never ${state}`);
  };
  /** Of this test, whoever started them. */
  const serverProcesses = () =>
    readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) => commandOf(pid))
      .filter((command) => command.includes(`${directory}/pairs/`));
  const isAlive = (pid: number | undefined) => existsSync(`/proc/${pid}`);

  beforeAll(async () => {
    world = await TunnelWorld.start();
    directory = await mkdtemp(join(tmpdir(), "berg-t-"));
    server = await startServer();
    client = createClient({ connection: world.connection, component: "tunnels", rate: unlimited });
    await given.engine.loadImage(await makeBaseImage(baseImage));
    await given.engine.createNetwork({ name: network, labels: {} });
    const made = await world.client.create(ContainerNetworks, { metadata: { name: network }, spec: {} } as never);
    const status = { state: "Running", networkName: network } as const;
    await world.client.update(ContainerNetworks, { ...made, status }, { subresource: "status" });
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await controller?.stop();
    const { items } = await world.client.list(ContainerNetworkTunnelProxies);
    for (const { metadata } of items) {
      const patch = { type: "merge", body: { metadata: { finalizers: [] } } } as const;
      await world.client.patch(ContainerNetworkTunnelProxies, "", metadata.name, patch);
      await world.client.delete(ContainerNetworkTunnelProxies, "", metadata.name).catch(() => {});
    }
  });
  afterAll(async () => {
    server?.stop();
    await client?.close();
    await world?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const startPod = async () => {
    pod = await given.run("sleep 1000", { HostConfig: { NetworkMode: network } });
  };

  // Docker is on a machine of its own in tests, whose networks are not this process's.
  if (given.name === "docker") {
    test("a client proxy that cannot be reached: Failed says so, and nothing of the pair is left", async () => {
      await startController();
      const proxy = await make([{ name: "echo", serverPort: server.port }]);
      const { message } = await until(proxy, ({ state }) => state === "Failed");
      expect(message).toContain("cannot reach the client proxy at 10.203.");
      await vi.waitFor(async () => expect(await leftovers()).toEqual([proxy.metadata.uid]), patience);
    });
    return;
  }

  describe("a pair", { timeout: 300_000 }, () => {
    test("lets a container reach a server on the host, and leaves nothing when it is deleted", async () => {
      await startPod();
      await startController();
      const proxy = await make([
        { name: "echo", serverAddress: "127.0.0.1", serverPort: server.port, clientProxyPort: 80 },
      ]);
      const status = await running(proxy);
      const call = await inPod(`echo hello | nc ${endpoint(status)}`);
      await call.over;
      expect(call.said()).toBe("you said hello\n");
      expect(endpoint(status)).toMatch(/ 80$/);

      await world.client.delete(ContainerNetworkTunnelProxies, "", "proxy");
      await vi.waitFor(
        async () => expect((await world.client.list(ContainerNetworkTunnelProxies)).items).toEqual([]),
        patience,
      );
      await vi.waitFor(async () => expect(await leftovers()).toEqual([]), patience);
      expect(isAlive(status.serverProxyProcessId)).toBe(false);
    });

    test.each(["client", "server"])(
      "of which the %s proxy is killed is Failed, and nothing of it is left",
      async (which) => {
        await startController();
        const proxy = await make([{ name: "echo", serverPort: server.port }]);
        const { clientProxyContainerId = "", serverProxyProcessId = 0 } = await running(proxy);
        if (which === "client") await given.engine.killContainer(clientProxyContainerId, "SIGKILL");
        else process.kill(serverProxyProcessId, "SIGKILL");
        const { message } = await until(proxy, ({ state }) => state === "Failed");
        expect(message).toContain(`The ${which} proxy`);
        await vi.waitFor(async () => expect(await leftovers()).toEqual([proxy.metadata.uid]), patience);
        await vi.waitFor(() => expect(isAlive(serverProxyProcessId)).toBe(false), patience);
      },
    );

    test("goes on, with its streams, when its controller is killed, and is adopted by the next", async () => {
      await startPod();
      const first = await startControllerProcess();
      const proxy = await make([{ name: "echo", serverPort: server.port }]);
      const status = await running(proxy);
      const call = await inPod(`nc ${endpoint(status)}`);
      await call.session.write(Buffer.from("one\n"));
      await vi.waitFor(() => expect(call.said()).toContain("you said one"), patience);

      first.kill("SIGKILL");
      await once(first, "exit");
      await startController();
      await world.client.patch(ContainerNetworkTunnelProxies, "", "proxy", {
        type: "merge",
        body: {
          spec: {
            tunnels: [
              { name: "echo", serverPort: server.port },
              { name: "second", serverPort: 9 },
            ],
          },
        },
      });
      const adopted = await until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.length === 2);
      expect(adopted.tunnelStatuses?.[0]).toEqual(status.tunnelStatuses?.[0]);
      expect(adopted.clientProxyContainerId).toBe(status.clientProxyContainerId);
      await call.session.write(Buffer.from("two\n"));
      await vi.waitFor(() => expect(call.said()).toContain("you said two"), patience);
      call.session.close();
    });

    test.each(["BuildingImage", "Starting"])(
      "whose controller is killed in %s is begun anew by the next, and one pair is there in the end",
      async (state) => {
        const first = await startControllerProcess();
        const proxy = await make([{ name: "echo", serverPort: server.port }]);
        await firstSightOf(state, proxy);
        first.kill("SIGKILL");
        await once(first, "exit");
        await startController();
        await running(proxy);
        const containers = await given.engine.listContainers(pairLabels({ node }));
        expect(containers.filter(({ status }) => status === "running")).toHaveLength(1);
        await world.client.delete(ContainerNetworkTunnelProxies, "", "proxy");
        await vi.waitFor(async () => expect(await leftovers()).toEqual([]), patience);
        await vi.waitFor(() => expect(serverProcesses()).toEqual([]), patience);
      },
    );

    test.each(["BuildingImage", "Starting"])("that is deleted in %s leaves nothing", async (state) => {
      await startController();
      const proxy = await make([{ name: "echo", serverPort: server.port }]);
      await firstSightOf(state, proxy);
      await world.client.delete(ContainerNetworkTunnelProxies, "", "proxy");
      await vi.waitFor(
        async () => expect((await world.client.list(ContainerNetworkTunnelProxies)).items).toEqual([]),
        patience,
      );
      await vi.waitFor(async () => expect(await leftovers()).toEqual([]), patience);
      expect(serverProcesses()).toEqual([]);
    });

    test("goes on while the engine is away, and is watched when the engine is back", async () => {
      await startController();
      const proxy = await make([{ name: "echo", serverPort: server.port }]);
      const { clientProxyContainerId = "" } = await running(proxy);
      await given.real.service.kill();
      await world.client.patch(ContainerNetworkTunnelProxies, "", "proxy", {
        type: "merge",
        body: { spec: { tunnels: [{ name: "other", serverPort: server.port }] } },
      });
      await until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.name === "other");
      await given.real.service.start();
      await given.engine.killContainer(clientProxyContainerId, "SIGKILL");
      const { message } = await until(proxy, ({ state }) => state === "Failed");
      expect(message).toContain("client proxy");
    });
  });
});
