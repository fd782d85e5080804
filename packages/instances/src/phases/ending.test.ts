import { describe, expect, test } from "vitest";
import { makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { decide } from "./decide.ts";
import { endingOf } from "./ending.ts";

const end = startOfTest + 7_200_000;
const lives = makeInstance()
  .held()
  .identified(end)
  .inPhase("Running")
  .withCondition("NamespaceCreated", "True", "Created");
const second = 1000;

describe("an instance ends", () => {
  test.each([
    {
      name: "not by itself before its time",
      seen: makeSnapshot(lives)
        .withNamespace()
        .at(end - 1),
      reason: undefined,
    },
    { name: "when its time is up", seen: makeSnapshot(lives).withNamespace().at(end), reason: "Timeout" },
    {
      name: "at its owner's wish",
      seen: makeSnapshot(lives.deletedAt(startOfTest)).withNamespace(),
      reason: "UserRequest",
    },
    {
      name: "at its owner's wish, where that is looked at only after its time",
      seen: makeSnapshot(lives.deletedAt(end - second))
        .withNamespace()
        .at(end + second),
      reason: "UserRequest",
    },
    {
      name: "at its owner's wish, where our clock is behind the server's, and our time not yet over",
      seen: makeSnapshot(lives.deletedAt(end + second))
        .withNamespace()
        .at(end + 2 * second)
        .ahead(-600 * second),
      reason: "UserRequest",
    },
    {
      name: "at its owner's wish, where that is looked at only after its time, with our clock behind the server's",
      seen: makeSnapshot(lives.deletedAt(end + 599 * second))
        .withNamespace()
        .at(end + 601 * second)
        .ahead(-600 * second),
      reason: "UserRequest",
    },
    {
      name: "by its time, where our clock is ahead of the server's and it was deleted only afterwards",
      seen: makeSnapshot(lives.deletedAt(end - 600 * second))
        .withNamespace()
        .at(end - 599 * second)
        .ahead(600 * second),
      reason: "Timeout",
    },
    {
      name: "by its time, where it was deleted only afterwards",
      seen: makeSnapshot(lives.deletedAt(end))
        .withNamespace()
        .at(end + second),
      reason: "Timeout",
    },
    {
      name: "for the reason that somebody wrote into its spec, even after its time",
      seen: makeSnapshot(lives.withSpec({ terminationReason: "AdminTermination" }))
        .withNamespace()
        .at(end),
      reason: "AdminTermination",
    },
    {
      name: "for the reason that was written first",
      seen: makeSnapshot(
        lives.withSpec({ terminationReason: "AdminTermination" }).withStatus({ terminationReason: "Timeout" }),
      ).withNamespace(),
      reason: "Timeout",
    },
    { name: "where its namespace is gone", seen: makeSnapshot(lives), reason: "Failure" },
    {
      name: "where its namespace is going",
      seen: makeSnapshot(lives).withNamespace(undefined, { deletionTimestamp: "2026-10-01T12:00:00Z" }),
      reason: "Failure",
    },
    {
      name: "where its namespace is another instance's by now",
      seen: makeSnapshot(lives).withNamespace("uid-of-another"),
      reason: "Failure",
    },
    {
      name: "not where its namespace has only lost its labels",
      seen: makeSnapshot(lives).withNamespace(""),
      reason: undefined,
    },
    {
      name: "not where it never had a namespace",
      seen: makeSnapshot(makeInstance().held().identified().inPhase("Creating")),
      reason: undefined,
    },
  ])("$name", ({ seen, reason }) => {
    expect(endingOf(seen.seen)?.reason).toBe(reason);
  });
});

const settings = makeSettings();

test("what was lost is told to the end", () => {
  const going = makeSnapshot(lives).withNamespace(undefined, { deletionTimestamp: "2026-10-01T12:00:00Z" });
  const first = decide(going.seen, settings);
  expect(first).toMatchObject({ effects: [], statusFirst: true, status: { phase: "Terminating" } });
  expect(first.status.message).toMatch(/was deleted by somebody else/);
  const last = decide(makeSnapshot(lives.withStatus(first.status)).seen, settings);
  expect(last.status).toMatchObject({ phase: "Terminated", message: first.status.message });
});

test("the usual words go from what happens to what has happened", () => {
  const first = decide(makeSnapshot(lives).withNamespace().at(end).seen, settings);
  expect(first.status).toMatchObject({
    terminationReason: "Timeout",
    message: "This instance ends because its time is up.",
  });
  const last = decide(makeSnapshot(lives.withStatus(first.status)).at(end).seen, settings);
  expect(last.status).toMatchObject({ phase: "Terminated", message: "This instance ended because its time is up." });
});
