import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@berg/kube";
import { FakeClock, settle } from "@berg/kube/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryRecords } from "../../testing/memory-records.ts";
import type { RuntimeRecords } from "../runtime-records.ts";
import { lifeNumber } from "../testing/place.ts";
import { openDatabaseRecords } from "./database-records.ts";
import { LateRecords } from "./late-records.ts";

let clock: FakeClock;
let stop: AbortController;
let lines: { error?: string; tryAgainSeconds?: number }[];
beforeEach(() => {
  clock = new FakeClock();
  stop = new AbortController();
  lines = [];
});
afterEach(() => stop.abort());

const late = (open: () => Promise<RuntimeRecords>) => {
  const log = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  return new LateRecords(open, { clock, log, stop: stop.signal });
};
const refused = async () => Promise.reject(new Error("nothing listens there"));

test("a database that comes later is opened then, and has what was asked for meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "berg-late-"));
  const inTheWay = join(folder, "records");
  await writeFile(inTheWay, "");
  await using records = late(() => openDatabaseRecords({ database: join(inTheWay, "records.db") }));
  const written = records.live(lifeNumber(1));
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]?.error).toContain("cannot open the database file");
  expect(records.isOpen).toBe(false);
  await rm(inTheWay);
  await clock.advance(1000);
  await written;
  expect([records.isOpen, (await records.open()).length]).toEqual([true, 1]);
  expect(await records.get(lifeNumber(1).uid)).toMatchObject({ status: lifeNumber(1).status });
  await rm(folder, { recursive: true });
});

test("it is tried less and less often, every ten seconds at last", async () => {
  let tries = 0;
  late(async () => {
    tries++;
    return refused();
  });
  await clock.advance(1000 + 2000 + 4000 + 8000 + 10_000);
  expect(lines.map(({ tryAgainSeconds }) => tryAgainSeconds)).toEqual([1, 2, 4, 8, 10, 10]);
  await clock.advance(30_000);
  expect(tries).toBe(9);
});

test.each(["live", "pod", "stop", "get", "open"] as const)("what calls %s gives up with its signal", async (call) => {
  const records = late(refused);
  const caller = new AbortController();
  const calls = {
    live: () => records.live(lifeNumber(1), caller.signal),
    pod: () => records.pod("1", "web", { uid: "a", restarts: 0 }, caller.signal),
    stop: () => records.stop("1", 1, caller.signal),
    get: () => records.get("1", caller.signal),
    open: () => records.open(caller.signal),
  };
  const asked = expect(calls[call]()).rejects.toThrow("too late");
  caller.abort(new Error("too late"));
  await asked;
});

test("nobody waits any longer when the process stops, and nothing is tried any more", async () => {
  const records = late(refused);
  const asked = expect(records.open()).rejects.toThrow("told to stop");
  await settle();
  stop.abort(new Error("told to stop"));
  await asked;
  expect(clock.timers).toBe(0);
  await records[Symbol.asyncDispose]();
});

test("closed before it was open, it waits for nothing, and closes what is opened too late", async () => {
  const opening = Promise.withResolvers<RuntimeRecords>();
  const records = late(() => opening.promise);
  await records[Symbol.asyncDispose]();
  const closed = vi.fn(async () => {});
  opening.resolve({ ...new MemoryRecords().asRecords(), [Symbol.asyncDispose]: closed });
  await settle();
  expect([closed.mock.calls.length, records.isOpen]).toEqual([1, false]);
});

test("closed, it closes what it has opened", async () => {
  const closed = vi.fn(async () => {});
  const records = late(async () => ({ ...new MemoryRecords().asRecords(), [Symbol.asyncDispose]: closed }));
  await records.open();
  await records[Symbol.asyncDispose]();
  expect(closed).toHaveBeenCalledOnce();
});
