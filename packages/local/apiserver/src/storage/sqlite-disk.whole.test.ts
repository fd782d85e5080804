import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { drain, note, shown } from "./fixtures.ts";
import { openStore } from "./open-store.ts";
import { SqliteDisk } from "./sqlite-disk.ts";
import { Compacted, type Store } from "./table.ts";

const writer = fileURLToPath(new URL("./testing/write-until-killed.ts", import.meta.url));

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "berg-store-"));
  file = join(directory, "store.db");
});

afterEach(() => rmSync(directory, { recursive: true }));

const open = () => openStore({ file, clock: new FakeClock() });

/** Changes the file while no store has it open. */
function edit(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

/** From now on `file` is what the disk holds at this moment. */
function asIfKilled(): void {
  const copy = `${file}.copy`;
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
  file = copy;
}

async function withStore<T>(use: (store: Store) => Promise<T> | T): Promise<T> {
  await using store = await open();
  return await use(store);
}

describe("a store that is opened again", () => {
  test("has everything that was in it, and goes on with its revisions", async () => {
    await withStore(async (store) => {
      expect(store.revision).toBe(1);
      await store.table("notes").put(note("b", "x", "1"));
      await store.table("notes").put(note("a", "x", 'é\0"\ud83d\ude00'));
      await store.table("notes").put(note("b", "x", "2"));
      await store.table("deployments.apps").put(note("a", "x", "3"));
    });
    await withStore(async (store) => {
      expect(store.revision).toBe(5);
      expect(shown(store.table("notes").list())).toEqual(['a/x=é\0"\ud83d\ude00', "b/x=2"]);
      expect(shown(store.table("deployments.apps").list())).toEqual(["a/x=3"]);
      const stored = store.table("notes").get("b/x");
      expect([stored?.metadata.resourceVersion, Object.isFrozen(stored?.metadata)]).toEqual(["4", true]);
      expect((await store.table("notes").put(note("c", "x"))).metadata.resourceVersion).toBe("6");
    });
  });

  test("does not give the revision of what was newest again, though it is gone", async () => {
    await withStore(async (store) => {
      const last = await store.table("notes").put(note("a", "x"));
      await store.table("notes").remove("a/x", last);
    });
    await withStore(async (store) => {
      expect([store.revision, store.table("notes").size]).toEqual([3, 0]);
      expect((await store.table("notes").put(note("a", "x"))).metadata.resourceVersion).toBe("4");
    });
  });

  test("leaves room for revisions that were under way each time that it was not closed", async () => {
    await withStore(async (store) => {
      await store.table("notes").put(note("a", "x"));
      await store.table("notes").put(note("a", "x"));
      asIfKilled();
    });
    await withStore((store) => {
      expect(store.revision).toBe(1_000_003);
      asIfKilled();
    });
    await withStore((store) => expect(store.revision).toBe(2_000_003));
    await withStore((store) => expect(store.revision).toBe(2_000_003));
  });

  test("has forgotten its history", async () => {
    await withStore((store) => store.table("notes").put(note("a", "x")));
    await withStore((store) => {
      expect(() => store.table("notes").watch(1)).toThrow(new Compacted(1, 2));
      expect(() => store.table("notes").listAt(1)).toThrow(Compacted);
      expect(drain(store.table("notes").watch(2))).toEqual([]);
    });
  });

  test("is there in a second with 10,000 objects of 2 KB", async () => {
    await withStore(async (store) => {
      const text = "x".repeat(2_000);
      const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => store.table("notes").put(note("a", name, text))));
    });
    const took: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      await withStore((store) => {
        took.push(performance.now() - start);
        expect(store.table("notes").size).toBe(10_000);
      });
    }
    // The best of three: other tests run at the same time.
    expect(Math.min(...took)).toBeLessThan(1_000);
  });
});

