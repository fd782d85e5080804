import { once } from "node:events";
import type { KyselyPlugin } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Followed, publicUrl, TestApi } from "../testing/test-api.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start({ mostPerAddress: 30 });
});
afterEach(() => api[Symbol.asyncDispose]());

const auth = ({ socket }: Followed, message: unknown) => socket.send(JSON.stringify({ type: "auth", message }));
const identities = ({ messages }: Followed) =>
  messages.flatMap((one) => (one.type === "current-player" ? [one.message] : []));

describe("a socket", () => {
  test("is identified by a key on the upgrade, and anonymous with a wrong one", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    const known = await api.socket({ authorization: `Bearer ${key}` });
    await expect.poll(() => known.messages.map(({ type }) => type)).toEqual(["current-player", "instance"]);
    expect(identities(known)).toEqual([ada.playerId]);
    // A key in the header counts, and not the cookie beside it.
    const wrong = await api.socket({
      authorization: `Bearer ${"0".repeat(64)}`,
      cookie: ada.cookie,
      origin: publicUrl,
    });
    auth(wrong, null);
    await expect.poll(() => identities(wrong)).toEqual([null]);
  });

  test("is identified by a key in a message, and forgets it on request", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    const followed = await api.socket();
    auth(followed, key);
    await expect.poll(() => identities(followed)).toEqual([ada.playerId]);
    expect(api.context.hub.isConnected(ada.playerId)).toBe(true);
    auth(followed, null);
    await expect.poll(() => identities(followed)).toEqual([ada.playerId, null]);
    expect(api.context.hub.isConnected(ada.playerId)).toBe(false);
  });

  test.each([
    ["a wrong key", "0".repeat(64)],
    ["text", "x"],
    ["a number", 7],
    ["an object", {}],
  ])("is told of %s a second later, once for many", async (_, token) => {
    const ada = await api.signedIn("Ada");
    const followed = await ada.socket();
    await expect.poll(() => identities(followed)).toEqual([ada.playerId]);
    const { timers } = api.clock;
    /** The key has been looked up, and the answer waits. */
    const isDelayed = () => expect.poll(() => api.clock.timers).toBe(timers + 1);
    for (let i = 0; i < 50; i++) auth(followed, token);
    followed.socket.send('{"type":"ping","message":1}');
    await expect.poll(() => followed.messages.at(-1)?.type).toBe("pong");
    expect(api.context.hub.isConnected(ada.playerId)).toBe(false);
    expect(identities(followed)).toEqual([ada.playerId]);
    await isDelayed();
    await api.clock.advance(1_000);
    await expect.poll(() => identities(followed)).toEqual([ada.playerId, null]);
    await isDelayed();
    await api.clock.advance(1_000);
    await expect.poll(() => identities(followed)).toEqual([ada.playerId, null, null]);
    await api.clock.advance(10_000);
    expect(identities(followed)).toHaveLength(3);
    expect(api.logged.join()).not.toContain("0".repeat(64));
  });

  test("stays open without its identity when the session expires", async () => {
    const ada = await api.signedIn("Ada", { roles: ["admin"] });
    await api.clock.advance(12 * 3_600_000 - 5_000);
    const followed = await ada.socket();
    await expect.poll(() => identities(followed)).toEqual([ada.playerId]);
    await api.clock.advance(6_000);
    await expect.poll(() => identities(followed)).toEqual([ada.playerId, null]);
    expect(followed.socket.readyState).toBe(WebSocket.OPEN);
    expect(api.context.hub.isConnected(ada.playerId)).toBe(false);
    expect(api.context.hub.size).toBe(1);
  });

  test("of a key is closed when the key is replaced, and those of sessions are not", async () => {
    const ada = await api.signedIn("Ada");
    const ofKey = await api.socket({ authorization: `Bearer ${await ada.key()}` });
    const ofSession = await ada.socket();
    await ada.key();
    await expect.poll(() => [ofKey, ofSession].map(({ socket }) => socket.readyState)).toEqual([3, 1]);
  });

  test("of a session that ends while it is opened is not identified", async () => {
    const ada = await api.signedIn("Ada");
    const { db, hub } = api.context;
    let reads = 0;
    const endAfterFirstRead: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (reads++ > 0) return result;
        await db.deleteFrom("session").execute();
        hub.disconnect(ada.playerId);
        return result;
      },
    };
    Object.assign(api.context, { db: db.withPlugin(endAfterFirstRead) });
    const followed = await ada.socket();
    auth(followed, null);
    await expect.poll(() => identities(followed)).toEqual([null]);
    expect(reads).toBe(2);
  });

  test("is refused where its address has too many, until one closes", async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => api.socket()));
    await expect(api.socket()).rejects.toThrow("429");
    all[0]?.socket.close();
    await expect.poll(() => api.context.hub.size).toBe(29);
    expect((await api.socket()).socket.readyState).toBe(WebSocket.OPEN);
  });

  test.each([
    ["no proxy is trusted", [], [429, 429]],
    ["its proxy is trusted", ["127.0.0.0/8"], [429, 101]],
  ])("counts for its own address behind a proxy, where %s", async (_, trustedProxies, expected) => {
    await using behind = await TestApi.start({ mostPerAddress: 2, trustedProxies });
    const from = (address: string) =>
      behind.socket({ "x-forwarded-for": `198.51.100.9, ${address}` }).then(
        () => 101,
        ({ message }) => Number(/\d{3}/.exec(message)?.[0]),
      );
    await from("192.0.2.1");
    await from("192.0.2.1");
    expect([await from("192.0.2.1"), await from("192.0.2.2")]).toEqual(expected);
  });

  test("that answers no ping is dropped within a minute, and one timer serves all", async () => {
    // The scoreboard has one.
    const others = api.clock.timers;
    const quiet = await api.socket();
    const lively = await api.socket();
    // As a machine that has gone to sleep.
    quiet.socket.pause();
    expect(api.clock.timers).toBe(others + 1);
    const closed = once(quiet.socket, "close");
    for (let seconds = 0; seconds < 61; seconds++) {
      const pinged = api.context.hub.size;
      await api.clock.advance(1_000);
      // The answer to a ping comes over the network, which has no fake clock.
      if (pinged > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await expect.poll(() => api.context.hub.size).toBe(1);
    quiet.socket.resume();
    await closed;
    expect(lively.socket.readyState).toBe(WebSocket.OPEN);
    lively.socket.terminate();
    await expect.poll(() => api.context.hub.size).toBe(0);
    await api.clock.advance(1_000);
    await expect.poll(() => api.clock.timers).toBe(others);
  });
});
