import { getEventListeners } from "node:events";
import { FakeClock } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { drain, note, show, showEvent } from "./fixtures.ts";
import { openStore } from "./open-store.ts";
import { Compacted, type Store, type Table } from "./table.ts";

let store: Store;
let notes: Table;
let clock: FakeClock;
const never = new AbortController().signal;

beforeEach(async () => {
  clock = new FakeClock();
  store = await openStore({ file: ":memory:", clock, history: { fewest: 5, most: 10, keptForMs: 60_000 } });
  notes = store.table("notes");
});

async function write(count: number, table = notes): Promise<void> {
  for (let index = 0; index < count; index++) await table.put(note("a", "x", `${store.revision + 1}`));
}

describe("a cursor", () => {
  test("reads what happened after a revision, in order, then what happens", async () => {
    await write(3);
    const cursor = notes.watch(2);
    expect(drain(cursor).map(showEvent)).toEqual(["MODIFIED a/x=3", "MODIFIED a/x=4"]);
    await write(1);
    expect(drain(cursor).map(showEvent)).toEqual(["MODIFIED a/x=5"]);
  });

  test("has reached the revision of the whole store when nothing is left to read", async () => {
    await write(2);
    await write(2, store.table("pods"));
    const cursor = notes.watch(1);
    expect(cursor.reached).toBe(1);
    cursor.next();
    expect(cursor.reached).toBe(2);
    cursor.next();
    expect([store.revision, cursor.reached]).toEqual([5, 5]);
  });

  test("from a revision still to come is not told of what happens up to it", async () => {
    const cursor = notes.watch(3);
    await write(3);
    expect(drain(cursor).map(showEvent)).toEqual(["MODIFIED a/x=4"]);
  });

  test("waits until something happens in its table", async () => {
    const cursor = notes.watch(store.revision);
    let isAwake = false;
    const waiting = cursor.wait(never).then(() => {
      isAwake = true;
    });
    await write(1, store.table("pods"));
    expect(isAwake).toBe(false);
    await write(1);
    await waiting;
    expect(drain(cursor)).toHaveLength(1);
  });

  test("does not wait where there is something to read", async () => {
    const cursor = notes.watch(store.revision);
    await write(1);
    await cursor.wait(never);
    expect(drain(cursor)).toHaveLength(1);
  });

  test("stops waiting when the signal is aborted, and when it is closed", async () => {
    const abort = new AbortController();
    const cursor = notes.watch(store.revision);
    const waiting = cursor.wait(abort.signal);
    abort.abort();
    await waiting;
    await cursor.wait(abort.signal);
    const closing = cursor.wait(never);
    cursor.close();
    await closing;
    await write(1);
    expect([cursor.next(), await cursor.wait(never)]).toEqual([undefined, undefined]);
  });

  test("listens to a signal once, however often it waits, and not after it is closed", async () => {
    const { signal } = new AbortController();
    const cursor = notes.watch(store.revision);
    for (let round = 0; round < 3; round++) {
      const waiting = cursor.wait(signal);
      await write(1);
      await waiting;
      drain(cursor);
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    cursor.close();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("that is slow falls out of the history; others do not notice", async () => {
    const slow = notes.watch(store.revision);
    const quick = notes.watch(store.revision);
    const seen: string[] = [];
    for (let index = 0; index < 12; index++) {
      await write(1);
      seen.push(...drain(quick).map(({ object }) => show(object)));
    }
    expect(seen).toHaveLength(12);
    expect(() => slow.next()).toThrow(new Compacted(1, 3));
    await slow.wait(never);
  });

  test("that missed nothing is not disturbed by a compaction", async () => {
    await write(2);
    const cursor = notes.watch(1);
    drain(cursor);
    await write(3, store.table("pods"));
    store.compact(store.revision);
    expect([cursor.next(), cursor.reached]).toEqual([undefined, 6]);
    await write(1);
    expect(drain(cursor)).toHaveLength(1);
  });

  test("that has not read what is compacted gets to know", async () => {
    const cursor = notes.watch(1);
    await write(1);
    store.compact(store.revision);
    expect(() => cursor.next()).toThrow(new Compacted(1, 2));
  });

  test("is one of a thousand that are all woken by one write, and share what is encoded", async () => {
    const cursors = Array.from({ length: 1_000 }, () => notes.watch(store.revision));
    const waiting = Promise.all(cursors.map((cursor) => cursor.wait(never)));
    await write(1);
    await waiting;
    const encodings = new Set(cursors.map((cursor) => cursor.next()?.encodings));
    expect(encodings.size).toBe(1);
  });
});
