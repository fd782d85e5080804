import type { Challenge, Instance, Page, ServerMessage } from "@berg/api/wire";
import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeChallenge, makeInstance, makePlayer } from "../testing/wire-objects.ts";
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

test("reads everything again after a reconnect, but only the instance after the first connect", () => {
  const { invalidate, clock, latest } = connect();
  latest().open();
  expect(invalidate.mock.calls).toEqual([[{ queryKey: keys.instance }]]);
  latest().fail();
  clock.advance(1000);
  latest().open();
  expect(invalidate.mock.lastCall).toEqual([{}]);
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
  expect(latest().sent).toEqual(['{"type":"ping","message":1}']);
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
  const clock = new FakeClock();
  await applyMessage(queries, { type: "instance", message: makeInstance({ name: "vault" }) }, clock);
  const other = makeInstance({ name: "jail", playerId: "33333333-3333-4333-8333-333333333333" });
  await applyMessage(queries, { type: "instance", message: other }, clock);
  expect(queries.getQueryData<Instance>(keys.instance)?.name).toBe("vault");
});

test("adds, replaces and removes challenges of the list", async () => {
  const queries = new QueryClient();
  queries.setQueryData(keys.challenges, [makeChallenge("jail")]);
  const clock = new FakeClock();
  const titles = () => queries.getQueryData<Challenge[]>(keys.challenges)?.map(({ displayName }) => displayName);
  await applyMessage(queries, { type: "challenge", message: makeChallenge("vault") }, clock);
  await applyMessage(queries, { type: "challenge", message: makeChallenge("jail", { displayName: "Jail" }) }, clock);
  expect(titles()).toEqual(["Jail", "vault"]);
  await applyMessage(queries, { type: "challenge-delete", message: "jail" }, clock);
  expect(titles()).toEqual(["vault"]);
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

test("adds, replaces and removes pages of the organiser", async () => {
  const queries = new QueryClient();
  const page = (path: string, title = path): Page => ({ path, title, index: 0, content: "" });
  queries.setQueryData(keys.pages, [page("/rules")]);
  const clock = new FakeClock();
  const titles = () => queries.getQueryData<Page[]>(keys.pages)?.map(({ title }) => title);
  await applyMessage(queries, { type: "page", message: page("/faq") }, clock);
  await applyMessage(queries, { type: "page", message: page("/rules", "Rules") }, clock);
  expect(titles()).toEqual(["/faq", "Rules"]);
  await applyMessage(queries, { type: "page-delete", message: "/rules" }, clock);
  expect(titles()).toEqual(["/faq"]);
});

test("reads the own account again when it changes, and no other", async () => {
  const queries = new QueryClient();
  queries.setQueryData(keys.player, makePlayer());
  const invalidate = vi.spyOn(queries, "invalidateQueries");
  const clock = new FakeClock();
  const other = { id: "33333333-3333-4333-8333-333333333333", name: "x", attributes: {} };
  await applyMessage(queries, { type: "player", message: other }, clock);
  await applyMessage(queries, { type: "player-delete", message: other.id }, clock);
  expect(invalidate).not.toHaveBeenCalled();
  await applyMessage(queries, { type: "player", message: { ...makePlayer(), name: "gwendolyn" } }, clock);
  expect(invalidate).toHaveBeenCalledWith({ queryKey: keys.player });
});
