import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartPlane } from "../../../networks/testing/control-planes.ts";
import { engineLabels } from "../../../vocabulary.ts";
import { containerOf, db, poll, serverOf, type TunnelProxy, TunnelWorld, web } from "../tunnel-world.ts";

export function describeKilled(startPlane: StartPlane): void {
  let world: TunnelWorld;
  beforeAll(async () => {
    world = await TunnelWorld.start(startPlane);
  }, 180_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  describe("a controller that was killed, and the next one", { timeout: 180_000 }, () => {
    test("Pending: it goes on waiting", async () => {
      await using site = await world.site();
      const first = await site.startController();
      const proxy = await site.make([db]);
      await site.untilState(proxy, "Pending");
      await site.kill(first);
      await site.makeNetwork();
      await site.startController();
      await site.untilState(proxy, "Running");
    });

    test.each([
      { state: "BuildingImage", call: "ensureImage" },
      { state: "Starting", call: "createContainer" },
      { state: "Starting", call: "startContainer" },
      { state: "Starting", call: "connect" },
    ])("$state, at $call: what was begun is removed, and it begins anew", async ({ state, call }) => {
      await using site = await world.site();
      const release = site.host.hold(call);
      const first = await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await site.untilState(proxy, state);
      await poll(() => expect(site.host.calls).toContain(call));
      await site.kill(first);
      release();
      await site.startController();
      await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      expect(site.host.containers.size).toBe(1);
      expect(site.host.networks.size).toBe(1);
      expect(site.host.aliveServers).toHaveLength(1);
    });

    test("Running: the pair is adopted as it is, and nothing is written", async () => {
      const { site, controller, proxy } = await world.runningSite([db, web]);
      await using _ = site;
      const before = await site.read(proxy);
      const [container, server] = [containerOf(site), serverOf(site)];
      await site.kill(controller);
      await site.startController();
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyAdopted"));
      await site.setTunnels(proxy, [db, web, { name: "third", serverPort: 3 }]);
      const { status } = await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      expect(containerOf(site)).toBe(container);
      expect(serverOf(site)).toBe(server);
      expect(server.isAlive).toBe(true);
      expect(status?.tunnelStatuses?.slice(0, 2)).toEqual(before.status?.tunnelStatuses);
      expect(status?.tunnelStatuses?.[2]).toMatchObject({ name: "third", tunnelId: 3 });
    });

    test("Running, and a server cannot be reached: that is said on, until a stream gets through", async () => {
      const { site, controller, proxy } = await world.runningSite([db, web]);
      await using _ = site;
      const value = { tunnelId: 1, name: "db", message: "refused" } as never;
      site.host.say({ case: "serverUnreachable", value });
      const troubleOf = (status: TunnelProxy["status"]) => status?.tunnelStatuses?.[0]?.errorMessage;
      const { status } = await site.until(proxy, (now) => troubleOf(now) !== undefined);
      await site.kill(controller);
      await site.startController();
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyAdopted"));
      expect((await site.read(proxy)).status).toEqual(status);
      site.host.say({ case: "serverReached", value: { tunnelId: 1 } as never });
      await site.until(proxy, (now) => troubleOf(now) === undefined);
    });

    test("Running, and the spec has changed meanwhile: tunnels become those of the spec", async () => {
      const { site, controller, proxy } = await world.runningSite([db, web]);
      await using _ = site;
      await site.kill(controller);
      await site.setTunnels(proxy, [{ ...db, serverPort: 1 }]);
      await site.startController();
      await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      const tunnels = [...serverOf(site).tunnels.values()];
      expect(tunnels).toMatchObject([{ name: "db", serverPort: 1, tunnelId: 3 }]);
    });

    test("Running, and ids of tunnels were used that nothing tells of: new tunnels get others", async () => {
      const { site, controller, proxy } = await world.runningSite([db, web]);
      await using _ = site;
      await site.setTunnels(proxy, [db]);
      await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      await site.kill(controller);
      await site.startController();
      const more = [1, 2, 3].map((serverPort) => ({ name: `new-${serverPort}`, serverPort }));
      await site.setTunnels(proxy, [db, ...more]);
      const { status } = await site.until(proxy, ({ observedGeneration }) => observedGeneration === 3);
      expect(status?.tunnelStatuses?.map(({ state }) => state)).toEqual(["Ready", "Ready", "Ready", "Ready"]);
      expect(serverOf(site).names).toEqual(["db", "new-1", "new-2", "new-3"]);
    });

    test.each([
      { how: "the engine tells", tells: ["die", "destroy"] },
      { how: "the engine is restarted", tells: [] },
    ])("Running, and the container ends while it is taken over, and $how: Failed", async ({ tells }) => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await site.kill(controller);
      const release = site.host.hold("listTunnels");
      const before = site.host.calls.length;
      await site.startController();
      const inspections = () => site.host.calls.slice(before).filter((call) => call === "inspectContainer").length;
      await poll(() => expect(site.host.calls.slice(before)).toContain("listTunnels"));
      const inspected = inspections();
      site.host.endContainer(containerOf(site), tells);
      if (tells.length === 0) site.host.breakEvents();
      // Asked twice about it: its end has been heard of.
      await poll(() => expect(inspections()).toBe(inspected + 2));
      release();
      const { status } = await site.untilState(proxy, "Failed");
      expect(status?.message).toContain("container is gone");
    });

    test.each([
      { gone: "the container", act: "container" },
      { gone: "the process", act: "process" },
    ])("Running, and $gone has gone: Failed, and nothing is left but the logs", async ({ act }) => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await site.kill(controller);
      if (act === "process") serverOf(site).kill("SIGKILL");
      else site.host.endContainer(containerOf(site));
      await site.startController();
      await site.untilState(proxy, "Failed");
      const left = async () => (await site.leftovers()).filter((one) => !one.startsWith(site.network));
      await poll(async () => expect(await left()).toEqual([proxy.metadata.uid]));
    });

    test("Running, and another process than the one that the status names: it is not taken for it", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await site.kill(controller);
      const directory = dirname(serverOf(site).socket);
      const { signal } = new AbortController();
      await site.host.programs.programs.launch({ directory, name: "other", signal });
      await site.startController();
      const { status } = await site.untilState(proxy, "Failed");
      expect(status?.message).toContain("gone when the controller came back");
    });

    test("Running, and the engine does not answer at first: nothing is called Failed", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await site.kill(controller);
      const heal = site.host.fail("inspectContainer");
      const before = site.host.calls.filter((call) => call === "inspectContainer").length;
      await site.startController();
      await poll(() =>
        expect(site.host.calls.filter((call) => call === "inspectContainer").length).toBeGreaterThan(before),
      );
      expect((await site.read(proxy)).status?.state).toBe("Running");
      heal();
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyAdopted"));
    });

    test("Running, and its server proxy does not answer at first: it is asked again", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await site.kill(controller);
      const heal = site.host.fail("listTunnels", new Error("no answer"));
      await site.startController();
      await poll(() => expect(site.host.calls).toContain("listTunnels"));
      heal();
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelProxyAdopted"));
    });

    test("Failed, before everything was removed: that is done now", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      const heal = site.host.fail("removeNetwork");
      site.host.endContainer(containerOf(site));
      await site.untilState(proxy, "Failed");
      await poll(() => expect(site.host.calls).toContain("removeNetwork"));
      await site.kill(controller);
      heal();
      await site.startController();
      await poll(() => expect(site.host.networks.size).toBe(0));
      expect((await site.read(proxy)).status?.message).toContain("container is gone");
    });

    test("being deleted: the next one goes on with it", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      const heal = site.host.fail("removeContainer");
      await site.delete(proxy);
      await poll(() => expect(site.host.calls).toContain("removeContainer"));
      await site.kill(controller);
      heal();
      await site.startController();
      await site.untilGone(proxy);
      await poll(async () =>
        expect((await site.leftovers()).filter((one) => !one.startsWith(site.network))).toEqual([]),
      );
    });

    test("what is left of an object that is gone is removed, and nothing else", async () => {
      await using site = await world.site();
      const labels = { [engineLabels.node]: `node-${site.network}`, [engineLabels.proxyUid]: randomUUID() };
      const network = { name: "berg-tunnel-u1", labels, subnet: "10.203.0.0/29", gateway: "", bridge: "" };
      await site.host.engine.createNetwork(network);
      await site.host.engine.createNetwork({
        ...network,
        name: "other",
        labels: { ...labels, [engineLabels.node]: "x" },
      });
      const HostConfig = { NetworkMode: "berg-tunnel-u1" };
      await site.host.engine.createContainer("left", { Image: "i", Labels: labels, HostConfig });
      const directory = join(site.directory, "pairs", randomUUID(), "start");
      await mkdir(directory, { recursive: true });
      await site.host.programs.programs.launch({ directory, name: "left", signal: new AbortController().signal });
      await site.startController();
      await poll(async () => expect(await site.leftovers()).toEqual(["other"]));
    });

    test("what has our label and no UID in it, as an image may give it, is left alone", async () => {
      await using site = await world.site();
      const labels = { [engineLabels.node]: `node-${site.network}`, [engineLabels.proxyUid]: "../.." };
      const HostConfig = { NetworkMode: "bridge" };
      const { id } = await site.host.engine.createContainer("guest", { Image: "i", Labels: labels, HostConfig });
      await mkdir(join(site.directory, "pairs", "notes"), { recursive: true });
      const left = { ...labels, [engineLabels.proxyUid]: randomUUID() };
      await site.host.engine.createContainer("left", { Image: "i", Labels: left, HostConfig });
      await site.startController();
      await poll(async () => expect(await site.leftovers()).toEqual([id, "notes"]));
    });
  });

  describe("a controller that is stopped in order", { timeout: 180_000 }, () => {
    test("takes its pairs with it; the next one begins anew", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      await controller.stop();
      expect(await site.leftovers()).toEqual([]);
      expect((await site.read(proxy)).status).toMatchObject({ state: "Pending", tunnelConfigurationVersion: 1 });
      await site.startController();
      const { status } = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      expect(status?.tunnelConfigurationVersion).toBe(2);
    });

    test("while the engine is down: what is left is told, and the next one begins anew", async () => {
      const { site, controller, proxy } = await world.runningSite();
      await using _ = site;
      const heal = site.host.fail("listContainers");
      await controller.stop();
      const { status } = await site.read(proxy);
      expect(status).toMatchObject({ state: "Pending", message: expect.stringContaining("listContainers is broken") });
      heal();
      await site.startController();
      await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      expect(site.host.containers.size).toBe(1);
      expect(site.host.aliveServers).toHaveLength(1);
    });

    test("also while it starts one", async () => {
      await using site = await world.site();
      const release = site.host.hold("connect");
      const controller = await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await poll(() => expect(site.host.calls).toContain("connect"));
      const stopped = controller.stop();
      release();
      await stopped;
      expect(await site.leftovers()).toEqual([]);
      expect((await site.read(proxy)).status?.state).toBe("Pending");
    });
  });
}
