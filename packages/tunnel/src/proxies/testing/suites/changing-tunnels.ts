import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartPlane } from "../../../networks/testing/control-planes.ts";
import { db, poll, serverOf, TunnelWorld, web } from "../tunnel-world.ts";

export function describeChangingTunnels(startPlane: StartPlane): void {
  let world: TunnelWorld;
  beforeAll(async () => {
    world = await TunnelWorld.start(startPlane);
  }, 180_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const idsOf = (status: { tunnelStatuses?: { name: string; tunnelId?: number }[] } | undefined) =>
    Object.fromEntries(status?.tunnelStatuses?.map(({ name, tunnelId }) => [name, tunnelId]) ?? []);

  describe("tunnels of a running pair", { timeout: 180_000 }, () => {
    test("come, change and go; those that stay keep their id, and the version tells each time", async () => {
      const { site, proxy } = await world.runningSite([db]);
      await using _ = site;
      const settled = (generation: number) => site.until(proxy, (status) => status.observedGeneration === generation);

      await site.setTunnels(proxy, [db, web]);
      const added = (await settled(2)).status;
      expect(idsOf(added)).toEqual({ db: 1, web: 2 });
      expect(added?.tunnelConfigurationVersion).toBe(2);

      await site.setTunnels(proxy, [{ ...db, serverPort: 5433 }, web]);
      const changed = (await settled(3)).status;
      expect(idsOf(changed)).toEqual({ db: 3, web: 2 });
      expect(changed?.tunnelConfigurationVersion).toBe(3);
      expect(serverOf(site).tunnels.get(3)?.serverPort).toBe(5433);
      expect(serverOf(site).tunnels.has(1)).toBe(false);

      await site.setTunnels(proxy, [web]);
      const removed = (await settled(4)).status;
      expect(idsOf(removed)).toEqual({ web: 2 });
      expect(removed?.tunnelConfigurationVersion).toBe(4);
      expect(serverOf(site).names).toEqual(["web"]);
    });

    test("in another order are the same", async () => {
      const { site, proxy } = await world.runningSite([db, web]);
      await using _ = site;
      await site.setTunnels(proxy, [web, db]);
      const { status } = await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      expect(idsOf(status)).toEqual({ web: 2, db: 1 });
      expect(status?.tunnelConfigurationVersion).toBe(1);
      expect(serverOf(site).prepared).toHaveLength(2);
    });

    test("a new one may take the port that another leaves", async () => {
      const { site, proxy } = await world.runningSite([web]);
      await using _ = site;
      const { calls } = site.host;
      const from = calls.length;
      await site.setTunnels(proxy, [{ ...db, clientProxyPort: 80 }]);
      await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      const order = calls.slice(from).filter((call) => call.endsWith("Tunnel"));
      expect(order).toEqual(["deleteTunnel", "prepareTunnel"]);
    });

    test("one whose port is in use fails alone, is told, and is tried again until it can be had", async () => {
      await using site = await world.site();
      site.host.busyPorts.add(80);
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db, web]);
      const { status } = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.length === 2);
      expect(status).toMatchObject({
        state: "Running",
        tunnelConfigurationVersion: 1,
        tunnelStatuses: [
          { name: "db", state: "Ready" },
          { name: "web", state: "Failed", errorMessage: "the port 80 is in use" },
        ],
      });
      await poll(async () => expect(await site.eventsOf(proxy)).toContain("TunnelFailed"));
      site.host.busyPorts.clear();
      const healed = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[1]?.state === "Ready");
      expect(healed.status?.tunnelConfigurationVersion).toBe(2);
      expect(idsOf(healed.status)).toEqual({ db: 1, web: 2 });
    });

    test("one that fails again in the same way writes nothing", async () => {
      await using site = await world.site();
      site.host.busyPorts.add(80);
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([web]);
      const first = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.length === 1);
      const tries = serverOf(site).prepared.length;
      await poll(() => expect(serverOf(site).prepared.length).toBeGreaterThan(tries + 1));
      expect((await site.read(proxy)).status).toEqual(first.status);
    });

    test("one that failed is tried at once when its configuration changes", async () => {
      await using site = await world.site();
      site.host.busyPorts.add(80);
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([web]);
      await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Failed");
      await site.setTunnels(proxy, [{ ...web, clientProxyPort: 81 }]);
      const { status } = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      expect(status?.tunnelStatuses?.[0]).toMatchObject({ clientProxyPort: 81, tunnelId: 2 });
    });

    test("one that cannot be closed holds its name, is told, and goes when it can", async () => {
      const { site, proxy } = await world.runningSite([db]);
      await using _ = site;
      const heal = site.host.fail("deleteTunnel", new Error("no answer"));
      await site.setTunnels(proxy, [{ ...db, serverPort: 1 }]);
      const { status } = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Failed");
      expect(status?.tunnelStatuses?.[0]).toMatchObject({ tunnelId: 1, errorMessage: "cannot be closed: no answer" });
      heal();
      const healed = await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      expect(idsOf(healed.status)).not.toEqual({ db: 1 });
      expect([...serverOf(site).tunnels.values()].map(({ serverPort }) => serverPort)).toEqual([1]);
    });

    test("limits are passed on", async () => {
      const limits = { maxStreams: 7, bytesPerSecond: 4096, idleSeconds: 9 };
      const { site } = await world.runningSite([{ ...db, limits }]);
      await using _ = site;
      expect(serverOf(site).tunnels.get(1)?.limits).toEqual({ streams: 7, bytesPerSecond: 4096n, idleSeconds: 9 });
    });

    test("a thousand of them", async () => {
      const many = Array.from({ length: 1000 }, (_, i) => ({ name: `t-${i}`, serverPort: i + 1 }));
      const { site, proxy } = await world.runningSite(many);
      await using _ = site;
      const { status } = await site.read(proxy);
      expect(status?.tunnelStatuses?.filter(({ state }) => state === "Ready")).toHaveLength(1000);
      expect(status?.tunnelConfigurationVersion).toBe(1);
      await site.setTunnels(proxy, many.slice(0, 10));
      const { status: after } = await site.until(proxy, ({ observedGeneration }) => observedGeneration === 2);
      expect(after?.tunnelStatuses).toHaveLength(10);
      expect(serverOf(site).tunnels.size).toBe(10);
    });
  });
}
