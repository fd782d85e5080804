/** The whole of it, on real engines: both proxies, an image that is built here, and a server on this host. */
import { once } from "node:events";
import { onEachEngine } from "@berg/test/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { pairLabels } from "./lifecycle/surroundings.ts";
import { EngineSite, endpoint, isAlive, patience } from "./testing/engine-site.ts";

onEachEngine((given) => {
  let site: EngineSite;
  beforeAll(async () => {
    site = await EngineSite.start(given);
  });
  afterEach(() => site?.clear());
  afterAll(() => site?.[Symbol.asyncDispose]());

  const echo = () => ({ name: "echo", serverPort: site.server.port });

  // Docker is on a machine of its own in tests, whose networks are not this process's.
  if (given.name === "docker") {
    test("a client proxy that cannot be reached: Failed says so, and nothing of the pair is left", async () => {
      await site.startController();
      const proxy = await site.make([echo()]);
      const { message } = await site.until(({ state }) => state === "Failed");
      expect(message).toContain("cannot reach the client proxy at 10.203.");
      await vi.waitFor(async () => expect(await site.leftovers()).toEqual([proxy.metadata.uid]), patience);
    });
    return;
  }

  describe("a pair", { timeout: 300_000 }, () => {
    test("lets a container reach a server on the host, and leaves nothing when it is deleted", async () => {
      const pod = await site.startPod();
      await site.startController();
      await site.make([{ ...echo(), serverAddress: "127.0.0.1", clientProxyPort: 80 }]);
      const status = await site.untilRunning();
      const call = await site.inPod(pod, `echo hello | nc ${endpoint(status)}`);
      await call.over;
      expect(call.said()).toBe("you said hello\n");
      expect(endpoint(status)).toMatch(/ 80$/);
      expect(isAlive(status.serverProxyProcessId)).toBe(true);
      await site.deleteAndLookForLeftovers();
      expect(isAlive(status.serverProxyProcessId)).toBe(false);
    });

    test.each(["client", "server"])(
      "of which the %s proxy is killed is Failed, and nothing of it is left",
      async (which) => {
        await site.startController();
        const proxy = await site.make([echo()]);
        const { clientProxyContainerId = "", serverProxyProcessId = 0 } = await site.untilRunning();
        if (which === "client") await given.engine.killContainer(clientProxyContainerId, "SIGKILL");
        else process.kill(serverProxyProcessId, "SIGKILL");
        const { message } = await site.until(({ state }) => state === "Failed");
        expect(message).toContain(`The ${which} proxy`);
        await vi.waitFor(async () => expect(await site.leftovers()).toEqual([proxy.metadata.uid]), patience);
        await vi.waitFor(() => expect(isAlive(serverProxyProcessId)).toBe(false), patience);
      },
    );

    test("goes on, with its streams, when its controller is killed, and is adopted by the next", async () => {
      const pod = await site.startPod();
      const first = await site.startControllerProcess();
      await site.make([echo()]);
      const status = await site.untilRunning();
      const call = await site.inPod(pod, `nc ${endpoint(status)}`);
      await call.session.write(Buffer.from("one\n"));
      await vi.waitFor(() => expect(call.said()).toContain("you said one"), patience);

      first.kill("SIGKILL");
      await once(first, "exit");
      await site.startController();
      await site.setTunnels([echo(), { name: "second", serverPort: 9 }]);
      const adopted = await site.until(({ tunnelStatuses }) => tunnelStatuses?.length === 2);
      expect(adopted.tunnelStatuses?.[0]).toEqual(status.tunnelStatuses?.[0]);
      expect(adopted.clientProxyContainerId).toBe(status.clientProxyContainerId);
      await call.session.write(Buffer.from("two\n"));
      await vi.waitFor(() => expect(call.said()).toContain("you said two"), patience);
      call.session.close();
    });

    test.each(["BuildingImage", "Starting"])(
      "whose controller is killed in %s is begun anew by the next, and one pair is there in the end",
      async (state) => {
        const first = await site.startControllerProcess();
        const proxy = await site.make([echo()]);
        await site.firstSightOf(state, proxy);
        first.kill("SIGKILL");
        await once(first, "exit");
        await site.startController();
        await site.untilRunning();
        const containers = await given.engine.listContainers(pairLabels(site));
        expect(containers.filter(({ status }) => status === "running")).toHaveLength(1);
        await site.deleteAndLookForLeftovers();
      },
    );

    test.each(["BuildingImage", "Starting"])("that is deleted in %s leaves nothing", async (state) => {
      await site.startController();
      const proxy = await site.make([echo()]);
      await site.firstSightOf(state, proxy);
      await site.deleteAndLookForLeftovers();
    });

    test("goes on while the engine is away, and is watched when the engine is back", async () => {
      await site.startController();
      await site.make([echo()]);
      const { clientProxyContainerId = "" } = await site.untilRunning();
      await given.real.service.kill();
      await site.setTunnels([{ ...echo(), name: "other" }]);
      await site.until(({ tunnelStatuses }) => tunnelStatuses?.[0]?.name === "other");
      await given.real.service.start();
      await given.engine.killContainer(clientProxyContainerId, "SIGKILL");
      const { message } = await site.until(({ state }) => state === "Failed");
      expect(message).toContain("client proxy");
    });
  });
});
