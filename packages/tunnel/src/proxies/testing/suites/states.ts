import { ContainerNetworks } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ImageBuildFailed } from "../../../image/build-failure.ts";
import type { StartPlane } from "../../../networks/testing/control-planes.ts";
import { containerOf, db, poll, type Site, serverOf, type Tunnel, TunnelWorld, web } from "../tunnel-world.ts";

export function describeStates(startPlane: StartPlane): void {
  let world: TunnelWorld;
  beforeAll(async () => {
    world = await TunnelWorld.start(startPlane);
  }, 180_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const slow = { timeout: 180_000 };
  const runningSite = (tunnels?: Tunnel[]) => world.runningSite(tunnels);

  describe("from nothing to Running", { timeout: 180_000 }, () => {
    test("it says what it has made, where, and what became of each tunnel", async () => {
      const { site, proxy } = await runningSite([db, web]);
      await using _ = site;
      const { status, metadata } = await site.read(proxy);
      const server = serverOf(site);
      expect(metadata.finalizers).toEqual(["tunnel.berg.norelect.ch/finalizer"]);
      expect(status).toEqual({
        observedGeneration: 1,
        state: "Running",
        message: "Both proxies run",
        tunnelStatuses: [
          {
            name: "db",
            tunnelId: 1,
            state: "Ready",
            timestamp: expect.stringMatching(/\.\d{6}Z$/),
            clientProxyAddresses: ["10.89.1.2"],
            clientProxyPort: 40_001,
          },
          {
            name: "web",
            tunnelId: 2,
            state: "Ready",
            timestamp: expect.stringMatching(/\.\d{6}Z$/),
            clientProxyAddresses: ["10.89.1.2"],
            clientProxyPort: 80,
          },
        ],
        tunnelConfigurationVersion: 1,
        clientProxyContainerId: containerOf(site),
        serverProxyProcessId: server.pid,
        serverProxyStartupTimestamp: server.startTime,
        serverProxyStdOutFile: server.stdoutFile,
        serverProxyStdErrFile: server.stderrFile,
        clientProxyControlPort: 36672,
        clientProxyDataPort: 36673,
      });
    });

    test("each transition is told", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      const reasons = ["TunnelProxyBuildingImage", "TunnelProxyStarting", "TunnelProxyRunning"];
      await poll(async () => expect(await site.eventsOf(proxy)).toEqual(reasons));
    });

    test("the client proxy is on both networks before it runs, and may do nothing that it need not", async () => {
      const { site } = await runningSite();
      await using _ = site;
      const [container] = [...site.host.containers.values()];
      const [management] = [...site.host.networks.values()];
      expect(management).toMatchObject({ internal: true, subnet: expect.stringMatching(/^10\.203\.\d+\.\d+\/29$/) });
      expect([...(container?.networks ?? [])]).toEqual([management?.name, `${site.network}-on-engine`]);
      const { calls } = site.host;
      expect(calls.indexOf("connectNetwork")).toBeLessThan(calls.indexOf("startContainer"));
      expect(calls.indexOf("launch")).toBeLessThan(calls.indexOf("createContainer"));
      expect(container?.body).toMatchObject({
        User: expect.not.stringMatching(/^0?(:|$)/),
        Env: ["BERG_TUNNEL_PEER=server", `BERG_TUNNEL_MANAGEMENT=${management?.subnet}`],
        HostConfig: {
          AutoRemove: true,
          CapDrop: ["ALL"],
          ReadonlyRootfs: true,
          SecurityOpt: ["no-new-privileges"],
          Memory: expect.any(Number),
          PidsLimit: expect.any(Number),
        },
      });
      expect(site.guests).toEqual([`${site.network} 10.89.1.2`]);
    });

    test("an image that is current is not built a second time", async () => {
      const { site } = await runningSite();
      await using _ = site;
      const second = await site.make();
      await site.untilState(second, "Running");
      await poll(async () =>
        expect(await site.eventsOf(second)).toEqual(["TunnelProxyStarting", "TunnelProxyRunning"]),
      );
    });

    test("without a network it waits, and says for what", async () => {
      await using site = await world.site();
      await site.startController();
      const proxy = await site.make();
      const waits = (text: string) => site.until(proxy, ({ message }) => message?.includes(text) ?? false);
      await waits(`${site.network}, which is not there`);
      const network = await site.makeNetwork("Pending");
      await waits("which is Pending");
      expect(site.host.calls).not.toContain("ensureImage");
      await site.setNetwork(network, "Running");
      await site.untilState(proxy, "Running");
    });

    test("while the engine is unwell it waits, and says so", async () => {
      await using site = await world.site();
      const heal = site.host.fail("info");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make();
      const { status } = await site.until(proxy, ({ message }) => message?.includes("info is broken") ?? false);
      expect(status?.state).toBe("Pending");
      heal();
      await site.untilState(proxy, "Running");
    });

    test.each(["BuildingImage", "Starting"])("%s is said while it is so", async (state) => {
      await using site = await world.site();
      const release = site.host.hold(state === "Starting" ? "startContainer" : "ensureImage");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make();
      await site.untilState(proxy, state);
      release();
      await site.untilState(proxy, "Running");
    });

    test("tunnels that change while it starts are those of the end", async () => {
      await using site = await world.site();
      const release = site.host.hold("startContainer");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await site.untilState(proxy, "Starting");
      await site.setTunnels(proxy, [web]);
      release();
      await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      await poll(() => expect(serverOf(site).names).toEqual(["web"]));
    });
  });

  describe("Failed", { timeout: 180_000 }, () => {
    test.each([
      {
        call: "ensureImage",
        error: new ImageBuildFailed("the base image lacks a library", undefined),
        want: "image could not be made: the base image lacks a library",
      },
      { call: "createNetwork", want: "createNetwork is broken" },
      { call: "launch", want: "could not be started: launch is broken" },
      { call: "createContainer", want: "createContainer is broken" },
      { call: "connectNetwork", want: "connectNetwork is broken" },
      { call: "startContainer", want: "startContainer is broken" },
      { call: "containerLogs", want: "did not say where it listens: containerLogs is broken" },
      { call: "connect", want: "connect is broken" },
    ])("where $call fails, with its text and nothing left but the logs", async ({ call, error, want }) => {
      await using site = await world.site();
      site.host.fail(call, error);
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make();
      const { status } = await site.untilState(proxy, "Failed");
      expect(status?.message).toContain(want);
      await poll(async () =>
        expect((await site.leftovers()).filter((left) => left !== proxy.metadata.uid)).toEqual([]),
      );
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyFailed"));
    });

    test.each([
      {
        end: "the container ends",
        act: (site: Site) => site.host.endContainer(containerOf(site)),
        want: "container is gone",
      },
      {
        end: "the container lacks memory",
        act: (site: Site) => site.host.endContainer(containerOf(site), ["oom", "die", "destroy"]),
        want: "lack of memory",
      },
      { end: "the process ends", act: (site: Site) => serverOf(site).kill("SIGKILL"), want: "ended (signal SIGKILL)" },
      {
        end: "the engine was restarted, and the container is gone",
        act({ host }: Site) {
          host.endContainer(containerOf({ host } as Site), []);
          host.breakEvents();
        },
        want: "container is gone",
      },
    ])("where $end; what is left of the pair goes", async ({ act, want }) => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      act(site);
      const { status } = await site.untilState(proxy, "Failed");
      expect(status?.message).toContain(want);
      expect(status?.tunnelStatuses).toMatchObject([{ name: "db", state: "Failed", errorMessage: expect.any(String) }]);
      expect(status?.clientProxyContainerId).toBeUndefined();
      await poll(async () => expect(await site.leftovers()).toEqual([proxy.metadata.uid]));
      await site.delete(proxy);
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("where its network goes, so that nothing holds the network", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      await site.client.delete(ContainerNetworks, "", site.network);
      const { status } = await site.untilState(proxy, "Failed");
      expect(status?.message).toContain(`${site.network} was deleted`);
      await poll(() => expect(site.host.containers.size).toBe(0));
    });

    test("a container that ends while it starts is no running pair", async () => {
      await using site = await world.site();
      const release = site.host.hold("connect");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make();
      await poll(() => expect(site.host.calls).toContain("connect"));
      const looks = () => site.host.calls.filter((call) => call === "inspectContainer").length;
      const before = looks();
      site.host.endContainer(containerOf(site));
      // Both of the engine's events have been heard.
      await poll(() => expect(looks()).toBe(before + 2));
      release();
      await site.untilState(proxy, "Failed");
    });
  });

  describe("what is no failure", { timeout: 180_000 }, () => {
    test("another container with the same labels ends: one of its image, or of an earlier start", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      const { labels: Labels = {} } = site.host.containers.get(containerOf(site)) ?? {};
      const HostConfig = { NetworkMode: "bridge" };
      const { id } = await site.host.engine.createContainer("other", { Image: "i", Labels, HostConfig });
      const looks = () => site.host.calls.filter((call) => call === "inspectContainer").length;
      const before = looks();
      site.host.endContainer(id);
      await poll(() => expect(looks()).toBe(before + 2));
      await site.setTunnels(proxy, [db, web]);
      const { status } = await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      expect(status?.state).toBe("Running");
    });

    test("the engine's events break, and the container still runs", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      const before = site.host.calls.filter((call) => call === "inspectContainer").length;
      site.host.breakEvents();
      await poll(() =>
        expect(site.host.calls.filter((call) => call === "inspectContainer").length).toBeGreaterThan(before),
      );
      expect((await site.read(proxy)).status?.state).toBe("Running");
    });

    test("the watch breaks, and is opened again", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      const server = serverOf(site);
      const before = server.watches;
      server.breakWatches();
      await poll(() => expect(server.watches).toBeGreaterThan(before));
      expect((await site.read(proxy)).status?.state).toBe("Running");
    });

    test("the proxies lose each other: it is told, and tunnels that change meanwhile wait", async () => {
      const { site, proxy } = await runningSite();
      await using _ = site;
      site.host.say({ case: "disconnected", value: { message: "no answer" } as never });
      await site.until(proxy, ({ message }) => message?.includes("lost each other") ?? false);
      await site.setTunnels(proxy, [db, web]);
      const { status } = await site.read(proxy);
      expect(status).toMatchObject({ state: "Running", observedGeneration: 1 });
      site.host.say({ case: "connected", value: {} as never });
      await site.until(
        proxy,
        ({ message, observedGeneration }) => message === "Both proxies run" && observedGeneration === 2,
      );
      await poll(async () =>
        expect(await site.eventsOf(proxy)).toEqual(expect.arrayContaining(["ProxiesDisconnected", "ProxiesConnected"])),
      );
    });

    test("a server that is unreachable is told, in the status too, until a stream gets through", async () => {
      const { site, proxy } = await runningSite([db, web]);
      await using _ = site;
      const before = (await site.read(proxy)).status;
      const value = { tunnelId: 1, name: "db", message: "connection refused" } as never;
      site.host.say({ case: "serverUnreachable", value });
      const errorMessage = "The server cannot be reached: connection refused";
      const { status } = await site.until(
        proxy,
        ({ tunnelStatuses }) => tunnelStatuses?.[0]?.errorMessage !== undefined,
      );
      expect(status?.tunnelStatuses?.[0]).toMatchObject({ state: "Ready", errorMessage, clientProxyPort: 40_001 });
      expect(status?.tunnelStatuses?.[1]).toEqual(before?.tunnelStatuses?.[1]);
      expect(status?.tunnelConfigurationVersion).toBe(1);
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("ServerUnreachable"));
      expect(await site.eventsOf(proxy)).not.toContain("TunnelFailed");
      site.host.say({ case: "serverReached", value: { tunnelId: 1 } as never });
      const healed = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.errorMessage === undefined);
      const [entry] = healed.status?.tunnelStatuses ?? [];
      expect(entry).toEqual({ ...before?.tunnelStatuses?.[0], timestamp: entry?.timestamp });
      expect(entry?.timestamp).toSatisfy((time: string) => time > (status?.tunnelStatuses?.[0]?.timestamp ?? ""));
    });
  });

  test("figures tell how many there are in which state, and how many streams go through", slow, async () => {
    const { site } = await runningSite([db, web]);
    await using _ = site;
    site.host.busyPorts.add(81);
    const second = await site.make([{ ...web, clientProxyPort: 81 }]);
    await site.until(second, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Failed");
    const value = { tunnelId: 1, name: "db", message: "connection refused" } as never;
    serverOf(site).say({ case: "serverUnreachable", value });
    serverOf(site).openStreams = 7;
    // All objects of this control plane are counted; the streams are those of this controller's pairs.
    const figures = async () => (await site.figures()).filter((line) => /^berg_tunnel/.test(line)).join("\n");
    await poll(async () => expect(await figures()).toMatch(/^berg_tunnels\{state="Unreachable"\} [1-9]/m));
    const told = await figures();
    expect(told).toMatch(/^berg_tunnel_proxies\{state="Running"\} [2-9]/m);
    expect(told).toMatch(/^berg_tunnel_proxies\{state="BuildingImage"\} 0$/m);
    expect(told).toMatch(/^berg_tunnels\{state="Ready"\} [1-9]/m);
    expect(told).toMatch(/^berg_tunnels\{state="Failed"\} [1-9]/m);
    const streams = [...told.matchAll(/^berg_tunnel_open_streams\{proxy="[^"]+"\} (\d+)$/gm)].map(([, open]) => open);
    expect(streams.toSorted()).toEqual(["0", "14"]);
  });

  test("nothing is written where nothing has changed", slow, async () => {
    const { site, proxy } = await runningSite([db, web]);
    await using _ = site;
    const server = serverOf(site);
    await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyRunning"));
    const before = await site.writes();
    // Word of the network makes it look again.
    for (const id of ["1", "2", "3"]) {
      const network = await site.client.get(ContainerNetworks, "", site.network);
      const status = { ...network.status, id };
      await site.client.update(ContainerNetworks, { ...network, status } as never, { subresource: "status" });
    }
    server.breakWatches();
    await poll(() => expect(server.watches).toBe(2));
    expect(await site.writes()).toBe(before);
  });
}
