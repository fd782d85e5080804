import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEnd, startEcho, type TestServer } from "../streams/testing/ends.ts";
import { ProxyPair } from "./testing/proxy-pair.ts";

/** The two programs, and what a controller may ask of them. One pair for all: ids are never used twice. */
describe("a pair of proxies", { timeout: 120_000 }, () => {
  let pair: ProxyPair;
  let echo: TestServer;
  let lastId = 0;
  const newId = () => ++lastId;

  beforeAll(async () => {
    echo = await startEcho();
    pair = await ProxyPair.start();
  }, 120_000);
  afterAll(async () => {
    await pair[Symbol.asyncDispose]();
    await echo[Symbol.asyncDispose]();
  });

  /** What comes back of it; "" where the connection is refused or reset. */
  async function say(port: number, text: string): Promise<string> {
    const end = connectEnd(port);
    end.socket.end(text);
    await expect.poll(() => end.state).not.toBe("open");
    end.socket.destroy();
    return end.text;
  }

  test("carries a stream to the server and back", async () => {
    const port = await pair.tunnel(newId(), echo.port);
    expect(await say(port, "hello")).toBe("hello");
  });

  test("says first that it is connected to whoever watches", async () => {
    const stop = new AbortController();
    const watching = pair.control.watch(stop.signal)[Symbol.asyncIterator]();
    expect((await watching.next()).value?.what.case).toBe("connected");
    stop.abort();
  });

  test("answers the same to the same request, one after the other and at once", async () => {
    const request = { tunnelId: newId(), name: "same", serverPort: echo.port };
    const answers = await Promise.all([pair.control.prepareTunnel(request), pair.control.prepareTunnel(request)]);
    answers.push(await pair.control.prepareTunnel(request));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ name: "same", serverAddress: "localhost", serverPort: echo.port });
    expect(answers[0]?.clientProxyAddresses.length).toBeGreaterThan(0);
  });

  test("refuses another request under the same id, and names both", async () => {
    const tunnelId = newId();
    await pair.control.prepareTunnel({ tunnelId, name: "one", serverPort: 5432 });
    await expect(pair.control.prepareTunnel({ tunnelId, name: "two", serverPort: 5433 })).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringMatching(/"one" to localhost:5432 on any port.*"two" to localhost:5433 on any port/),
    });
  });

  test("lists tunnels with their open streams, and one that ends until its last stream is over", async () => {
    const tunnelId = newId();
    const listed = async () => (await pair.control.listTunnels()).find((tunnel) => tunnel.tunnelId === tunnelId);
    const port = await pair.tunnel(tunnelId, echo.port);
    const end = connectEnd(port);
    end.socket.write("a");
    await expect.poll(() => end.text).toBe("a");
    expect(await listed()).toMatchObject({ openStreams: 1, isEnding: false, clientProxyPort: port });
    await pair.control.deleteTunnel(tunnelId);
    expect(await listed()).toMatchObject({ openStreams: 1, isEnding: true });
    expect(await say(port, "nobody new")).toBe("");
    end.socket.end("b");
    await expect.poll(() => [end.text, end.state]).toEqual(["ab", "end"]);
    await expect.poll(listed).toBe(undefined);
  });

  test("closes a tunnel without streams at once, so that its port is free for the next", async () => {
    const old = newId();
    const port = await pair.tunnel(old, echo.port);
    await pair.control.deleteTunnel(old);
    expect(await pair.tunnel(newId(), echo.port, port)).toBe(port);
    expect(await say(port, "again")).toBe("again");
  });

  test("deletes what is not there, and does not use an id again", async () => {
    const id = newId();
    await pair.control.deleteTunnel(id);
    await pair.tunnel(id, echo.port);
    await pair.control.deleteTunnel(id);
    await pair.control.deleteTunnel(id);
    await expect(pair.tunnel(id, echo.port)).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringContaining("was deleted, and is not used again"),
    });
  });

  test("says which port is in use, keeps the other tunnels, and takes the id again afterwards", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, resolve));
    const { port } = holder.address() as AddressInfo;
    const id = newId();
    await expect(pair.tunnel(id, echo.port, port)).rejects.toMatchObject({
      code: "FailedPrecondition",
      message: expect.stringMatching(new RegExp(`port ${port}.*in use`)),
    });
    expect((await pair.control.listTunnels()).map(({ tunnelId }) => tunnelId)).not.toContain(id);
    await new Promise((resolve) => holder.close(resolve));
    expect(await pair.tunnel(id, echo.port, port)).toBe(port);
    expect(await say(port, "free now")).toBe("free now");
  });

  test.each([
    { bad: { tunnelId: 0, name: "a", serverPort: 1 }, want: "tunnel_id 0 means none" },
    { bad: { tunnelId: 9_999, name: "a", serverPort: 65_536 }, want: "server_port 65536 is no port" },
    { bad: { tunnelId: 9_999, name: "a", serverPort: 1, clientProxyAddress: "x" }, want: '"x" is no address' },
  ])("refuses $bad: $want", async ({ bad, want }) => {
    const refused = { code: "InvalidArgument", message: expect.stringContaining(want) };
    await expect(pair.control.prepareTunnel(bad)).rejects.toMatchObject(refused);
  });

  test("resets a client whose server cannot be reached, tells why, and holds up no other", async () => {
    const silent = newId();
    const unknown = newId();
    // Of a network for documentation: whoever dials it waits, or is told at once that there is no way.
    const request = { tunnelId: silent, name: "silent", serverAddress: "192.0.2.77", serverPort: 9 };
    const stuck = (await pair.control.prepareTunnel(request)).clientProxyPort;
    const lost = await pair.control.prepareTunnel({
      ...request,
      tunnelId: unknown,
      name: "lost",
      serverAddress: "no.such.invalid",
    });
    const works = await pair.tunnel(newId(), echo.port);
    const waiting = Array.from({ length: 20 }, () => connectEnd(stuck));
    expect(await say(works, "not held up")).toBe("not held up");
    const end = connectEnd(lost.clientProxyPort);
    await expect.poll(() => end.state).toBe("reset");
    const told = () => pair.events.flatMap((event) => (event.case === "serverUnreachable" ? [event.value] : []));
    await expect.poll(told).toContainEqual(expect.objectContaining({ tunnelId: unknown, name: "lost" }));
    expect(told().find(({ name }) => name === "lost")?.message).toContain("no.such.invalid");
    await expect.poll(() => pair.client.lines.join("\n")).toContain('"tunnel":"lost"');
    for (const { socket } of waiting) socket.destroy();
  });

  test("has room for 1,000 tunnels, and takes them away again", async () => {
    const ids = Array.from({ length: 1_000 }, newId);
    const ports = await inTurns(ids, (id) => pair.tunnel(id, echo.port));
    expect(new Set(ports).size).toBe(1_000);
    expect(await say(ports.at(-1) ?? 0, "the last")).toBe("the last");
    const listed = new Set((await pair.control.listTunnels()).map(({ tunnelId }) => tunnelId));
    expect(listed.isSupersetOf(new Set(ids))).toBe(true);
    await inTurns(ids, (id) => pair.control.deleteTunnel(id));
    const left = (await pair.control.listTunnels()).filter(({ tunnelId }) => ids.includes(tunnelId));
    expect(left).toEqual([]);
    expect(await say(ports[0] ?? 0, "gone")).toBe("");
  });

  test("shows its private keys to nobody: not in arguments, environments, files or logs", () => {
    const { pid = 0 } = pair.client.process;
    const shown = [pair.server.pid, pid].flatMap((each) => [
      readFileSync(`/proc/${each}/cmdline`, "utf8"),
      readFileSync(`/proc/${each}/environ`, "utf8"),
    ]);
    const files = readdirSync(pair.directory).filter((name) => name !== "server.sock");
    expect(files.sort()).toEqual(["server.stderr", "server.stdout"]);
    for (const file of files) shown.push(readFileSync(join(pair.directory, file), "utf8"));
    shown.push(...pair.client.lines);
    expect(shown.join("\n")).toContain("BEGIN CERTIFICATE");
    expect(shown.join("\n")).not.toMatch(/PRIVATE KEY/);
  });
});

/** A few at once, as the controller does it. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 16)
    results.push(...(await Promise.all(items.slice(at, at + 16).map(work))));
  return results;
}
