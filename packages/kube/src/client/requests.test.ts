import { inspect } from "node:util";
import type { Stored } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Connection } from "../config/connection.ts";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { type Logger, silentLogger } from "../log.ts";
import { HastyClock } from "../testing/hasty-clock.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { type Answer, json, refuse, reset, ScriptedServer, text } from "../testing/scripted-server.ts";
import type { Client } from "./client.ts";
import type { RequestMetrics } from "./metrics.ts";
import { type ClientOptions, createClient } from "./rest-client.ts";

const web = storedConfigMap("web", 7);
const ok = json(web);

function setUp(server: ScriptedServer, options: Partial<ClientOptions> & { via?: Partial<Connection> } = {}) {
  const clock = new HastyClock();
  const client = createClient({ connection: server.connection(options.via), clock, random: () => 0.5, ...options });
  return { client, clock };
}

const calls = {
  get: (client: Client) => client.get(ConfigMaps, "default", "web"),
  list: (client: Client) => client.list(ConfigMaps),
  create: (client: Client) => client.create(ConfigMaps, web),
  update: (client: Client) => client.update<ConfigMap>(ConfigMaps, web),
  "JSON patch": (client: Client) => client.patch(ConfigMaps, "default", "web", { type: "json", operations: [] }),
  "strategic patch": (client: Client) => client.patch(ConfigMaps, "default", "web", { type: "strategic", body: {} }),
  "merge patch": (client: Client) => client.patch(ConfigMaps, "default", "web", { type: "merge", body: {} }),
  apply: (client: Client) => client.apply(ConfigMaps, web as Stored<ConfigMap>, { fieldManager: "me" }),
  "delete with a UID": (client: Client) =>
    client.delete(ConfigMaps, "default", "web", { preconditions: { uid: "web-1" } }),
  "delete without a UID": (client: Client) => client.delete(ConfigMaps, "default", "web"),
  "deletion of a collection": (client: Client) => client.deleteCollection(ConfigMaps, { namespace: "default" }),
  eviction: (client: Client) => client.createSubresource(ConfigMaps, "default", "web", "eviction", {}),
};

const repeatable: (keyof typeof calls)[] = ["get", "list", "update", "merge patch", "apply", "delete with a UID"];
const names = Object.keys(calls) as (keyof typeof calls)[];

describe("a call is repeated", () => {
  const faults: { what: string; answer: Answer; wantRepeated: (name: keyof typeof calls) => boolean }[] = [
    { what: "429", answer: refuse(429, {}, { "retry-after": "1" }), wantRepeated: () => true },
    { what: "503", answer: refuse(503), wantRepeated: (name) => repeatable.includes(name) },
    { what: "a proxy's 502", answer: text("bad", { status: 502 }), wantRepeated: (name) => repeatable.includes(name) },
    { what: "a connection that breaks", answer: reset, wantRepeated: (name) => repeatable.includes(name) },
    { what: "403", answer: refuse(403), wantRepeated: () => false },
  ];
  const table = faults.flatMap(({ what, answer, wantRepeated }) =>
    names.map((name) => ({ name, what, answer, want: wantRepeated(name) ? 2 : 1 })),
  );

  test.each(table)("$name after $what: sent $want times", async ({ name, answer, want }) => {
    await using server = await ScriptedServer.start(answer, ok);
    const { client } = setUp(server);
    const outcome = await calls[name](client).then(
      () => "done",
      () => "failed",
    );
    expect({ sent: server.seen.length, outcome }).toEqual({ sent: want, outcome: want === 2 ? "done" : "failed" });
    await client.close();
  });

  test("in any case when nobody listened: it never left", async () => {
    const gone = await ScriptedServer.start(ok);
    const { client, clock } = setUp(gone);
    await gone[Symbol.asyncDispose]();
    await expect(calls.create(client)).rejects.toMatchObject({ name: "ConnectionError", sent: false });
    expect(clock.waits).toEqual([50, 100, 200, 400, 800]);
    await client.close();
  });

  test("no more often than six times, at growing distances", async () => {
    await using server = await ScriptedServer.start(refuse(500));
    const { client, clock } = setUp(server);
    await expect(calls.get(client)).rejects.toMatchObject({ code: 500 });
    expect(server.seen.length).toBe(6);
    expect(clock.waits).toEqual([50, 100, 200, 400, 800]);
    await client.close();
  });

  test("not before the time that the server named", async () => {
    await using server = await ScriptedServer.start(
      refuse(429, {}, { "retry-after": "3" }),
      refuse(503, { details: { retryAfterSeconds: 2 } }),
      ok,
    );
    const { client, clock } = setUp(server);
    await calls.get(client);
    expect(clock.waits).toEqual([3_050, 2_100]);
    await client.close();
  });

  test("not where the server named a time that would hold a worker up", async () => {
    await using server = await ScriptedServer.start(refuse(429, {}, { "retry-after": "3600" }), ok);
    const { client, clock } = setUp(server);
    await expect(calls.get(client)).rejects.toMatchObject({ status: { details: { retryAfterSeconds: 3600 } } });
    expect(clock.waits).toEqual([]);
    await client.close();
  });

  test("not where the server is behind the version asked for", async () => {
    await using server = await ScriptedServer.start(
      refuse(504, { reason: "Timeout", details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }),
      ok,
    );
    const { client } = setUp(server);
    await expect(client.list(ConfigMaps, { resourceVersion: "999" })).rejects.toMatchObject({ code: 504 });
    expect(server.seen.length).toBe(1);
    await client.close();
  });
});

