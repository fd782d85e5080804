import { createRequire } from "node:module";
import { FrameError, isGone, type WatchEvent } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { type Answer, json, refuse, ScriptedServer } from "../testing/scripted-server.ts";
import { ConnectionError } from "./exchange.ts";
import { createClient } from "./rest-client.ts";

// undici's own clock, which a test may move.
const timers: { tick(ms: number): void } = createRequire(import.meta.url)("undici/lib/util/timers.js");

function frame(type: string, name: string, version: number): string {
  return `${JSON.stringify({ type, object: storedConfigMap(name, version, { data: { text: "grüße 🎉" } }) })}\n`;
}

/** Sends each piece on its own, and then does what is asked. */
function pieces(chunks: (string | Buffer)[], then: "end" | "cut" | "stay"): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for (const chunk of chunks) {
      response.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (then === "end") response.end();
    if (then === "cut") response.socket?.destroy();
  };
}

async function watch(...answers: Answer[]) {
  await using server = await ScriptedServer.start(...answers);
  const client = createClient({ connection: server.connection() });
  const seen: string[] = [];
  let bytes = 0;
  let opened = 0;
  const outcome = await client
    .watch<ConfigMap>(
      ConfigMaps,
      {
        namespace: "default",
        resourceVersion: "5",
        allowWatchBookmarks: true,
        timeoutSeconds: 300,
        onBytes: (count) => {
          bytes += count;
        },
        onOpen: () => opened++,
      },
      (events) => seen.push(...events.map(labelOf)),
    )
    .then(
      () => "ended",
      (error: unknown) => error,
    );
  await client.close();
  return { outcome, seen, bytes, opened, requests: server.seen };
}

function labelOf(event: WatchEvent<ConfigMap>): string {
  return event.type === "ERROR" ? "ERROR" : `${event.type} ${event.object.metadata.resourceVersion}`;
}

describe("a watch", () => {
  const stream = Buffer.from(frame("ADDED", "a", 6) + frame("MODIFIED", "a", 7) + frame("DELETED", "a", 8));

  test.each([
    { what: "in one piece", size: stream.length },
    { what: "in pieces of 100 bytes", size: 100 },
    { what: "in pieces of 7 bytes, through the middle of characters", size: 7 },
  ])("delivers its frames in order, $what", async ({ size }) => {
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
      stream.subarray(at * size, (at + 1) * size),
    );
    const { outcome, seen, bytes, opened, requests } = await watch(pieces(chunks, "end"));
    expect(outcome).toBe("ended");
    expect(seen).toEqual(["ADDED 6", "MODIFIED 7", "DELETED 8"]);
    expect(bytes).toBe(stream.length);
    expect(opened).toBe(1);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/namespaces/default/configmaps?watch=true&resourceVersion=5&timeoutSeconds=300&allowWatchBookmarks=true",
    ]);
  });

  test("that is opened and ended without a frame has ended in order", async () => {
    expect(await watch(pieces([], "end"))).toMatchObject({ outcome: "ended", seen: [], opened: 1, bytes: 0 });
  });

  test("that is cut between frames rejects: the server did not end it", async () => {
    const { outcome, seen } = await watch(pieces([frame("ADDED", "a", 6)], "cut"));
    expect(outcome).toBeInstanceOf(ConnectionError);
    expect(seen).toEqual(["ADDED 6"]);
  });

  test("that is cut in the middle of a frame rejects", async () => {
    const { outcome, seen } = await watch(pieces([frame("ADDED", "a", 6), '{"type":"ADD'], "cut"));
    expect(outcome).toBeInstanceOf(ConnectionError);
    expect(seen).toEqual(["ADDED 6"]);
  });

  test("that ends in order in the middle of a frame rejects", async () => {
    const { outcome, seen } = await watch(pieces([frame("ADDED", "a", 6), '{"type":"ADD'], "end"));
    expect(outcome).toMatchObject({ name: "FrameError", fault: "truncated" });
    expect(seen).toEqual(["ADDED 6"]);
  });

  test("of garbage rejects after the frames before it, and is not read further", async () => {
    const { outcome, seen } = await watch(
      pieces([`${frame("ADDED", "a", 6)}<html>\n${frame("ADDED", "b", 7)}`, frame("ADDED", "c", 8)], "stay"),
    );
    expect(outcome).toBeInstanceOf(FrameError);
    expect(seen).toEqual(["ADDED 6"]);
  });

  test("that is refused rejects with the server's words, and was never open", async () => {
    const { outcome, seen, opened, requests } = await watch(refuse(410, { reason: "Expired" }));
    expect(isGone(outcome)).toBe(true);
    expect({ seen, opened }).toEqual({ seen: [], opened: 0 });
    expect(requests.length).toBe(1);
  });

  test("that fails is not repeated here: the reflector knows how to go on", async () => {
    const { outcome, requests } = await watch(refuse(503), json({}));
    expect(outcome).toMatchObject({ code: 503 });
    expect(requests.length).toBe(1);
  });

  test("ends with what its receiver throws, and its connection with it", async () => {
    await using server = await ScriptedServer.start(pieces([frame("ADDED", "a", 6)], "stay"));
    const client = createClient({ connection: server.connection() });
    const broken = new Error("the receiver cannot take it");
    const watching = client.watch<ConfigMap>(ConfigMaps, {}, () => {
      throw broken;
    });
    await expect(watching).rejects.toBe(broken);
    await expect.poll(() => server.sockets.size).toBe(0);
    await client.close();
  });

  test("may be silent for longer than a call may", async () => {
    let say: (text: string) => void = () => {};
    await using server = await ScriptedServer.start(
      (response) => {
        response.flushHeaders();
        say = (text) => response.write(text);
      },
      (response) => response.flushHeaders(),
    );
    const client = createClient({ connection: server.connection() });
    const opened = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    const abort = new AbortController();
    const watching = client.watch<ConfigMap>(
      ConfigMaps,
      { onOpen: opened.resolve, signal: abort.signal },
      (events) => events.length > 0 && heard.resolve(),
    );
    await opened.promise;
    // Beside it, a call whose body never comes: the same stretch of time ends it.
    let outcome: unknown;
    client.raw("/slow").catch((error: unknown) => {
      outcome = error;
    });
    await expect
      .poll(() => {
        timers.tick(30_000);
        return outcome;
      })
      .toMatchObject({ name: "ConnectionError", cause: { code: "UND_ERR_BODY_TIMEOUT" } });

    say(frame("ADDED", "a", 6));
    await heard.promise;
    abort.abort();
    await expect(watching).rejects.toBe(abort.signal.reason);
    await client.close();
  });
});
