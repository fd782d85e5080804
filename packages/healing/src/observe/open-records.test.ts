import { describe, expect, test } from "vitest";
import type { Life } from "../records/runtime-records.ts";
import { MemoryRecords } from "../testing/memory-records.ts";
import { OpenRecords } from "./open-records.ts";

const { signal } = new AbortController();
const life = (more: Partial<Life> = {}): Life => ({
  uid: "1",
  instance: { namespace: "berg", name: "one" },
  namespace: "challenge-1",
  ownerId: "owner",
  challenge: "notes",
  status: "STARTING",
  startedAt: 1000,
  ...more,
});

async function opened() {
  const records = new MemoryRecords();
  const open = new OpenRecords(records.asRecords());
  await open.load(signal);
  return { records, open };
}

describe("open records", () => {
  test("are written where something changes, and not otherwise", async () => {
    const { records, open } = await opened();
    await open.live(life(), signal);
    await open.live(life(), signal);
    await open.pod("1", "web", { uid: "a", restarts: 0 }, signal);
    await open.pod("1", "web", { uid: "a", restarts: 0 }, signal);
    await open.live(life({ status: "RUNNING" }), signal);
    await open.live(life({ status: "RUNNING", reservedUntil: 9 }), signal);
    await open.pod("1", "web", { uid: "a", restarts: 1 }, signal);
    await open.pod("1", "web", { uid: "b", restarts: 0 }, signal);
    await open.pod("1", "web", { uid: "b", restarts: 0 }, signal);
    expect(records.calls).toEqual([
      "live STARTING",
      "pod web a 0",
      "live RUNNING",
      "live RUNNING",
      "pod web a 1",
      "pod web b 0",
    ]);
    expect(open.get("1")).toEqual(records.get("1"));
  });

  test("are found again by the next process, and not written anew", async () => {
    const { records, open } = await opened();
    await open.live(life({ status: "RUNNING" }), signal);
    await open.pod("1", "web", { uid: "a", restarts: 2 }, signal);
    const next = new OpenRecords(records.asRecords());
    expect([next.isLoaded, next.size]).toEqual([false, 0]);
    await next.load(signal);
    expect([next.isLoaded, next.uids()]).toEqual([true, ["1"]]);
    const before = records.calls.length;
    await next.live(life({ status: "RUNNING" }), signal);
    await next.pod("1", "web", { uid: "a", restarts: 2 }, signal);
    expect(records.calls).toHaveLength(before);
  });

  test("are not those that could not be opened", async () => {
    const { records, open } = await opened();
    const gone = new OpenRecords({ ...records.asRecords(), live: async () => false });
    await gone.load(signal);
    expect([await gone.live(life(), signal), gone.size]).toEqual([false, 0]);
    expect([await open.live(life(), signal), open.size]).toEqual([true, 1]);
  });

  test("nothing is noted of a pod whose record is not open", async () => {
    const { records, open } = await opened();
    await open.pod("1", "web", { uid: "a", restarts: 0 }, signal);
    expect(records.calls).toEqual([]);
  });

  test("one that is closed while all are read stays closed", async () => {
    const { records, open } = await opened();
    await open.live(life(), signal);
    const reading = Promise.withResolvers<void>();
    const slow = { ...records.asRecords(), open: () => reading.promise.then(() => found) };
    const found = records.open();
    const other = new OpenRecords(slow);
    const loading = other.load(signal);
    expect(await other.stop("1", 2000, signal)).toBe(true);
    reading.resolve();
    await loading;
    expect(other.uids()).toEqual([]);
  });

  test("one that is closed and opened again while all are read is open", async () => {
    const records = new MemoryRecords();
    const reading = Promise.withResolvers<void>();
    const open = new OpenRecords({ ...records.asRecords(), open: () => reading.promise.then(() => records.open()) });
    const loading = open.load(signal);
    await open.live(life(), signal);
    await open.stop("1", 2000, signal);
    await open.live(life(), signal);
    reading.resolve();
    await loading;
    expect(open.uids()).toEqual(["1"]);
  });
});
