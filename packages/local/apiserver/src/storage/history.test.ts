import { FakeClock } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { drain, note, shown } from "./fixtures.ts";
import { openStore } from "./open-store.ts";
import { Compacted, type Store, type Table } from "./table.ts";

let store: Store;
let notes: Table;
let pods: Table;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  store = await openStore({ file: ":memory:", clock, history: { fewest: 3, most: 6, keptForMs: 60_000 } });
  notes = store.table("notes");
  pods = store.table("pods");
});

async function write(table: Table, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await table.put(note("a", "x", `${store.revision + 1}`));
}

/** How many events can still be read, and from where. */
const kept = (table: Table) => {
  for (let revision = 0; ; revision++) {
    try {
      return { from: revision, events: drain(table.watch(revision)).length };
    } catch (error) {
      if (!(error instanceof Compacted)) throw error;
    }
  }
};

describe("history", () => {
  test("begins with the store", () => {
    expect(kept(notes)).toEqual({ from: 1, events: 0 });
    expect(() => notes.watch(0)).toThrow(new Compacted(0, 1));
  });

  test("keeps young events, but never more than the most", async () => {
    await write(notes, 6);
    expect(kept(notes)).toEqual({ from: 1, events: 6 });
    await write(notes, 2);
    expect(kept(notes)).toEqual({ from: 3, events: 6 });
  });

  test("drops old events, but always keeps the fewest", async () => {
    await write(notes, 5);
    await clock.advance(60_001);
    await write(notes, 1);
    expect(kept(notes)).toEqual({ from: 4, events: 3 });
    await clock.advance(60_001);
    await write(notes, 1);
    expect(kept(notes)).toEqual({ from: 5, events: 3 });
  });

  test("of a quiet table is not dropped for what happens in another", async () => {
    await write(notes, 1);
    await write(pods, 50);
    expect(kept(notes)).toEqual({ from: 1, events: 1 });
    expect(shown(notes.listAt(2))).toEqual(["a/x=2"]);
  });

  test("of a quiet table goes when it is old, as soon as anything is written", async () => {
    await write(notes, 6);
    await clock.advance(60_001);
    await write(pods, 1);
    expect(kept(notes)).toEqual({ from: 4, events: 3 });
  });

  test("can be forgotten up to a revision, in all tables, also those made later", async () => {
    await write(notes, 3);
    await write(pods, 2);
    store.compact(5);
    expect([kept(notes), kept(pods), kept(store.table("later"))]).toEqual([
      { from: 5, events: 0 },
      { from: 5, events: 1 },
      { from: 5, events: 0 },
    ]);
    expect(() => notes.listAt(4)).toThrow(new Compacted(4, 5));
    store.compact(2);
    expect(kept(notes)).toEqual({ from: 5, events: 0 });
  });

  test("cannot be forgotten beyond what has happened", async () => {
    store.compact(1_000);
    await write(notes, 1);
    expect(kept(notes)).toEqual({ from: 1, events: 1 });
  });

  test("knows nothing of the future", () => {
    expect(() => notes.listAt(2)).toThrow("revision 2 is still to come, this is 1");
  });

  test("keeps what was encoded for the newest events alone", async () => {
    const cursor = notes.watch(1);
    await write(notes, 1);
    const event = cursor.next();
    event?.encodings.set("json", new Uint8Array(1));
    await write(notes, 2);
    expect(event?.encodings.size).toBe(1);
    await write(notes, 1);
    expect(event?.encodings.size).toBe(0);
  });

  test("stays right over many more events than it keeps", async () => {
    await Promise.all(Array.from({ length: 5_000 }, (_, index) => notes.put(note("a", "x", String(index)))));
    expect(kept(notes)).toEqual({ from: 4_995, events: 6 });
    expect(shown(notes.listAt(4_996))).toEqual(["a/x=4994"]);
  });
});