describe("refused credentials", () => {
  function rotating() {
    const tokens = ["Bearer old-secret", "Bearer new-secret", "Bearer never-asked"];
    const refused: (string | undefined)[] = [];
    const via = {
      authorization: async () => tokens[refused.length],
      refused: (authorization?: string) => void refused.push(authorization),
    };
    return { via, refused };
  }
  const tokensOf = (server: ScriptedServer) => server.seen.map(({ headers }) => headers.authorization);

  test("are read anew, and the call is made once more, even one that must not happen twice", async () => {
    await using server = await ScriptedServer.start(refuse(401), ok);
    const { via, refused } = rotating();
    const { client } = setUp(server, { via });
    await calls.create(client);
    expect(refused).toEqual(["Bearer old-secret"]);
    expect(tokensOf(server)).toEqual(["Bearer old-secret", "Bearer new-secret"]);
    await client.close();
  });

  test("twice in a row are an error, which does not tell them", async () => {
    await using server = await ScriptedServer.start(refuse(401));
    const { via } = rotating();
    const { client, clock } = setUp(server, { via });
    const error = await calls.get(client).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 401 });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("secret");
    expect(server.seen.length).toBe(2);
    expect(clock.waits).toEqual([]);
    await client.close();
  });

  test("of a watch are read anew too", async () => {
    await using server = await ScriptedServer.start(refuse(401), (response) => void response.end());
    const { via } = rotating();
    const { client } = setUp(server, { via });
    let opened = 0;
    await client.watch(ConfigMaps, { onOpen: () => opened++ }, () => {});
    expect({ tokens: tokensOf(server), opened }).toEqual({
      tokens: ["Bearer old-secret", "Bearer new-secret"],
      opened: 1,
    });
    await client.close();
  });

  test.each([
    { what: "a connection that breaks", answer: reset },
    { what: "an answer that is no HTTP", answer: ((response) => void response.socket?.end("SSH-2.0\r\n")) as Answer },
    { what: "an answer that is no JSON", answer: text("<html>") },
    { what: "a refusal", answer: refuse(403) },
  ])("are not told by the error of $what", async ({ answer }) => {
    await using server = await ScriptedServer.start(answer);
    const { client } = setUp(server, { via: { authorization: async () => "Bearer the-secret" } });
    const error = await calls.create(client).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("the-secret");
    await client.close();
  });
});

const refuseAll = () => {
  throw new Error("not the leader");
};

