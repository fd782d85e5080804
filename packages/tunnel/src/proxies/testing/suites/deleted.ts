import { existsSync } from "node:fs";
import { join } from "node:path";
import { ContainerNetworkTunnelProxies } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartPlane } from "../../../networks/testing/control-planes.ts";
import { containerOf, db, poll, TunnelWorld } from "../tunnel-world.ts";

export function describeDeleted(startPlane: StartPlane): void {
  let world: TunnelWorld;
  beforeAll(async () => {
    world = await TunnelWorld.start(startPlane);
  }, 180_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  describe("deleted", { timeout: 180_000 }, () => {
    test("while it waits for its network", async () => {
      await using site = await world.site();
      await site.startController();
      const proxy = await site.make();
      await site.untilState(proxy, "Pending");
      await site.delete(proxy);
      await site.untilGone(proxy);
      expect(await site.leftovers()).toEqual([]);
    });

    test.each([
      { state: "BuildingImage", call: "ensureImage" },
      { state: "Starting", call: "createContainer" },
      { state: "Starting", call: "connect" },
    ])("in $state, at $call: that comes to its end first, and nothing is left", async ({ state, call }) => {
      await using site = await world.site();
      const release = site.host.hold(call);
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await site.untilState(proxy, state);
      await poll(() => expect(site.host.calls).toContain(call));
      await site.delete(proxy);
      await poll(async () => expect((await site.read(proxy)).metadata.deletionTimestamp).toBeDefined());
      expect((await site.read(proxy)).metadata.finalizers).toHaveLength(1);
      release();
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("after a start that failed because its container had gone: no opening for it is left", async () => {
      await using site = await world.site();
      const release = site.host.hold("connect");
      site.host.fail("connect", new Error("cannot reach it"));
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await poll(() => expect(site.host.calls).toContain("connect"));
      expect(site.guests).toHaveLength(1);
      site.host.endContainer(containerOf(site));
      release();
      await site.untilState(proxy, "Failed");
      await site.delete(proxy);
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("while it runs: tunnels, container, process, network, in this order, and then its files", async () => {
      const { site, proxy } = await world.runningSite();
      await using _ = site;
      const from = site.host.calls.length;
      const release = site.host.hold("removeNetwork");
      await site.delete(proxy);
      await poll(() => expect(site.host.calls.slice(from)).toContain("removeNetwork"));
      const steps = ["shutdown", "removeContainer", "stop", "removeNetwork"];
      expect(site.host.calls.slice(from).filter((call) => steps.includes(call))).toEqual(steps);
      expect(existsSync(join(site.directory, "pairs", proxy.metadata.uid))).toBe(true);
      release();
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("while tunnels are prepared: they are not waited for", async () => {
      await using site = await world.site();
      site.host.hold("prepareTunnel");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await poll(() => expect(site.host.calls).toContain("prepareTunnel"));
      await site.delete(proxy);
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("while the engine is down: it says what holds it up, and goes when the engine is back", async () => {
      const { site, proxy } = await world.runningSite();
      await using _ = site;
      const heal = site.host.fail("removeContainer");
      await site.delete(proxy);
      await site.until(proxy, ({ message }) => message?.includes("removeContainer is broken") ?? false);
      heal();
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("by somebody who takes our finalizer away: its pair goes all the same", async () => {
      const { site, proxy } = await world.runningSite();
      await using _ = site;
      const release = site.host.hold("removeContainer");
      await site.delete(proxy);
      const patch = { type: "merge", body: { metadata: { finalizers: [] } } } as const;
      await site.client.patch(ContainerNetworkTunnelProxies, "", proxy.metadata.name, patch);
      await site.untilGone(proxy);
      release();
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });

    test("and made again under the same name at once: each has its own pair", async () => {
      const { site, proxy } = await world.runningSite();
      await using _ = site;
      await site.delete(proxy);
      await site.untilGone(proxy);
      const again = await site.make([db], proxy.metadata.name);
      await site.untilState(again, "Running");
      expect(site.host.containers.size).toBe(1);
      expect(site.host.aliveServers).toHaveLength(1);
    });
  });
}