describe("a store under way", () => {
  test("is a file that only its owner reads: secrets are in it", async () => {
    await withStore(async (store) => {
      await store.table("secrets").put(note("a", "x"));
      expect([file, `${file}-wal`].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    });
  });

  test("is refused to another process, and to a second store of this one", async () => {
    await using store = await open();
    const other = () => spawnSync(process.execPath, [writer, file], { encoding: "utf8", timeout: 10_000 });
    const { status, stderr } = other();
    const held = new RegExp(`cannot open ${file}: it is in use by process ${process.pid} .*; stop that one`);
    expect([status, stderr]).toEqual([1, expect.stringMatching(held)]);
    await expect(open()).rejects.toThrow(held);
    await store.table("notes").put(note("a", "x"));
    expect(other().status).toBe(1);
  });

  test.each(["ABORT", "ROLLBACK"])(
    "goes on after a write that failed with %s, and kept nothing of it",
    async (kind) => {
      await withStore((store) => store.table("notes").put(note("a", "good", "1")));
      edit(
        `CREATE TRIGGER full BEFORE INSERT ON objects WHEN NEW.key = 'a/bad' BEGIN SELECT RAISE(${kind}, 'no room'); END`,
      );
      await withStore(async (store) => {
        const notes = store.table("notes");
        const writes = [notes.put(note("a", "good", "2")), notes.put(note("a", "bad")), notes.put(note("a", "new"))];
        const results = await Promise.allSettled(writes);
        expect(results.map((result) => result.status === "rejected" && result.reason.message)).toEqual(
          writes.map(() => `cannot write to ${file}: the disk failed (no room)`),
        );
        expect(shown(notes.list())).toEqual(["a/good=1"]);
        await notes.put(note("a", "good", "3"));
        expect(shown(notes.list())).toEqual(["a/good=3"]);
      });
      await withStore((store) => expect(shown(store.table("notes").list())).toEqual(["a/good=3"]));
    },
  );

  test("can be closed while writes are under way: those are kept", async () => {
    const store = await open();
    const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
    const writes = names.map((name) => store.table("notes").put(note("a", name)));
    await Promise.all([store[Symbol.asyncDispose](), ...writes]);
    await withStore((store) => expect(store.table("notes").size).toBe(500));
  });
});

test("a thread that has ended is a failure of the disk", async () => {
  const disk = new SqliteDisk(file);
  const revision = await disk.open();
  await disk.close(revision);
  await expect(disk.commit([], revision + 1)).rejects.toThrow(`the thread that writes ${file} has ended`);
});

describe("a file that is not a store", () => {
  const cases: [string, () => void, string][] = [
    ["some other file", () => writeFileSync(file, "hello ".repeat(1_000)), "it is not a SQLite file"],
    [
      "another database",
      () => edit("CREATE TABLE users (name TEXT)"),
      "it has format 0, and this version knows only 1",
    ],
    ["one of a later version", () => edit("CREATE TABLE x (y); PRAGMA user_version = 7"), "it has format 7"],
    ["a directory", () => (file = directory), "it cannot be opened; see that its directory is there"],
    ["in no directory", () => (file = join(directory, "no/store.db")), "it cannot be opened"],
  ];
  test.each(cases)("%s is refused and left alone", async (_, make, want) => {
    make();
    await expect(open()).rejects.toThrow(`cannot open ${file}: ${want}`);
  });

  test("leaves no thread behind, in a process started with whatever options", () => {
    const module = JSON.stringify(join(import.meta.dirname, "open-store.ts"));
    const script = `const { openStore } = await import(${module}); await openStore({ file: ${JSON.stringify(directory)}, clock: { monotonic: () => 0 } }).catch((error) => console.log(error.message))`;
    const options = { encoding: "utf8", timeout: 10_000 } as const;
    const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], options);
    expect([status, stdout]).toEqual([0, expect.stringContaining("it cannot be opened")]);
  });

  test("is opened after all when it is put right: nothing was left locked", async () => {
    writeFileSync(file, "hello ".repeat(1_000));
    await expect(open()).rejects.toThrow("it is not a SQLite file");
    rmSync(file);
    await withStore((store) => expect(store.revision).toBe(1));
  });

  test("that is damaged is refused", async () => {
    await withStore((store) => store.table("notes").put(note("a", "x", "y".repeat(20_000))));
    writeFileSync(file, Buffer.alloc(8_192, 0xff), { flag: "r+" });
    await expect(open()).rejects.toThrow("it is not a SQLite file");
  });

  test("with something else than JSON in it is refused, without telling what: it may be secret", async () => {
    await withStore((store) => store.table("secrets").put(note("a", "x")));
    edit("UPDATE objects SET value = 'hunter2'");
    const opening = open();
    await expect(opening).rejects.toThrow("what it holds as secrets a/x is not JSON");
    await expect(opening).rejects.not.toThrow("hunter2");
    await expect(open()).rejects.toThrow("is not JSON");
  });
});
