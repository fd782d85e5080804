import { describe, expect, test } from "vitest";
import { makeInstance, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { leavingRival, strongerRival } from "./rivals.ts";

const me = makeInstance("me", "owner").named("me", "uid-5");
const older = me.named("older", "uid-6").createdAt(startOfTest - 1000);
const younger = me.named("younger", "uid-1").createdAt(startOfTest + 1000);
const twin = me.named("twin", "uid-4");
const started = { phase: "Creating" as const, revision: "r" };

describe("an instance gives way to", () => {
  test.each([
    { name: "nobody, where it is alone", rivals: [], to: undefined },
    { name: "an older one", rivals: [older], to: "older" },
    { name: "no younger one", rivals: [younger], to: undefined },
    { name: "one of the same second with a lower UID", rivals: [twin], to: "twin" },
    { name: "no one of the same second with a higher UID", rivals: [me.named("other", "uid-9")], to: undefined },
    { name: "one that has started, however young", rivals: [younger.withStatus(started)], to: "younger" },
    {
      name: "no younger one that has failed",
      rivals: [younger.withStatus({ ...started, phase: "Failed" })],
      to: undefined,
    },
    { name: "none that is ending", rivals: [older.deletedAt(startOfTest)], to: undefined },
    {
      name: "none that was asked to end",
      rivals: [older.withSpec({ terminationReason: "UserRequest" })],
      to: undefined,
    },
  ])("$name", ({ rivals, to }) => {
    expect(strongerRival(makeSnapshot(me).withRivals(...rivals).seen)?.metadata.name).toBe(to);
  });
});

test("one that has started keeps its place", () => {
  const seen = makeSnapshot(me.withStatus(started)).withRivals(older, twin).seen;
  expect(strongerRival(seen)).toBeUndefined();
});

test("of two that have both started, the one whose namespace is there keeps it", () => {
  const made = younger
    .withStatus({ ...started, phase: "Running" })
    .withCondition("NamespaceCreated", "True", "Created");
  expect(strongerRival(makeSnapshot(me.withStatus(started)).withRivals(made).seen)?.metadata.name).toBe("younger");
});

test("in whatever order they are found, the same one is named", () => {
  const oldest = me.named("oldest", "uid-7").createdAt(startOfTest - 2000);
  for (const rivals of [
    [oldest, older],
    [older, oldest],
  ]) {
    expect(strongerRival(makeSnapshot(me).withRivals(...rivals).seen)?.metadata.name).toBe("oldest");
  }
});

test("one that leaves is waited for where it may have made something", () => {
  const leaving = older.deletedAt(startOfTest);
  expect(leavingRival(makeSnapshot(me).withRivals(leaving).seen)).toBeUndefined();
  expect(leavingRival(makeSnapshot(me).withRivals(older.withStatus(started)).seen)).toBeUndefined();
  expect(leavingRival(makeSnapshot(me).withRivals(leaving.withStatus(started)).seen)?.metadata.name).toBe("older");
});
