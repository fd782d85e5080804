import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEnd, type End, startEcho, type TestServer } from "../streams/testing/ends.ts";
import { Gate } from "./testing/gate.ts";
import { ProxyPair } from "./testing/proxy-pair.ts";

/** The control connection goes and comes back, through a gate that a test can shut. One pair for all. */
describe("a pair that loses its control connection", { timeout: 120_000 }, () => {
  let pair: ProxyPair;
  let gate: Gate;
  let echo: TestServer;

  beforeAll(async () => {
    echo = await startEcho();
    pair = await ProxyPair.start({
      through: async (port) => {
        gate = await Gate.before(port);
        return gate.port;
      },
    });
  }, 120_000);
  afterAll(async () => {
    await pair[Symbol.asyncDispose]();
    await gate[Symbol.asyncDispose]();
    await echo[Symbol.asyncDispose]();
  });

  const states = () => pair.events.map((event) => event.case).filter((state) => state !== "serverUnreachable");
  const isLost = () => expect.poll(states).toContain("disconnected");
  const isBack = () => expect.poll(() => states().at(-1)).toBe("connected");

  async function cut(): Promise<void> {
    pair.events.length = 0;
    gate.cut();
    await isLost();
  }

  async function hears(end: End, text: string): Promise<void> {
    const before = end.text;
    end.socket.write(text);
    await expect.poll(() => end.text).toBe(before + text);
  }

  test("keeps streams alive meanwhile, and has the same tunnels at the same ports afterwards", async () => {
    const port = await pair.tunnel(1, echo.port);
    const stream = connectEnd(port);
    await hears(stream, "before ");
    await cut();
    await hears(stream, "while it is away ");
    gate.mend();
    await isBack();
    await hears(stream, "after");
    await hears(connectEnd(port), "a new one");
    expect(await pair.tunnel(1, echo.port)).toBe(port);
    stream.socket.end();
    await expect.poll(() => stream.state).toBe("end");
  });

  test("lets new clients wait until it is back", async () => {
    const port = await pair.tunnel(2, echo.port);
    await cut();
    // More than were ready.
    const clients = Array.from({ length: 50 }, () => connectEnd(port));
    for (const { socket } of clients) socket.end("patience");
    await expect.poll(() => clients.every((client) => client.isConnected)).toBe(true);
    gate.mend();
    await expect.poll(() => clients.every((client) => client.state === "end")).toBe(true);
    expect(new Set(clients.map((client) => client.text))).toEqual(new Set(["patience"]));
    await isBack();
  });

  test("says that it cannot prepare a tunnel, and can again afterwards", async () => {
    await cut();
    await expect(pair.tunnel(3, echo.port)).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("the client proxy is not connected: "),
    });
    gate.mend();
    await isBack();
    await hears(connectEnd(await pair.tunnel(3, echo.port)), "hello");
  });

  test("closes a tunnel that was deleted meanwhile, when it is back", async () => {
    const port = await pair.tunnel(4, echo.port);
    const stream = connectEnd(port);
    await hears(stream, "before ");
    await cut();
    await pair.control.deleteTunnel(4);
    await hears(stream, "goes on");
    gate.mend();
    await isBack();
    const late = connectEnd(port);
    await expect.poll(() => [late.state, late.isConnected]).toEqual(["reset", false]);
    expect(await pair.tunnel(5, echo.port, port)).toBe(port);
  });

  test("notices one that is dead without a word, and makes another", async () => {
    const port = await pair.tunnel(6, echo.port);
    const stream = connectEnd(port);
    await hears(stream, "before ");
    pair.events.length = 0;
    gate.freeze();
    await expect.poll(states, { timeout: 60_000 }).toContain("disconnected");
    await isBack();
    await hears(stream, "after");
    await hears(connectEnd(port), "a new one");
  });

  test("tells the present state first to whoever watches anew", async () => {
    await cut();
    const stop = new AbortController();
    for await (const { what } of pair.control.watch(stop.signal)) {
      expect(what.case).toBe("disconnected");
      break;
    }
    stop.abort();
    gate.mend();
    await isBack();
  });

  test("logs JSON lines alone through all of this", () => {
    const lines = [...pair.client.lines, ...readFileSync(pair.server.stderrFile, "utf8").trim().split("\n")];
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ message: expect.any(String) });
  });
});