describe("a guarded client", () => {
  const writes = names.filter((name) => name !== "get" && name !== "list");

  test.each(writes)("does not send a %s that its guard forbids", async (name) => {
    await using server = await ScriptedServer.start(ok);
    const { client, clock } = setUp(server);
    const notLeader = new Error("not the leader");
    const guarded = client.guarded(() => {
      throw notLeader;
    });
    await expect(calls[name](guarded)).rejects.toBe(notLeader);
    expect(server.seen).toEqual([]);
    expect(clock.waits).toEqual([]);
    // The connection that was opened for it is whole, and the client beside it is free.
    await calls[name](client);
    expect({ sent: server.seen.length, connections: server.connections }).toEqual({ sent: 1, connections: 1 });
    await client.close();
  });

  test("reads whatever its guard says", async () => {
    await using server = await ScriptedServer.start(ok, ok, text("ok"), (response) => void response.end());
    const { client } = setUp(server);
    const guarded = client.guarded(refuseAll);
    await guarded.get(ConfigMaps, "default", "web");
    await guarded.list(ConfigMaps);
    await guarded.raw("/readyz");
    await guarded.watch(ConfigMaps, {}, () => {});
    expect(server.seen.length).toBe(4);
    await client.close();
  });

  test("asks its guard before every try", async () => {
    await using server = await ScriptedServer.start(refuse(401), refuse(429, {}, { "retry-after": "1" }), ok);
    const { client } = setUp(server);
    let asked = 0;
    await calls.create(client.guarded(() => void asked++));
    expect({ asked, sent: server.seen.length }).toEqual({ asked: 3, sent: 3 });
    await client.close();
  });

  test("sends no second try when its guard has changed its mind", async () => {
    await using server = await ScriptedServer.start(refuse(503), ok);
    const { client } = setUp(server);
    let asked = 0;
    const guarded = client.guarded(() => {
      if (asked++ > 0) throw new Error("not the leader any more");
    });
    await expect(calls.apply(guarded)).rejects.toThrow("not the leader any more");
    expect(server.seen.length).toBe(1);
    await client.close();
  });

  test("keeps its guard when it is given another", async () => {
    await using server = await ScriptedServer.start(ok);
    const { client } = setUp(server);
    await expect(calls.create(client.guarded(refuseAll).guarded(() => {}))).rejects.toThrow("not the leader");
    await expect(calls.create(client.guarded(() => {}).guarded(refuseAll))).rejects.toThrow("not the leader");
    expect(server.seen).toEqual([]);
    await client.close();
  });
});

describe("what is told of requests", () => {
  function recording() {
    const told: unknown[] = [];
    const metrics: RequestMetrics = {
      finished: ({ method, code }) => told.push(`${method} ${code}`),
      retried: ({ method, code }) => told.push(`retry ${method} ${code}`),
      rateLimited: () => {},
    };
    return { told, metrics };
  }

  test("each try is counted once, with its code", async () => {
    await using server = await ScriptedServer.start(refuse(503), reset, refuse(401), ok, (response) => {
      response.end();
    });
    const { told, metrics } = recording();
    const { client } = setUp(server, { metrics });
    await calls.get(client);
    await client.watch(ConfigMaps, {}, () => {});
    expect(told).toEqual([
      "GET 503",
      "retry GET 503",
      "GET <error>",
      "retry GET <error>",
      "GET 401",
      "GET 200",
      "GET 200",
    ]);
    await client.close();
  });

  test("a watch is counted when it opens", async () => {
    await using server = await ScriptedServer.start((response) => response.flushHeaders());
    const { told, metrics } = recording();
    const { client } = setUp(server, { metrics });
    const opened = Promise.withResolvers<void>();
    const watching = client.watch(ConfigMaps, { onOpen: opened.resolve }, () => {});
    await opened.promise;
    expect(told).toEqual(["GET 200"]);
    await client.close();
    await expect(watching).rejects.toThrow("the client is closed");
    expect(told).toEqual(["GET 200"]);
  });

  test("the wait for a turn is told", async () => {
    await using server = await ScriptedServer.start(ok);
    const waits: number[] = [];
    const { client } = setUp(server, {
      rate: { perSecond: 1, burst: 1 },
      metrics: { finished() {}, retried() {}, rateLimited: (seconds) => waits.push(Math.round(seconds)) },
    });
    await calls.get(client);
    await calls.get(client);
    expect(waits).toEqual([0, 1]);
    await client.close();
  });

  test("the server's warnings are logged, with the path but not the query", async () => {
    const warning = ['299 - "unknown field \\"spec.x\\""', '299 - "v1beta1 is deprecated"'];
    await using server = await ScriptedServer.start(json(web, { headers: { warning } }), (response) => {
      response.writeHead(200, { warning: '299 - "on a watch"' }).end();
    });
    const logged: object[] = [];
    const log: Logger = { ...silentLogger, warn: (fields, message) => logged.push({ ...fields, message }) };
    const { client } = setUp(server, { log });
    await client.create(ConfigMaps, web, { fieldManager: "me" });
    await client.watch(ConfigMaps, {}, () => {});
    const created = { method: "POST", path: "/api/v1/namespaces/default/configmaps", message: "the server warns" };
    expect(logged).toEqual([
      { ...created, warning: 'unknown field "spec.x"' },
      { ...created, warning: "v1beta1 is deprecated" },
      { method: "GET", path: "/api/v1/configmaps", warning: "on a watch", message: "the server warns" },
    ]);
    await client.close();
  });
});
