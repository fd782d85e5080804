import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Connection } from "../config/connection.ts";
import { ConfigMaps } from "../kinds.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { HastyClock } from "../testing/hasty-clock.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { type Answer, json, refuse, ScriptedServer, silence } from "../testing/scripted-server.ts";
import { type ClientOptions, createClient } from "./rest-client.ts";

const web = storedConfigMap("web", 7);
const ok = json(web);

function setUp(server: ScriptedServer, options: Partial<ClientOptions> & { via?: Partial<Connection> } = {}) {
  return createClient({ connection: server.connection(options.via), clock: new HastyClock(), ...options });
}

describe("a call that is aborted rejects with the reason at once", () => {
  const reason = new Error("no longer wanted");

  test("before it is sent", async () => {
    await using server = await ScriptedServer.start(ok);
    const client = setUp(server);
    const signal = AbortSignal.abort(reason);
    await expect(client.get(ConfigMaps, "default", "web", { signal })).rejects.toBe(reason);
    await expect(client.watch(ConfigMaps, { signal }, () => {})).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
    await client.close();
  });

  test("while it waits for its turn", async () => {
    await using server = await ScriptedServer.start(ok);
    const clock = new FakeClock();
    const client = setUp(server, { clock, rate: { perSecond: 1, burst: 1 } });
    await client.get(ConfigMaps, "default", "web");
    const abort = new AbortController();
    const waiting = client.get(ConfigMaps, "default", "web", { signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(server.seen.length).toBe(1);
    expect(clock.timers).toBe(0);
    await client.close();
  });

  test("while its credentials are fetched", async () => {
    await using server = await ScriptedServer.start(ok);
    const asked = Promise.withResolvers<void>();
    const client = setUp(server, {
      via: {
        authorization: () => {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const abort = new AbortController();
    const waiting = client.get(ConfigMaps, "default", "web", { signal: abort.signal });
    await asked.promise;
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
    await client.close();
  });

  test("in the moment in which its credentials come", async () => {
    await using server = await ScriptedServer.start(ok);
    const abort = new AbortController();
    const client = setUp(server, {
      via: {
        authorization: () => {
          const token = Promise.resolve("Bearer t");
          void token.then(() => abort.abort(reason));
          return token;
        },
      },
    });
    await expect(client.get(ConfigMaps, "default", "web", { signal: abort.signal })).rejects.toBe(reason);
    await client.close();
    expect(server.seen).toEqual([]);
  });

  const halfAnAnswer: Answer = (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"half":');
  };

  test.each([
    { what: "while it waits for the answer", answer: silence },
    { what: "in the middle of the answer", answer: halfAnAnswer },
  ])("$what, and lets go of its connection", async ({ answer }) => {
    await using server = await ScriptedServer.start(answer);
    const client = setUp(server);
    const abort = new AbortController();
    const waiting = client.get(ConfigMaps, "default", "web", { signal: abort.signal });
    await server.arrived(1);
    expect(server.sockets.size).toBe(1);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect.poll(() => server.sockets.size).toBe(0);
    await client.close();
  });

  test("between two tries", async () => {
    await using server = await ScriptedServer.start(refuse(503));
    const clock = new FakeClock();
    const client = setUp(server, { clock });
    const abort = new AbortController();
    const waiting = client.get(ConfigMaps, "default", "web", { signal: abort.signal });
    const outcome = waiting.catch((error: unknown) => error);
    await expect.poll(() => clock.timers).toBe(1);
    abort.abort(reason);
    expect(await outcome).toBe(reason);
    expect(clock.timers).toBe(0);
    expect(server.seen.length).toBe(1);
    await client.close();
  });

  test("and one that ends leaves nothing behind on a signal that lives on", async () => {
    await using server = await ScriptedServer.start(refuse(503), ok, refuse(401), ok, refuse(404), ok, (response) => {
      response.end();
    });
    const client = setUp(server);
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const count = () => listeners.push(getEventListeners(signal, "abort").length);
    await client.get(ConfigMaps, "default", "web", { signal }).then(count);
    await client.get(ConfigMaps, "default", "web", { signal }).then(count);
    await client.get(ConfigMaps, "default", "web", { signal }).catch(count);
    await client
      .guarded(() => {
        throw reason;
      })
      .create(ConfigMaps, web, { signal })
      .catch(count);
    await client.raw("/version", { signal }).then(count);
    await client.watch(ConfigMaps, { signal }, () => {}).then(count);
    for await (const _ of client.logs("ctf", "web", { signal })) throw new Error("no text was sent");
    count();
    await client.discovery.all({ signal }).catch(count);
    expect(listeners).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await client.close();
  });
});
