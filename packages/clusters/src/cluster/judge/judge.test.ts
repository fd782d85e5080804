import { describe, expect, test } from "vitest";
import type { ShootLastOperation, ShootStatus } from "../../gardener/kinds.ts";
import { annotations } from "../../vocabulary.ts";
import { makeCluster, makeShoot } from "../testing/make-objects.ts";
import { judge } from "./judge.ts";
import { oneMore, retriesOf } from "./retries.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace(/\.\d+/, "");
const cluster = makeCluster();
const ready = makeCluster({ status: { provisioningCompletedAt: minutesAgo(60) } });

function operation(state: ShootLastOperation["state"], more: Partial<ShootLastOperation> = {}): ShootLastOperation {
  return { type: "Create", state, progress: 40, description: "at work", lastUpdateTime: minutesAgo(1), ...more };
}

function condition(type: string, status: string, minutes = 10) {
  return { type, status, reason: "R", message: `${type} says ${status}`, lastTransitionTime: minutesAgo(minutes) };
}

const judged = (status: ShootStatus | undefined, of = cluster) =>
  judge(makeShoot(of, status && { observedGeneration: 1, ...status }), of, now);

describe("a Shoot", () => {
  const table: { name: string; status?: ShootStatus; phase: string; health: string; done?: boolean }[] = [
    { name: "that Gardener has not seen", phase: "Provisioning", health: "Unknown/Settling" },
    {
      name: "at work",
      status: { lastOperation: operation("Processing") },
      phase: "Provisioning",
      health: "Unknown/Settling",
    },
    {
      name: "that waits",
      status: { lastOperation: operation("Pending") },
      phase: "Provisioning",
      health: "Unknown/Settling",
    },
    {
      name: "that was stopped",
      status: { lastOperation: operation("Aborted") },
      phase: "Provisioning",
      health: "Unknown/Settling",
    },
    {
      name: "whose spec is newer than what was done",
      status: { observedGeneration: 0, lastOperation: operation("Succeeded") },
      phase: "Provisioning",
      health: "Unknown/Settling",
    },
    {
      name: "that meets errors",
      status: {
        lastOperation: operation("Error"),
        lastErrors: [{ description: "x", codes: ["ERR_INFRA_RATE_LIMITS_EXCEEDED"] }],
      },
      phase: "Provisioning",
      health: "False/ERR_INFRA_RATE_LIMITS_EXCEEDED",
    },
    {
      name: "that meets errors without a code",
      status: { lastOperation: operation("Error"), lastErrors: [{ description: "x" }] },
      phase: "Provisioning",
      health: "False/OperationError",
    },
    {
      name: "that sleeps",
      status: {
        lastOperation: operation("Succeeded"),
        hibernated: true,
        conditions: [condition("EveryNodeReady", "False")],
      },
      phase: "Ready",
      health: "False/Hibernated",
      done: true,
    },
  ];
  test.each(table)("$name: $phase, $health", ({ status, phase, health, done = false }) => {
    const { phase: is, health: found, isDone } = judged(status);
    expect([is, `${found.status}/${found.reason}`, isDone]).toEqual([phase, health, done]);
  });

  const [well, unknown, settling] = ["True/Healthy", "Unknown/Unknown", "Unknown/Settling"] as const;
  const unwell = "False/Unhealthy";
  const a = (status: string, minutes?: number) => condition("A", status, minutes);
  const b = (status: string, minutes?: number) => condition("B", status, minutes);
  const done: { name: string; conditions: ReturnType<typeof a>[]; first: string[]; later: string[] }[] = [
    { name: "well", conditions: [a("True"), b("True")], first: ["Ready", well], later: ["Ready", well] },
    {
      name: "well in part, and given time in part",
      conditions: [a("True"), b("Progressing")],
      first: ["Provisioning", settling],
      later: ["Ready", well],
    },
    {
      name: "well in part, and unknown in part",
      conditions: [a("True"), b("Unknown")],
      first: ["Provisioning", unknown],
      later: ["Ready", unknown],
    },
    {
      name: "given time in part, and unknown in part",
      conditions: [a("Progressing"), b("Unknown")],
      first: ["Provisioning", unknown],
      later: ["Ready", unknown],
    },
    { name: "not looked at", conditions: [], first: ["Provisioning", settling], later: ["Ready", well] },
    {
      name: "unwell for a moment",
      conditions: [a("True"), b("False", 4)],
      first: ["Provisioning", unwell],
      later: ["Ready", unwell],
    },
    {
      name: "unwell for long",
      conditions: [a("True"), b("False", 5)],
      first: ["Degraded", unwell],
      later: ["Degraded", unwell],
    },
  ];
  test.each(done)("that is done and $name: $first before it was ready, $later afterwards", (row) => {
    const status = { lastOperation: operation("Succeeded"), conditions: row.conditions };
    for (const [of, wanted] of [[cluster, row.first] as const, [ready, row.later] as const]) {
      const { phase, health, isDone } = judged(status, of);
      expect([phase, `${health.status}/${health.reason}`, isDone]).toEqual([...wanted, true]);
    }
  });

  test.each([
    { name: "unknown", conditions: [a("True"), b("Unknown")], health: unknown },
    { name: "given time", conditions: [a("Progressing")], health: well },
    { name: "not looked at", conditions: [], health: well },
  ])("that is done and $name for long is not waited for", ({ conditions, health: wanted }) => {
    const after = (minutes: number) =>
      judged({ lastOperation: operation("Succeeded", { lastUpdateTime: minutesAgo(minutes) }), conditions });
    expect(after(4)).toMatchObject({ phase: "Provisioning", until: now + 60_000 });
    const { phase, health, until } = after(5);
    expect([phase, `${health.status}/${health.reason}`, until]).toEqual(["Ready", wanted, undefined]);
  });

  test("that was ready once is updated, and not made", () => {
    expect(judged({ lastOperation: operation("Processing", { type: "Reconcile" }) }, ready).phase).toBe("Updating");
  });

  test("that is unwell for a moment is looked at again when the moment is over", () => {
    const { until } = judged({ lastOperation: operation("Succeeded"), conditions: [condition("A", "False", 4)] });
    expect(until).toBe(now + 60_000);
  });
});

