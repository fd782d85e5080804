import { type Logger, silentLogger } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import type { ChallengeInstanceStatus } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { logStart, logStatusChange } from "./instance-log.ts";
import { readSettings } from "./settings/read-settings.ts";
import { begin } from "./testing/begin.ts";
import { makeInstance } from "./testing/make-objects.ts";

const flag = "flag{never-logged}";
const startedAt = "2026-10-01T12:00:00Z";

function linesOf(before: ChallengeInstanceStatus | undefined, after: ChallengeInstanceStatus) {
  const lines: Record<string, unknown>[] = [];
  const log: Logger = {
    ...silentLogger,
    info: (fields, message) => void lines.push(JSON.parse(JSON.stringify({ message, ...fields }))),
  };
  const { object } = makeInstance().withSpec({ flag });
  logStatusChange(log, before ? { ...object, status: before } : object, after);
  return lines;
}

const subject = {
  instance: "berg/jar-of-ann",
  owner: makeInstance().object.spec.ownerId,
  challenge: "cookie-jar",
};

describe("a change of an instance is one line", () => {
  test("where it becomes Running, with the time that took", () => {
    const before = { phase: "Starting", startedAt } as const;
    expect(linesOf(before, { phase: "Running", startedAt, readyAt: "2026-10-01T12:00:07Z" })).toEqual([
      {
        message: "instance phase changed",
        ...subject,
        phase: "Running",
        previousPhase: "Starting",
        secondsToRunning: 7,
      },
    ]);
  });

  test("where it is refused, with the reason and without the words", () => {
    const lines = linesOf(undefined, { phase: "Failed", reason: "OwnerBusy", message: `not because of ${flag}` });
    expect(lines).toEqual([{ message: "instance phase changed", ...subject, phase: "Failed", reason: "OwnerBusy" }]);
  });

  test("where only the reason changes", () => {
    const before = { phase: "Running", startedAt, readyAt: startedAt } as const;
    expect(linesOf(before, { ...before, reason: "ContainerCrashes" })).toMatchObject([
      { message: "instance reason changed", phase: "Running", reason: "ContainerCrashes" },
    ]);
  });

  test("where it has ended, with how long it lived", () => {
    const before = { phase: "Terminating", startedAt, terminationReason: "Timeout" } as const;
    const after = { ...before, phase: "Terminated", terminatedAt: "2026-10-01T14:00:03Z" } as const;
    expect(linesOf(before, after)).toMatchObject([
      { phase: "Terminated", terminationReason: "Timeout", lifetimeSeconds: 7203 },
    ]);
  });

  test("where its expiry changes, or is refused to", () => {
    const started = { at: startedAt, expiresAt: "2026-10-01T14:00:00Z", reason: "Started" };
    const refused = { at: startedAt, expiresAt: "2026-10-01T14:00:00Z", reason: "RenewalRefused" };
    const before = { phase: "Running", startedAt, history: [started] } as const;
    expect(linesOf({ ...before, history: [started] }, { ...before, history: [started, refused] })).toEqual([
      {
        message: "instance expiry changed",
        ...subject,
        reason: "RenewalRefused",
        expiresAt: "2026-10-01T14:00:00Z",
      },
    ]);
  });

  test("where nothing of that changes, there is none", () => {
    const before = { phase: "Running", startedAt } as const;
    expect(linesOf(before, { ...before, observedGeneration: 2 })).toEqual([]);
  });
});

test("at the start the version and the settings are logged, durations as they are written", () => {
  const lines: object[] = [];
  const log: Logger = { ...silentLogger, info: (fields, message) => void lines.push({ message, ...fields }) };
  logStart(log, readSettings({ CHALLENGE_INSTANCE_TIMEOUT: "90m", MAX_INSTANCES: "7" }));
  logStart(log, readSettings({ CHALLENGE_INSTANCE_TIMEOUT: "none" }));
  expect(JSON.parse(JSON.stringify(lines))).toMatchObject([
    {
      message: "instance controller starts",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      settings: { maxInstances: 7, expiry: { timeout: "1h30m0s" }, build: { gateway: { name: "berg-gateway" } } },
    },
    { settings: { expiry: { timeout: "none" } } },
  ]);
});

test("a whole life is logged once, though every status write is tried twice, and the flag is nowhere", async () => {
  const { controller, cluster, create, edit, remove } = begin();
  const updates = new Set<number>();
  controller.client.beforeWrite = ({ verb }) => {
    if (verb !== "update" || updates.has(cluster.changes.length)) return;
    updates.add(cluster.changes.length);
    throw refusal(409, { reason: "Conflict" });
  };
  create("a");
  edit("a", ({ spec }) => Object.assign(spec, { flag }));
  await controller.settle();
  edit("a", ({ spec }) => Object.assign(spec, { renewals: 1 }));
  await controller.settle();
  remove("a");
  await controller.settle();
  expect(updates.size).toBeGreaterThan(4);
  const lines = controller.logged.map((line) => JSON.parse(line));
  // It is never Starting here: the pods are ready before the write that says so succeeds.
  expect(lines.map(({ message, phase, reason }) => [message, phase ?? reason].join(": "))).toEqual([
    "instance expiry changed: Started",
    "instance phase changed: Creating",
    "instance phase changed: Running",
    "instance expiry changed: Renewed",
    "instance phase changed: Terminating",
    "instance phase changed: Terminated",
  ]);
  expect(controller.logged.join()).not.toContain(flag);
});
