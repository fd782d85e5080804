/** What a pair goes through on a real engine: the engine goes, tunnels change under streams, memory runs out. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Engine } from "@berg/local-engine";
import { ContainerNetworks } from "@berg/resources";
import { type Given, onEachEngine } from "@berg/test/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { pairLabels } from "./lifecycle/surroundings.ts";
import { EngineSite, endpoint, patience, startServer } from "./testing/engine-site.ts";

// Docker is on a machine of its own in tests, whose networks are not this process's: a pair could not meet there.
onEachEngine(onPodman, ["podman"]);

function onPodman(given: Given) {
  let site: EngineSite;
  beforeAll(async () => {
    site = await EngineSite.start(given);
  });
  afterEach(() => site?.clear());
  afterAll(() => site?.[Symbol.asyncDispose]());

  const echo = () => ({ name: "echo", serverPort: site.server.port });

  describe("an engine that goes", { timeout: 300_000 }, () => {
    /** Its service is ended at this call, the first time. */
    const losing = (call: "buildImage" | "startContainer" | "containerLogs"): Engine => {
      let lost: Promise<void> | undefined;
      const lose = () => {
        lost ??= given.real.service.kill();
        return lost;
      };
      return {
        ...given.engine,
        ...(call === "buildImage" && {
          buildImage: (name, { onProgress, ...options }, signal) =>
            given.engine.buildImage(
              name,
              {
                ...options,
                onProgress(line) {
                  onProgress?.(line);
                  void lose();
                },
              },
              signal,
            ),
        }),
        ...(call === "startContainer" && {
          async startContainer(id, signal) {
            await lose();
            await given.engine.startContainer(id, signal);
          },
        }),
        ...(call === "containerLogs" && {
          async *containerLogs(id, options, signal) {
            await lose();
            yield* given.engine.containerLogs(id, options, signal);
          },
        }),
      };
    };

    test.each([
      { state: "BuildingImage", call: "buildImage" },
      { state: "Starting", call: "startContainer" },
      { state: "Starting", call: "containerLogs" },
    ] as const)("in $state, at $call, is waited for, and one pair runs when it is back", async ({ state, call }) => {
      // A version of its own, so that there is something to build.
      const version = `0.1.0-${call}`;
      await site.startController({ engine: losing(call), version });
      const proxy = await site.make([echo()]);
      await site.firstSightOf(state, proxy);
      const waiting = await site.until(({ message }) => message?.startsWith("Waits for the container engine") ?? false);
      expect(waiting.state).toBe("Pending");
      await given.real.service.start();
      await site.untilRunning();
      expect(await given.engine.listContainers(pairLabels(site))).toHaveLength(1);
      expect(await given.engine.listNetworks(pairLabels(site))).toHaveLength(1);
      await site.deleteAndLookForLeftovers();
    });
  });

  describe("tunnels under streams", { timeout: 300_000 }, () => {
    test("are changed and removed: the stream goes on and comes to its end, nobody new comes in", async () => {
      const other = await startServer("the other said");
      const pod = await site.startPod();
      await site.startController();
      await site.make([{ ...echo(), clientProxyPort: 7000 }]);
      const at = endpoint(await site.untilRunning());
      const call = await site.inPod(pod, `nc ${at}`);
      const says = async (word: string, answer = `you said ${word}`) => {
        await call.session.write(Buffer.from(`${word}\n`));
        await vi.waitFor(() => expect(call.said()).toContain(answer), patience);
      };
      const newcomer = async () => {
        const { over, said } = await site.inPod(pod, `echo new | nc ${at} || echo refused`);
        await over;
        return said();
      };
      await says("one");

      await site.setTunnels([{ ...echo(), clientProxyPort: 7000, serverPort: other.port }]);
      await site.until(({ observedGeneration }) => observedGeneration === 2);
      expect(await newcomer()).toBe("the other said new\n");
      await says("two");

      await site.setTunnels([]);
      await site.until(({ observedGeneration }) => observedGeneration === 3);
      expect(await newcomer()).toMatch(/refused/);
      await says("three");
      call.session.endInput();
      await call.over;
      expect(call.said().match(/you said/g)).toHaveLength(3);
      other.stop();
      await site.deleteAndLookForLeftovers();
    });

    test("whose server cannot be reached say so in the status, until a stream gets through", async () => {
      const pod = await site.startPod();
      await site.startController();
      const gone = await startServer();
      gone.stop();
      await site.make([{ name: "gone", serverAddress: "127.0.0.1", serverPort: gone.port, clientProxyPort: 7000 }]);
      const at = endpoint(await site.untilRunning());
      const troubleNow = ({ tunnelStatuses }: Awaited<ReturnType<typeof site.untilRunning>>) =>
        tunnelStatuses?.[0]?.errorMessage;
      const knock = async () => (await site.inPod(pod, `echo x | nc ${at}`)).over;
      await knock();
      const status = await site.until((one) => troubleNow(one) !== undefined);
      expect(troubleNow(status)).toBe(`The server cannot be reached: connection refused by 127.0.0.1:${gone.port}`);
      const { createServer } = await import("node:net");
      const back = createServer((socket) => socket.end("back\n")).listen(gone.port, "127.0.0.1");
      await once(back, "listening");
      await knock();
      await site.until((one) => troubleNow(one) === undefined);
      back.close();
    });
  });

  describe("a pair", { timeout: 300_000 }, () => {
    test("whose client proxy runs out of memory is Failed, and nothing is left of it but its log", async () => {
      const pod = await site.startPod();
      await site.startController();
      const proxy = await site.make([{ ...echo(), clientProxyPort: 7000 }]);
      const status = await site.untilRunning();
      const { pid = 0 } = (await given.engine.inspectContainer(status.clientProxyContainerId ?? "")) ?? {};
      leaveLittleMemory(pid);
      // Many who send and do not read.
      const crowd = `i=0; while [ $i -lt 400 ]; do (cat /dev/zero | nc ${endpoint(status)} | sleep 60) & i=$((i+1)); done; wait`;
      const call = await site.inPod(pod, crowd);
      const { message } = await site.until(({ state }) => state === "Failed");
      expect(message).toBe("The client proxy was ended for lack of memory");
      call.session.close();
      await vi.waitFor(async () => expect(await site.leftovers()).toEqual([proxy.metadata.uid]), patience);
      await site.deleteAndLookForLeftovers();
    });

    test("that waits for its network goes on when its controller was killed, and can be deleted", async () => {
      const first = await site.startControllerProcess();
      const network = "not-yet";
      await site.make([echo()], { network });
      await site.until(({ state, message }) => state === "Pending" && message?.includes("not there") === true);
      first.kill("SIGKILL");
      await once(first, "exit");
      await site.startController();
      const made = await site.world.client.create(ContainerNetworks, {
        metadata: { name: network },
        spec: {},
      } as never);
      await site.until(({ message }) => message?.includes("which is new") === true);
      await site.deleteAndLookForLeftovers();

      await site.make([echo()], { network });
      const running = { state: "Running", networkName: site.network } as const;
      await site.world.client.update(ContainerNetworks, { ...made, status: running }, { subresource: "status" });
      await site.untilRunning();
      await site.deleteAndLookForLeftovers();
      await site.world.client.delete(ContainerNetworks, "", network);
    });

    test("that has failed stays so when its controller was killed, keeps its log, and leaves nothing", async () => {
      const first = await site.startControllerProcess();
      const proxy = await site.make([echo()]);
      const { clientProxyContainerId = "" } = await site.untilRunning();
      await given.engine.killContainer(clientProxyContainerId, "SIGKILL");
      const failed = await site.until(({ state }) => state === "Failed");
      first.kill("SIGKILL");
      await once(first, "exit");
      await site.startController();
      await vi.waitFor(async () => expect(await site.leftovers()).toEqual([proxy.metadata.uid]), patience);
      expect((await site.read()).status).toEqual(failed);
      expect(readFileSync(failed.serverProxyStdErrFile ?? "", "utf8")).toContain("tunnel prepared");
      await site.deleteAndLookForLeftovers();
    });
  });
}

/** A container's, of which this is the first process: what it has now, and a little more. */
function leaveLittleMemory(pid: number): void {
  const groups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
  const old = /^\d+:memory:(.*)$/m.exec(groups)?.[1];
  const group = old === undefined ? `/sys/fs/cgroup${/^0::(.*)$/m.exec(groups)?.[1]}` : `/sys/fs/cgroup/memory${old}`;
  const files = old === undefined ? ["memory.max"] : ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"];
  const used = readFileSync(`${group}/${old === undefined ? "memory.current" : "memory.usage_in_bytes"}`, "utf8");
  for (const file of files) writeFileSync(`${group}/${file}`, String(Number(used) + 8 * 1024 * 1024));
}
