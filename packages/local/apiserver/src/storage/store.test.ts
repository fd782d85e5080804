import { FakeClock } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { DiskError } from "./disk.ts";
import { drain, HeldDisk, note, show, showEvent, shown } from "./fixtures.ts";
import { openStore, openStoreOn } from "./open-store.ts";
import type { Store, Table } from "./table.ts";

const limits = { fewest: 1_000, most: 50_000, keptForMs: 600_000 };

let disk: HeldDisk;
let store: Store;
let notes: Table;

beforeEach(async () => {
  disk = new HeldDisk();
  store = await openStoreOn(disk, new FakeClock(), limits);
  notes = store.table("notes");
});

const newest = (namespace?: string) => [...notes.newestAll(namespace)].map(show).sort();

describe("a write on its way to disk", () => {
  test("is seen by who writes next, and by nobody else", async () => {
    const cursor = notes.watch(store.revision);
    const writing = notes.put(note("ctf", "web", "1"));
    const commit = await disk.held();
    expect([show(notes.newest("ctf/web") as never), newest(), newest("ctf"), newest("other")]).toEqual([
      "ctf/web=1",
      ["ctf/web=1"],
      ["ctf/web=1"],
      [],
    ]);
    expect([notes.get("ctf/web"), shown(notes.list()), notes.size, drain(cursor), store.revision]).toEqual([
      undefined,
      [],
      0,
      [],
      1,
    ]);
    commit.succeed();
    await writing;
  });

  test("is seen by all when it is there, with the revision as its resourceVersion", async () => {
    const cursor = notes.watch(store.revision);
    const writing = notes.put(note("ctf", "web", "1"));
    await disk.succeed();
    const written = await writing;
    expect(written.metadata.resourceVersion).toBe("2");
    expect(notes.get("ctf/web")).toBe(written);
    expect([shown(notes.list()), notes.list().revision, notes.size]).toEqual([["ctf/web=1"], 2, 1]);
    expect(drain(cursor).map(showEvent)).toEqual(["ADDED ctf/web=1"]);
  });

  test("is what `settled` waits for, whether it comes there or not, and nothing that comes later", async () => {
    await store.settled();
    const seen: string[] = [];
    for (const end of ["succeed", "fail"] as const) {
      const writing = notes.put(note("ctf", "web", "1")).then(
        () => seen.push("written"),
        () => seen.push("failed"),
      );
      const settled = store.settled().then(() => seen.push("settled"));
      const commit = await disk.held();
      await new Promise((resolve) => setImmediate(resolve));
      const later = notes.put(note("ctf", "later", "1")).catch(() => {});
      commit[end]("full");
      await Promise.all([writing, settled]);
      if (end === "succeed") await disk.succeed();
      await later;
    }
    expect(seen).toEqual(["written", "settled", "failed", "settled"]);
  });

  test("can be followed by another of the same object, and one that ends it", async () => {
    const cursor = notes.watch(store.revision);
    const first = notes.put(note("ctf", "web", "1"));
    const second = notes.put(note("ctf", "web", "2"));
    const third = notes.remove("ctf/web", notes.newest("ctf/web") as never);
    expect([notes.newest("ctf/web"), newest()]).toEqual([undefined, []]);
    await disk.succeed();
    const revisions = (await Promise.all([first, second, third])).map(({ metadata }) => metadata.resourceVersion);
    expect(revisions).toEqual(["2", "3", "4"]);
    const events = drain(cursor);
    expect(events.map(showEvent)).toEqual(["ADDED ctf/web=1", "MODIFIED ctf/web=2", "DELETED ctf/web=2"]);
    expect(events.map(({ previous }) => previous && show(previous))).toEqual([undefined, "ctf/web=1", "ctf/web=2"]);
    expect(events.at(-1)?.object.metadata.resourceVersion).toBe("4");
    expect([notes.get("ctf/web"), notes.newest("ctf/web"), notes.size]).toEqual([undefined, undefined, 0]);
  });

  test("stays the newest when an earlier one of the same object arrives", async () => {
    const first = notes.put(note("ctf", "web", "1"));
    const commit = await disk.held();
    const second = notes.put(note("ctf", "web", "2"));
    commit.succeed();
    await first;
    expect([notes.newest("ctf/web"), notes.get("ctf/web")].map((object) => object && show(object))).toEqual([
      "ctf/web=2",
      "ctf/web=1",
    ]);
    await disk.succeed();
    await second;
    expect(show(notes.get("ctf/web") as never)).toBe("ctf/web=2");
  });

  test("hides what it replaces from who writes next", async () => {
    const put = Promise.all([notes.put(note("a", "x", "1")), notes.put(note("b", "y", "1"))]);
    await disk.succeed();
    await put;
    void notes.put(note("a", "x", "2"));
    void notes.remove("b/y", notes.newest("b/y") as never);
    expect([newest(), newest("a"), newest("b")]).toEqual([["a/x=2"], ["a/x=2"], []]);
    expect(shown(notes.list())).toEqual(["a/x=1", "b/y=1"]);
  });

  test("of something that is not there is refused", async () => {
    const put = notes.put(note("ctf", "web"));
    await disk.succeed();
    await expect(notes.remove("ctf/gone", await put)).rejects.toThrow("cannot remove ctf/gone from notes");
    expect(store.revision).toBe(2);
  });
});