describe("a Shoot that Gardener has given up", () => {
  const failed = (codes: string[], minutes = 0): ShootStatus => ({
    lastOperation: operation("Failed", { lastUpdateTime: minutesAgo(minutes) }),
    lastErrors: [{ description: "boom", codes }],
  });

  test.each([
    "ERR_INFRA_UNAUTHENTICATED",
    "ERR_INFRA_UNAUTHORIZED",
    "ERR_INFRA_QUOTA_EXCEEDED",
    "ERR_INFRA_DEPENDENCIES",
    "ERR_CONFIGURATION_PROBLEM",
    "ERR_PROBLEMATIC_WEBHOOK",
  ])("with %s needs somebody", (code) => {
    const { phase, health, retryAt, isUserError, codes } = judged(failed([code]));
    expect({ phase, reason: health.reason, retryAt, isUserError, codes }).toEqual({
      phase: "Failed",
      reason: code,
      retryAt: undefined,
      isUserError: true,
      codes: [code],
    });
  });

  test.each([
    ["ERR_INFRA_RATE_LIMITS_EXCEEDED"],
    ["ERR_RETRYABLE_INFRA_DEPENDENCIES"],
    ["ERR_RETRYABLE_CONFIGURATION_PROBLEM"],
    ["ERR_INFRA_RESOURCES_DEPLETED"],
    ["ERR_CLEANUP_CLUSTER_RESOURCES"],
    [],
  ])("with %s is tried again after 5 minutes", (...codes) => {
    const { phase, retryAt, isUserError } = judged(failed(codes));
    expect({ phase, retryAt, isUserError }).toEqual({
      phase: "Provisioning",
      retryAt: now + 5 * 60_000,
      isUserError: false,
    });
  });

  test("with one code of each kind needs somebody", () => {
    expect(judged(failed(["ERR_INFRA_RATE_LIMITS_EXCEEDED", "ERR_INFRA_UNAUTHORIZED"])).phase).toBe("Failed");
  });

  test("is tried again three times, ever later, and then no more; a changed spec begins anew", () => {
    const shoot = makeShoot(cluster, { observedGeneration: 1, ...failed([]) });
    const waits: (number | undefined)[] = [];
    for (let time = 0; time < 4; time++) {
      const { retryAt, phase } = judge(shoot, cluster, now);
      waits.push(retryAt && (retryAt - now) / 60_000);
      expect(phase).toBe(retryAt === undefined ? "Failed" : "Provisioning");
      const notes = { [annotations.retries]: oneMore(retriesOf(shoot, cluster), cluster, minutesAgo(0)) };
      shoot.metadata.annotations = { ...shoot.metadata.annotations, ...notes };
    }
    expect(waits).toEqual([5, 30, 120, undefined]);
    expect(judge(shoot, makeCluster({ generation: 2 }), now).retryAt).toBe(now + 5 * 60_000);
  });

  test.each(["", "rubbish", "1:x:y", "1:2"])("a note of %j about retries counts for nothing", (note) => {
    const shoot = makeShoot(cluster);
    shoot.metadata.annotations = { [annotations.retries]: note };
    expect(retriesOf(shoot, cluster).count).toBe(0);
  });
});
