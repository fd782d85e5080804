import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@berg/kube";
import { EngineError } from "@berg/local-engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartPlane } from "../../../networks/testing/control-planes.ts";
import { db, poll, type Site, TunnelWorld } from "../tunnel-world.ts";

export function describeEngineAway(startPlane: StartPlane): void {
  let world: TunnelWorld;
  beforeAll(async () => {
    world = await TunnelWorld.start(startPlane);
  }, 180_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const away = new EngineError("nobody answers on the socket", 0);

  /** Until what is returned is called. */
  function loseEngine({ host }: Site, ...calls: string[]): () => void {
    const back = calls.map((call) => host.fail(call, away));
    return () => {
      for (const one of back) one();
    };
  }

  describe("an engine that goes while a pair begins", { timeout: 180_000 }, () => {
    test.each([
      "ensureImage",
      "createNetwork",
      "createContainer",
      "connectNetwork",
      "startContainer",
      "containerLogs",
      "inspectContainer",
    ])("at %s: it waits, says so, and goes on by itself with nothing twice", async (call) => {
      await using site = await world.site();
      await site.startController();
      const begins = call === "ensureImage" ? "BuildingImage" : "Starting";
      const hold = site.host.hold(call);
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await site.untilState(proxy, begins);
      await poll(() => expect(site.host.calls).toContain(call));
      const back = loseEngine(site, call, "info", "listContainers");
      hold();
      const { status } = await site.untilState(proxy, "Pending");
      expect(status?.message).toMatch(/^Waits for the container engine: .*nobody answers on the socket/);
      back();
      await site.until(proxy, ({ tunnelStatuses }) => tunnelStatuses?.[0]?.state === "Ready");
      const { containers, networks, aliveServers } = site.host;
      expect([containers.size, networks.size, aliveServers.length, site.guests.length]).toEqual([1, 1, 1, 1]);
      expect(await readdir(join(site.directory, "pairs", proxy.metadata.uid))).toHaveLength(1);
    });

    test("and takes the container with it: that is no failure of the pair", async () => {
      await using site = await world.site();
      const hold = site.host.hold("connect");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await poll(() => expect(site.host.calls).toContain("connect"));
      const back = [site.host.fail("connect", new Error("cannot reach it")), loseEngine(site, "info")];
      for (const id of [...site.host.containers.keys()]) site.host.endContainer(id);
      hold();
      await site.until(proxy, ({ state, message }) => state === "Pending" && message !== undefined);
      for (const one of back) one();
      await site.untilState(proxy, "Running");
    });

    test("and is back at once, again and again: it is tried ever more rarely", async () => {
      await using site = await world.site();
      loseEngine(site, "ensureImage");
      await site.startController();
      await site.makeNetwork();
      const began = systemClock.monotonic();
      const proxy = await site.make();
      const tries = () => site.host.calls.filter((call) => call === "ensureImage").length;
      await poll(() => expect(tries()).toBe(4));
      // After half a second, one and two, each a quarter less at the most.
      expect(systemClock.monotonic() - began).toBeGreaterThan(2_600);
      expect((await site.read(proxy)).status?.state).not.toBe("Failed");
    });

    test("deleted meanwhile it goes when the engine is back, and leaves nothing", async () => {
      await using site = await world.site();
      const hold = site.host.hold("startContainer");
      await site.startController();
      await site.makeNetwork();
      const proxy = await site.make([db]);
      await poll(() => expect(site.host.calls).toContain("startContainer"));
      const back = loseEngine(site, "startContainer", "info", "listContainers");
      hold();
      await site.untilState(proxy, "Pending");
      await site.delete(proxy);
      await site.until(proxy, ({ message }) => message?.startsWith("Not everything") ?? false);
      back();
      await site.untilGone(proxy);
      await poll(async () => expect(await site.leftovers()).toEqual([]));
    });
  });

  test("an image that cannot be made now, for another reason than the engine, is tried again", async () => {
    await using site = await world.site();
    const heal = site.host.fail("ensureImage", new Error("no space is left"));
    await site.startController();
    await site.makeNetwork();
    const proxy = await site.make([db]);
    await site.until(
      proxy,
      ({ state, message }) => state === "Pending" && message?.includes("no space is left") === true,
    );
    heal();
    await site.untilState(proxy, "Running");
  });
}
