import type { Metrics } from "@berg/kube";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { instanceMetrics } from "./metrics.ts";
import { makeInstance, startOfTest } from "./testing/make-objects.ts";

function figures(instances = [makeInstance()]) {
  const registry = new Registry();
  const around = { registry, isStandby: false };
  const metrics = instanceMetrics(around as unknown as Metrics, () => instances.map(({ object }) => object));
  const figure = async (line: string) => {
    const text = await registry.metrics();
    return text
      .split("\n")
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length + 1);
  };
  return { metrics, figure, around };
}

const prefix = "berg_challengeinstance";
const known = { instanceId: "1", startedAt: "2026-10-01T12:00:00Z", expiresAt: "2026-10-01T12:00:00Z" };
const ending = { ...known, terminationReason: "Timeout" as const };
const ended = { ...ending, terminatedAt: "2026-10-01T12:10:00Z" };

test("an instance is counted once, when it gets its id", async () => {
  const { metrics, figure } = figures();
  metrics.statusChanged(undefined, known, startOfTest);
  metrics.statusChanged(known, { ...known, phase: "Running" }, startOfTest);
  expect(await figure(`${prefix}_total`)).toBe("1");
});

test("those that are there are counted by phase when somebody asks, one without a status as waiting", async () => {
  const { figure } = figures([makeInstance(), makeInstance().inPhase("Running"), makeInstance().inPhase("Running")]);
  expect(await figure(`${prefix}_active{phase="Running"}`)).toBe("2");
  expect(await figure(`${prefix}_active{phase="Pending"}`)).toBe("1");
  expect(await figure(`${prefix}_active{phase="Failed"}`)).toBe("0");
});

test("they are counted by the process that leads alone, or a sum would count them twice", async () => {
  const { figure, around } = figures([makeInstance().inPhase("Running")]);
  const counted = async (isStandby: boolean) => {
    around.isStandby = isStandby;
    return figure(`${prefix}_active{phase="Running"}`);
  };
  expect([await counted(true), await counted(false), await counted(true)]).toEqual([undefined, "1", undefined]);
});

test("a timeout is counted once, with how late it was acted on", async () => {
  const { metrics, figure } = figures();
  metrics.statusChanged(known, ending, startOfTest + 400);
  metrics.statusChanged(ending, ended, startOfTest + 600_000);
  expect(await figure(`${prefix}_timeouts_total`)).toBe("1");
  expect(await figure(`${prefix}_expiry_overshoot_seconds_sum`)).toBe("0.4");
});

test("other ends are no timeouts", async () => {
  const { metrics, figure } = figures();
  metrics.statusChanged(known, { ...known, terminationReason: "UserRequest" }, startOfTest);
  expect(await figure(`${prefix}_timeouts_total`)).toBe("0");
});

test("how long it lived is counted once", async () => {
  const { metrics, figure } = figures();
  metrics.statusChanged(ending, ended, startOfTest);
  metrics.statusChanged(ended, { ...ended, observedGeneration: 3 }, startOfTest);
  expect(await figure(`${prefix}_duration_seconds_sum`)).toBe("600");
  expect(await figure(`${prefix}_duration_seconds_count`)).toBe("1");
});

test("reconciles and their failures are counted", async () => {
  const { metrics, figure } = figures();
  metrics.reconciled(0.2, true);
  metrics.reconciled(0.3, false);
  expect(await figure(`${prefix}_reconcile_duration_seconds_count`)).toBe("2");
  expect(await figure(`${prefix}_reconcile_errors_total`)).toBe("1");
});
