import { createRequire } from "node:module";
import { StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { type Answer, refuse, ScriptedServer, silence } from "../testing/scripted-server.ts";
import { createClient } from "./rest-client.ts";

// undici's own clock, which a test may move.
const timers: { tick(ms: number): void } = createRequire(import.meta.url)("undici/lib/util/timers.js");

const party = Buffer.from("grüße 🎉\n");

const oneByteAtATime: Answer = async (response) => {
  for (const byte of party) {
    response.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
};

async function collect(log: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of log) pieces.push(piece);
  return pieces;
}

describe("a log", () => {
  test("comes in whole characters, wherever the bytes were cut", async () => {
    await using server = await ScriptedServer.start(oneByteAtATime);
    const client = createClient({ connection: server.connection() });
    const pieces = await collect(client.logs("ctf", "web"));
    expect(pieces.join("")).toBe(party.toString());
    expect(pieces.filter((piece) => piece === "" || piece.includes("\ufffd"))).toEqual([]);
    await client.close();
  });

  test("asks for what its options say", async () => {
    await using server = await ScriptedServer.start((response) => void response.end());
    const client = createClient({ connection: server.connection() });
    const { signal } = new AbortController();
    const options = {
      container: "app",
      follow: true,
      previous: false,
      tailLines: 10,
      sinceSeconds: 5,
      timestamps: true,
    };
    expect(await collect(client.logs("ctf", "web", { ...options, signal }))).toEqual([]);
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/namespaces/ctf/pods/web/log?container=app&follow=true&previous=false&tailLines=10&sinceSeconds=5&timestamps=true",
    ]);
    await client.close();
  });

  test("sends nothing until it is read", async () => {
    await using server = await ScriptedServer.start(silence);
    const client = createClient({ connection: server.connection() });
    client.logs("ctf", "web");
    await client.close();
    expect(server.connections).toBe(0);
  });

  test("that is left early ends its request", async () => {
    await using server = await ScriptedServer.start((response) => void response.write("first\n"));
    const client = createClient({ connection: server.connection() });
    for await (const piece of client.logs("ctf", "web", { follow: true })) {
      expect(piece).toBe("first\n");
      expect(server.sockets.size).toBe(1);
      break;
    }
    await expect.poll(() => server.sockets.size).toBe(0);
    await client.close();
  });

  test("that is aborted rejects with the reason", async () => {
    await using server = await ScriptedServer.start((response) => void response.write("first\n"));
    const client = createClient({ connection: server.connection() });
    const abort = new AbortController();
    const log = client.logs("ctf", "web", { follow: true, signal: abort.signal })[Symbol.asyncIterator]();
    expect(await log.next()).toEqual({ done: false, value: "first\n" });
    const next = log.next();
    abort.abort("the page was closed");
    await expect(next).rejects.toBe("the page was closed");
    await expect.poll(() => server.sockets.size).toBe(0);
    await client.close();
  });

  test("that is refused rejects before the first piece", async () => {
    await using server = await ScriptedServer.start(refuse(400, { message: "container is waiting to start" }));
    const client = createClient({ connection: server.connection() });
    const error = await collect(client.logs("ctf", "web")).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 400, message: "container is waiting to start" });
    await client.close();
  });

  test("that breaks gives what came, and then the error", async () => {
    await using server = await ScriptedServer.start((response) => {
      response.write("first\n", () => setImmediate(() => response.socket?.destroy()));
    });
    const client = createClient({ connection: server.connection() });
    const log = client.logs("ctf", "web")[Symbol.asyncIterator]();
    expect(await log.next()).toEqual({ done: false, value: "first\n" });
    await expect(log.next()).rejects.toMatchObject({ name: "ConnectionError" });
    await client.close();
  });

  test("of a pod without a name is refused before anything is sent", async () => {
    await using server = await ScriptedServer.start(silence);
    const client = createClient({ connection: server.connection() });
    await expect(collect(client.logs("ctf", ""))).rejects.toThrow('cannot use "" as a name');
    expect(server.connections).toBe(0);
    await client.close();
  });

  test("of a container that says nothing for an hour is waited for", async () => {
    let say = (_: string) => {};
    await using server = await ScriptedServer.start((response) => {
      // The kubelet sends not even the head before the first line.
      say = (text) => response.end(text);
    });
    const client = createClient({ connection: server.connection() });
    const pieces = collect(client.logs("ctf", "web", { follow: true }));
    await server.arrived(1);
    for (let minute = 0; minute < 60; minute++) {
      timers.tick(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    say("at last");
    expect(await pieces).toEqual(["at last"]);
    await client.close();
  });

  test("that comes faster than it is read waits at the server, and arrives whole", async () => {
    const flood = 32;
    const line = `${"x".repeat(1024 * 1024 - 1)}\n`;
    let written = 0;
    await using server = await ScriptedServer.start(async (response) => {
      for (; written < flood; written++) {
        if (!response.write(line)) await new Promise((resolve) => response.once("drain", resolve));
      }
      response.end();
    });
    const client = createClient({ connection: server.connection() });
    const log = client.logs("ctf", "web", { follow: true })[Symbol.asyncIterator]();
    let received = (await log.next()).value?.length ?? 0;
    // The reader does something else for as long as the server goes on writing.
    let before = -1;
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(flood / 2);

    for (let next = await log.next(); !next.done; next = await log.next()) received += next.value.length;
    expect(received).toBe(flood * line.length);
    await client.close();
  });
});
