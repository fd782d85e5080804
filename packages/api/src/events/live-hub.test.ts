/** Public changes as clients receive them, over real sockets. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Followed, TestApi } from "../testing/test-api.ts";
import type { Tick } from "../wire.ts";
import type { Audience } from "./public-changes.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const change = (id: string, audience?: Audience) =>
  api.context.hub.broadcast({ type: "player-delete", message: id }, audience);
const rename = (id: string, name: string) =>
  api.context.hub.broadcast({ type: "player", message: { id, name, attributes: {} } });
const forPlayersOnly = () => {
  api.rules = { ...api.rules, visibility: { challenges: "players", board: "public", ctftime: false } };
};

/** Everything that was sent to it has arrived. */
async function received({ socket, messages }: Followed): Promise<Followed["messages"]> {
  const before = messages.length;
  socket.send('{"type":"ping","message":null}');
  await expect.poll(() => messages.slice(before).some(({ type }) => type === "pong")).toBe(true);
  return messages.filter(({ type }) => !["pong", "current-player", "instance"].includes(type));
}
const ticks = async (followed: Followed): Promise<Tick[]> =>
  (await received(followed)).flatMap((one) => (one.type === "tick" ? [one.message] : []));
const idsOf = ({ changes }: Tick) => changes.map(({ id }) => id);

async function subscribe(followed: Followed, since: unknown = null): Promise<Tick | undefined> {
  const before = (await ticks(followed)).length;
  followed.socket.send(JSON.stringify({ type: "subscribe", message: { since } }));
  return (await ticks(followed))[before];
}

describe("clients of the original", () => {
  test("get the last message about each object, in order, once a second", async () => {
    const followed = await api.socket();
    change("a");
    rename("b", "Ada");
    rename("b", "Eve");
    change("c");
    change("c");
    await api.clock.advance(999);
    expect(await received(followed)).toEqual([]);
    await api.clock.advance(1);
    expect(await received(followed)).toEqual([
      { type: "player-delete", message: "a" },
      { type: "player", message: { id: "b", name: "Eve", attributes: {} } },
      { type: "player-delete", message: "c" },
    ]);
    change("d");
    await api.clock.advance(1_000);
    expect((await received(followed)).slice(3)).toEqual([{ type: "player-delete", message: "d" }]);
  });

  test("get nothing while they may not read, and never what is for admins", async () => {
    const [ada, admin] = [await api.signedIn("Ada"), await api.signedIn("Admin", { roles: ["admin"] })];
    const all = [await api.socket(), await ada.socket(), await admin.socket()];
    await Promise.all(all.map(received));
    change("1");
    await api.clock.advance(1_000);
    forPlayersOnly();
    change("2");
    change("3", "admins");
    await api.clock.advance(1_000);
    const ids = (await Promise.all(all.map(received))).map((messages) => messages.map(({ message }) => message));
    expect(ids).toEqual([["1"], ["1", "2"], ["1", "2", "3"]]);
  });

  test("that read are not cut off by one long flush, and those that do not are", async () => {
    const [reads, sleeps] = [await api.socket(), await api.socket()];
    sleeps.socket.pause();
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 40; i++) rename(String(i), `${round}${"x".repeat(100_000)}`);
      await api.clock.advance(1_000);
      expect(await received(reads)).toHaveLength((round + 1) * 40);
    }
    await expect.poll(() => api.context.hub.size).toBe(1);
    expect(reads.socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe("clients that subscribe", () => {
  test("get one tick a second with what changed, in place of its content", async () => {
    const followed = await api.socket();
    await api.clock.advance(60_000);
    const first = await subscribe(followed);
    expect(first).toEqual({ version: expect.stringMatching(/^[0-9a-f]{12}\.0$/), reload: false, changes: [] });
    change("a");
    rename("b", "Ada");
    rename("b", "Eve");
    await api.clock.advance(1_000);
    const [, tick] = await ticks(followed);
    const [epoch] = (first as Tick).version.split(".");
    expect(tick).toEqual({
      version: `${epoch}.3`,
      reload: false,
      changes: [
        { type: "player", id: "a", version: `${epoch}.1` },
        { type: "player", id: "b", version: `${epoch}.3` },
      ],
    });
    expect(await received(followed)).toHaveLength(2);
    await api.clock.advance(10_000);
    expect(await received(followed)).toHaveLength(2);
  });

  test("catch up after a reconnect, at once and without a gap", async () => {
    await api.clock.advance(60_000);
    const before = await api.socket();
    const { version } = (await subscribe(before)) as Tick;
    before.socket.terminate();
    change("a");
    await api.clock.advance(1_000);
    change("b");
    const after = await api.socket();
    expect(idsOf((await subscribe(after, version)) as Tick)).toEqual(["a", "b"]);
    await api.clock.advance(1_000);
    expect(await ticks(after)).toHaveLength(1);
  });

  test("reload everything where their version is of another process", async () => {
    const followed = await api.socket();
    expect(await subscribe(followed, "0123456789ab.7")).toMatchObject({ reload: true, changes: [] });
    change("a");
    await api.clock.advance(1_000);
    expect((await ticks(followed)).slice(1).map(idsOf)).toEqual([["a"]]);
  });

  test("get what changed within the last minute, where they have no version yet", async () => {
    change("old");
    await api.clock.advance(60_000);
    change("new");
    expect(idsOf((await subscribe(await api.socket())) as Tick)).toEqual(["new"]);
  });

  test("catch up once they may read", async () => {
    await api.clock.advance(60_000);
    forPlayersOnly();
    const ada = await api.signedIn("Ada");
    const followed = await api.socket();
    expect(await subscribe(followed)).toBeUndefined();
    change("a");
    await api.clock.advance(300_000);
    expect(await ticks(followed)).toEqual([]);
    followed.socket.send(JSON.stringify({ type: "auth", message: await ada.key() }));
    await expect.poll(() => followed.messages.some(({ type }) => type === "current-player")).toBe(true);
    await api.clock.advance(1_000);
    expect((await ticks(followed)).map(idsOf)).toEqual([["a"]]);
  });

  test("again and again get one tick a second", async () => {
    await api.clock.advance(60_000);
    const followed = await api.socket();
    const { version } = (await subscribe(followed)) as Tick;
    change("a");
    for (let i = 0; i < 50; i++) await subscribe(followed, version);
    expect(await ticks(followed)).toHaveLength(1);
    await api.clock.advance(1_000);
    expect((await ticks(followed)).map(idsOf)).toEqual([[], ["a"]]);
  });

  test.each([
    ["no object", 7],
    ["null", null],
    ["no since", {}],
    ["a number", { since: 7 }],
    ["a list", { since: [] }],
  ])("with %s are told what is needed", async (_, message) => {
    const followed = await api.socket();
    followed.socket.send(JSON.stringify({ type: "subscribe", message }));
    expect(await received(followed)).toEqual([
      { type: "error", message: 'subscribe needs {"since": the version of your last tick, or null}' },
    ]);
  });
});

test("nothing is left of a change once it is sent", async () => {
  // The scoreboard has one.
  const others = api.clock.timers;
  change("a");
  expect(api.clock.timers).toBe(others + 1);
  await api.clock.advance(1_000);
  await expect.poll(() => api.clock.timers).toBe(others);
});
