import type { Instance, ServerMessage, Tick } from "@berg/api/wire";
import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeInstance, makePlayer } from "../testing/wire-objects.ts";
import { applyMessage, LiveConnection, type Socket } from "./live.ts";
import { keys } from "./queries.ts";

class FakeSocket implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly sent: string[] = [];
  isClosed = false;

  send(data: unknown): void {
    this.sent.push(String(data));
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.onopen?.call(this as never, {} as never);
  }

  fail(): void {
    this.onclose?.call(this as never, {} as never);
  }

  receive(message: ServerMessage): void {
    this.onmessage?.call(this as never, { data: JSON.stringify(message) } as never);
  }
}

function connect() {
  const queries = new QueryClient();
  const invalidate = vi.spyOn(queries, "invalidateQueries");
  const clock = new FakeClock();
  const sockets: FakeSocket[] = [];
  const openSocket = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const live = new LiveConnection({ queries, clock, openSocket });
  live.start();
  const latest = () => sockets.at(-1) as FakeSocket;
  return { queries, invalidate, clock, sockets, latest, live };
}

test("tries again after 1, 2, 4, 8 and then 15 seconds at most", () => {
  const { clock, sockets, latest } = connect();
  clock.chance = 1;
  for (const seconds of [1, 2, 4, 8, 15, 15]) {
    const before = sockets.length;
    latest().fail();
    clock.advance(seconds * 1000 - 1);
    expect(sockets.length).toBe(before);
    clock.advance(1);
    expect(sockets.length).toBe(before + 1);
  }
});

const tick = (
  changes: [type: Tick["changes"][number]["type"], id: string | null][],
  version = "e.9",
): ServerMessage => ({
  type: "tick",
  message: { version, reload: false, changes: changes.map(([type, id]) => ({ type, id, version })) },
});

test("subscribes with the version that it has, and reads what is private again after a reconnect", () => {
  const { invalidate, clock, latest } = connect();
  latest().open();
  expect(latest().sent).toEqual(['{"type":"subscribe","message":{"since":null}}']);
  expect(invalidate.mock.calls).toEqual([[{ queryKey: keys.instance }]]);
  latest().receive(tick([], "e.7"));
  latest().fail();
  clock.advance(1000);
  invalidate.mockClear();
  latest().open();
  expect(latest().sent).toEqual(['{"type":"subscribe","message":{"since":"e.7"}}']);
  const read = invalidate.mock.calls.map(([filter]) => filter?.queryKey);
  expect(read).toEqual([keys.player, keys.instance, keys.timeline, keys.sessions, keys.admin]);
});

test.each<[string, ServerMessage, unknown[]]>([
  [
    "challenges",
    tick([
      ["challenge", "vault"],
      ["challenge", "jail"],
    ]),
    [keys.challenges, keys.challenge("vault"), keys.challenge("jail")],
  ],
  ["a page", tick([["page", "/rules"]]), [keys.pages]],
  ["the own account", tick([["player", makePlayer().id]]), [keys.player]],
  ["another account", tick([["player", "x"]]), []],
  [
    "the rules",
    tick([["metadata", null]]),
    [keys.metadata, keys.signInOptions, keys.challenges, ["challenge"], keys.pages],
  ],
  ["everything", { type: "tick", message: { version: "e.1", reload: true, changes: [] } }, [[]]],
])("reads %s again within a second of the tick", (_, message, expected) => {
  const { queries, invalidate, clock, latest } = connect();
  queries.setQueryData(keys.player, makePlayer());
  clock.chance = 0.5;
  latest().open();
  invalidate.mockClear();
  latest().receive(message);
  latest().receive(message);
  clock.advance(499);
  expect(invalidate).not.toHaveBeenCalled();
  clock.advance(1);
  expect(invalidate.mock.calls.map(([filter]) => filter?.queryKey)).toEqual(expected);
});

test("an empty key stands for all queries", async () => {
  const { queries, clock, latest } = connect();
  for (const key of [keys.pages, keys.challenge("vault")]) queries.setQueryData(key, []);
  latest().open();
  latest().receive({ type: "tick", message: { version: "e.1", reload: true, changes: [] } });
  clock.advance(1_000);
  expect([keys.pages, keys.challenge("vault")].map((key) => queries.getQueryState(key)?.isInvalidated)).toEqual([
    ...[true, true],
  ]);
});

test("polls about every 5 seconds while it is disconnected, also when tries to connect fail", () => {
  const { invalidate, clock, latest } = connect();
  latest().open();
  invalidate.mockClear();
  clock.chance = 0.5;
  latest().fail();
  for (let second = 0; second < 20; second++) {
    clock.advance(1000);
    latest().fail();
  }
  expect(invalidate.mock.calls.length).toBe(4);
});

test("pings every 15 seconds and gives up a connection that stays silent", () => {
  const { clock, latest, sockets } = connect();
  latest().open();
  clock.advance(15_000);
  expect(latest().sent.at(-1)).toBe('{"type":"ping","message":1}');
  latest().receive({ type: "pong", message: 1 });
  clock.advance(15_000);
  expect(sockets.length).toBe(1);
  clock.advance(15_000);
  expect(latest().isClosed).toBe(true);
});

test("stop closes the socket and sets no more timers", () => {
  const { clock, latest, live, sockets, invalidate } = connect();
  latest().open();
  live.stop();
  invalidate.mockClear();
  clock.advance(60_000);
  expect([latest().isClosed, sockets.length, invalidate.mock.calls.length]).toEqual([true, 1, 0]);
});

test("writes the player's instance into the cache and ignores those of others", async () => {
  const queries = new QueryClient();
  queries.setQueryData(keys.player, makePlayer());
  await applyMessage(queries, { type: "instance", message: makeInstance({ name: "vault" }) });
  const other = makeInstance({ name: "jail", playerId: "33333333-3333-4333-8333-333333333333" });
  await applyMessage(queries, { type: "instance", message: other });
  expect(queries.getQueryData<Instance>(keys.instance)?.name).toBe("vault");
});

test("reads the organisers' list again once, however many instances change", () => {
  const { invalidate, clock, latest } = connect();
  latest().open();
  invalidate.mockClear();
  const other = makeInstance({ playerId: "33333333-3333-4333-8333-333333333333" });
  const refreshes = () => invalidate.mock.calls.filter(([filter]) => filter?.queryKey === keys.admin).length;
  for (let count = 0; count < 100; count++) latest().receive({ type: "instance", message: other });
  expect(refreshes()).toBe(0);
  clock.advance(2_000);
  expect(refreshes()).toBe(1);
  latest().receive({ type: "instance", message: other });
  clock.advance(2_000);
  expect(refreshes()).toBe(2);
});