describe("group commit", () => {
  test("takes together what is written in one turn, in order, over all tables", async () => {
    const written = Promise.all([
      notes.put(note("a", "x")),
      store.table("pods").put(note("a", "x")),
      Promise.resolve().then(() => notes.put(note("a", "y"))),
    ]);
    const commit = await disk.held();
    commit.succeed();
    await written;
    expect(commit.writes.map(({ table, key }) => `${table} ${key}`)).toEqual(["notes a/x", "pods a/x", "notes a/y"]);
  });

  test("takes together what gathered while another was under way", async () => {
    const first = notes.put(note("a", "1"));
    const commit = await disk.held();
    const others = [2, 3, 4].map((number) => notes.put(note("a", String(number))));
    commit.succeed();
    await first;
    expect([store.revision, notes.size]).toEqual([2, 1]);
    const next = await disk.held();
    expect(next.writes.map(({ key }) => key)).toEqual(["a/2", "a/3", "a/4"]);
    next.succeed();
    await Promise.all(others);
    expect([store.revision, notes.size]).toEqual([5, 4]);
  });

  test("writes JSON with the resourceVersion in it, and no text for what is gone", async () => {
    const first = notes.put(note("a", "x", "é\0"));
    const last = notes.remove("a/x", notes.newest("a/x") as never);
    const commit = await disk.held();
    expect(JSON.parse(commit.writes[0]?.text as string)).toEqual({
      ...note("a", "x", "é\0"),
      metadata: { name: "x", namespace: "a", uid: "uid-x", resourceVersion: "2" },
    });
    expect(commit.writes[1]).toEqual({ table: "notes", key: "a/x", text: undefined });
    commit.succeed();
    await Promise.all([first, last]);
  });
});

describe("a disk that fails", () => {
  test("fails the write, and nothing of it becomes known", async () => {
    const cursor = notes.watch(store.revision);
    const writing = notes.put(note("ctf", "web"));
    writing.catch(() => {});
    await disk.fail("the disk is full");
    await expect(writing).rejects.toThrow(new DiskError("the disk is full"));
    expect([notes.newest("ctf/web"), newest(), notes.size, drain(cursor), store.revision]).toEqual([
      undefined,
      [],
      0,
      [],
      1,
    ]);
  });

  test("fails what gathered meanwhile too, since it was decided on what never came to be", async () => {
    const pods = store.table("pods");
    const first = notes.put(note("ctf", "web", "1"));
    const commit = await disk.held();
    const others = [notes.put(note("ctf", "web", "2")), pods.put(note("ctf", "web", "1"))];
    commit.fail("the disk is full");
    const results = await Promise.allSettled([first, ...others]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect([notes.newest("ctf/web"), pods.newest("ctf/web")]).toEqual([undefined, undefined]);
    await store[Symbol.asyncDispose]();
    expect([disk.commits, notes.size, pods.size]).toEqual([1, 0, 0]);
  });

  test("is tried again with the next write, whose revision is a new one", async () => {
    const failing = notes.put(note("ctf", "web", "1"));
    failing.catch(() => {});
    await disk.fail("the disk is full");
    await expect(failing).rejects.toThrow();
    const writing = notes.put(note("ctf", "web", "2"));
    await disk.succeed();
    expect((await writing).metadata.resourceVersion).toBe("3");
    expect(drain(notes.watch(1)).map(showEvent)).toEqual(["ADDED ctf/web=2"]);
  });
});

describe("what is stored", () => {
  test("is frozen all the way down", async () => {
    await using store = await openStore({ file: ":memory:", clock: new FakeClock() });
    const written = await store.table("notes").put({ ...note("a", "x"), spec: { list: [{ deep: {} }] } } as never);
    const { spec } = written as unknown as { spec: { list: [{ deep: object }] } };
    const parts = [written, written.metadata, spec, spec.list, spec.list[0], spec.list[0].deep];
    expect(parts.map(Object.isFrozen)).toEqual(parts.map(() => true));
  });

  test("cannot be what JSON cannot say, and that costs no revision", async () => {
    await expect(notes.put({ ...note("a", "x"), big: 1n } as never)).rejects.toThrow("BigInt");
    expect(notes.newest("a/x")).toBe(undefined);
    void notes.put(note("a", "x"));
    expect(notes.newest("a/x")?.metadata.resourceVersion).toBe("2");
  });
});

describe("closing", () => {
  test("waits for what is under way, and refuses what comes then", async () => {
    const written = [notes.put(note("a", "x")), notes.put(note("a", "y"))];
    const closing = store[Symbol.asyncDispose]();
    await expect(notes.put(note("a", "z"))).rejects.toThrow("the store is closed");
    expect(disk.closedAt).toBe(undefined);
    await disk.succeed();
    await Promise.all([...written, closing, store[Symbol.asyncDispose]()]);
    expect([notes.size, disk.closedAt]).toEqual([2, 3]);
  });

  test("tells watchers, also those who wait", async () => {
    const cursor = notes.watch(store.revision);
    const waiting = cursor.wait(new AbortController().signal);
    await store[Symbol.asyncDispose]();
    await waiting;
    expect(() => cursor.next()).toThrow("the store is closed");
  });

  test("says which revisions were given, also to writes that failed", async () => {
    const failing = notes.put(note("a", "x"));
    failing.catch(() => {});
    await disk.fail("the disk is full");
    await expect(failing).rejects.toThrow();
    await store[Symbol.asyncDispose]();
    expect(disk.closedAt).toBe(2);
  });
});
