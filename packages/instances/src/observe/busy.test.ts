import { formatTime, type Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import { expect, test } from "vitest";
import { type InstanceBuilder, makeInstance, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { busyForMs } from "./busy.ts";

const second = 1000;
const admitted = (phase: "Pending" | "Creating" | "Starting" | "Running" | "Failed") =>
  makeInstance()
    .createdAt(startOfTest - 600 * second)
    .inPhase(phase)
    .withCondition("Admitted", "True", "Admitted");
const ends = makeInstance()
  .inPhase("Terminating")
  .withStatus({ terminationReason: "Timeout" })
  .withCondition("NamespaceDeleted", "False", "StoppingWorkload");
const namespaceOf = (uid?: string, more = {}) =>
  makeSnapshot(ends).withNamespace(uid, more).seen.namespace as Stored<Namespace>;
const going = { deletionTimestamp: formatTime(startOfTest) };

test.each<[string, InstanceBuilder, Stored<Namespace> | undefined, number | undefined]>([
  ["one that nobody has looked at yet", makeInstance(), undefined, 10],
  ["one that is being made, from when it got its place", admitted("Creating"), namespaceOf(), 10],
  ["one that starts", admitted("Starting"), namespaceOf(), 10],
  ["one that runs: never", admitted("Running"), namespaceOf(), undefined],
  ["one that waits: never", admitted("Pending"), undefined, undefined],
  ["one that has failed: never", admitted("Failed"), undefined, undefined],
  ["one that was to start, and ends: never", admitted("Starting").deletedAt(startOfTest), namespaceOf(), undefined],
  ["one that stops, from when its reason was written", ends, namespaceOf(), 10],
  ["one whose namespace goes: no more", ends, namespaceOf(undefined, going), undefined],
  ["one whose namespace is gone: no more", ends, undefined, undefined],
  ["one whose namespace is another's by now: no more", ends, namespaceOf("uid-of-another"), undefined],
])("%s", (_, { object }, namespace, seconds) => {
  const moment = { now: startOfTest, serverNow: startOfTest };
  expect(busyForMs(object, namespace, moment)).toBe(seconds === undefined ? undefined : seconds * second);
});

test.each([600, 0, -600])("counts from its creation by the server's clock, with our own %i s ahead of it", (ahead) => {
  const after = (seconds: number) => {
    const serverNow = startOfTest + seconds * second;
    return busyForMs(makeInstance().object, undefined, { now: serverNow + ahead * second, serverNow });
  };
  expect([0, 4, 10].map(after)).toEqual([10 * second, 6 * second, undefined]);
});

test("one that another process, with its clock ahead of ours, let start is not counted for longer than others", () => {
  const now = startOfTest - 600 * second;
  expect(busyForMs(admitted("Starting").object, namespaceOf(), { now, serverNow: now })).toBe(10 * second);
});
