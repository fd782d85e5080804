import { FakeClock } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { PublicChanges } from "./public-changes.ts";

let clock: FakeClock;
let log: PublicChanges;
beforeEach(() => {
  clock = new FakeClock();
  log = new PublicChanges(clock);
});

const record = (id: string, audience: "all" | "admins" = "all") =>
  log.record({ type: "player-delete", message: id }, audience);
const rename = (id: string, name: string) =>
  log.record({ type: "player", message: { id, name, attributes: {} } }, "all");
const idsSince = (version: string, isAdmin = false) => log.since(version, isAdmin)?.changes.map(({ id }) => id);

test("a version is followed by what changed since, each object once, in the order of its last change", () => {
  const start = log.version;
  for (const id of ["a", "b", "c"]) record(id);
  rename("a", "Ada");
  expect(idsSince(start)).toEqual(["b", "c", "a"]);
  const middle = log.version;
  expect(log.since(middle, false)).toBeUndefined();
  record("d");
  const tick = log.since(middle, false);
  expect(tick).toEqual({
    version: log.version,
    reload: false,
    changes: [{ type: "player", id: "d", version: log.version }],
  });
  expect(log.after(log.last - 1).map(({ text }) => text)).toEqual(['{"type":"player-delete","message":"d"}']);
});

test("a message that repeats the last one about its object is no change", () => {
  expect([rename("a", "Ada"), rename("a", "Ada"), rename("b", "Ada"), rename("a", "Eve"), rename("a", "Ada")]).toEqual([
    ...[true, false, true, true, true],
  ]);
});

describe("everything is to be reloaded", () => {
  test.each([
    ["an empty version", ""],
    ["text", "yesterday"],
    ["another process", "0123456789ab.0"],
    ["a number alone", "0"],
    ["more than a version", "0123456789ab.0.0"],
  ])("after %s", (_, version) => {
    expect(log.since(version, false)).toEqual({ version: log.version, reload: true, changes: [] });
  });

  test("after a version that is ahead", () => {
    expect(log.since(log.version.replace(/0$/, "1"), false)?.reload).toBe(true);
  });

  test("after one that is older than the log, which is bounded", () => {
    const start = log.version;
    record("first");
    const second = log.version;
    for (let i = 0; i < 999; i++) record(String(i));
    expect(idsSince(start)).toHaveLength(1_000);
    record("one more");
    expect(log.since(start, false)?.reload).toBe(true);
    expect(idsSince(second)).toHaveLength(1_000);
  });

  test("after a restart, and what was known before is news again", () => {
    rename("a", "Ada");
    const before = log.version;
    log.restart();
    expect(log.since(before, false)?.reload).toBe(true);
    expect(rename("a", "Ada")).toBe(true);
  });
});

test("what is for admins is in the ticks of admins alone", () => {
  const start = log.version;
  record("a", "admins");
  expect(log.since(start, false)).toBeUndefined();
  record("b");
  expect([idsSince(start), idsSince(start, true)]).toEqual([["b"], ["a", "b"]]);
});

test("the recent version is that of a minute ago, if the log was there", async () => {
  expect(log.since(log.recentVersion(), false)?.reload).toBe(true);
  record("old");
  await clock.advance(60_000);
  record("new");
  expect(idsSince(log.recentVersion())).toEqual(["new"]);
  await clock.advance(60_000);
  expect(log.recentVersion()).toBe(log.version);
});
