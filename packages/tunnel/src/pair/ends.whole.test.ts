import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { connectEnd, startEcho } from "../streams/testing/ends.ts";
import { ProxyPair } from "./testing/proxy-pair.ts";

/** How a pair ends, and that nothing of it goes on. */
describe("a pair of proxies ends", { timeout: 120_000 }, () => {
  test("when it is told to shut down: streams are reset, both exit, the socket is gone", async () => {
    await using echo = await startEcho();
    await using pair = await ProxyPair.start();
    const end = connectEnd(await pair.tunnel(1, echo.port));
    end.socket.write("a");
    await expect.poll(() => end.text).toBe("a");
    await pair.control.shutdown();
    expect(await pair.server.exited).toEqual({ code: 0, signal: null });
    expect(await pair.client.exited).toBe(0);
    await expect.poll(() => end.state).toBe("reset");
    expect(existsSync(pair.server.socket)).toBe(false);
    await expect(pair.control.listTunnels()).rejects.toMatchObject({
      code: "Unavailable",
      message: `no server proxy answers on ${pair.server.socket}`,
    });
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "when the server proxy gets %s: the client proxy goes with it",
    async (signal) => {
      await using pair = await ProxyPair.start();
      process.kill(pair.server.pid, signal);
      expect(await pair.server.exited).toEqual({ code: 0, signal: null });
      expect(await pair.client.exited).toBe(0);
      expect(existsSync(pair.server.socket)).toBe(false);
    },
  );

  test("when nobody has watched it for a while", async () => {
    await using pair = await ProxyPair.start({ unwatchedSeconds: 20 });
    // As long as it is watched it stays.
    await expect(pair.tunnel(1, 9)).resolves.toBeGreaterThan(0);
    pair.unwatch();
    expect(await pair.server.exited).toEqual({ code: 0, signal: null });
    expect(await pair.client.exited).toBe(0);
  });

  test("when its owner never came to watch", async () => {
    await using pair = await ProxyPair.start({ unwatchedSeconds: 3, isWatched: false, isConnected: false });
    expect(await pair.server.exited).toEqual({ code: 0, signal: null });
  });
});

describe("a client proxy ends", { timeout: 120_000 }, () => {
  test("when no server proxy has been there for a while, also where one was killed", async () => {
    const environment = { BERG_TUNNEL_ALONE_SECONDS: "1" };
    await using never = await ProxyPair.start({ environment, isConnected: false });
    expect(await never.client.exited).toBe(0);
    await using pair = await ProxyPair.start({ environment: { BERG_TUNNEL_ALONE_SECONDS: "30" } });
    process.kill(pair.server.pid, "SIGKILL");
    expect(await pair.server.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(await pair.client.exited).toBe(0);
    expect(pair.client.lines.join("\n")).toContain("no server proxy has been here for too long: ending");
  });

  test.each(["SIGTERM", "SIGINT"] as const)("when it gets %s, with streams or without", async (signal) => {
    await using echo = await startEcho();
    await using pair = await ProxyPair.start();
    const end = connectEnd(await pair.tunnel(1, echo.port));
    end.socket.write("a");
    await expect.poll(() => end.text).toBe("a");
    pair.client.process.kill(signal);
    expect(await pair.client.exited).toBe(0);
    await expect.poll(() => end.state).toBe("reset");
    // It may come back as far as the server proxy knows: its owner sees the container, and decides.
    await expect
      .poll(() => pair.events.at(-1))
      .toMatchObject({
        case: "disconnected",
        value: { message: expect.stringMatching(/connection refused/) },
      });
    expect(await pair.control.listTunnels()).toHaveLength(1);
  });
});
