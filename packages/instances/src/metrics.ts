/** Figures about instances. What is counted now is read from the copies at each scrape, so it is right after a restart. */
import { formatTime, parseTime, type Stored } from "@berg/apimachinery";
import type { Metrics } from "@berg/kube";
import { type ChallengeInstance, type ChallengeInstanceStatus, phases } from "@berg/resources";
import { Counter, Gauge, Histogram } from "prom-client";

export interface InstanceMetrics {
  statusChanged(before: ChallengeInstanceStatus | undefined, after: ChallengeInstanceStatus, now: number): void;
  reconciled(seconds: number, failed: boolean): void;
}

const minutes = 60;
const lifetimes = [1, 5, 15, 30, 60, 120, 240, 480, 1440].map((count) => count * minutes);

export function instanceMetrics(
  metrics: Metrics,
  instances: () => Iterable<Stored<ChallengeInstance>>,
): InstanceMetrics {
  const registers = [metrics.registry];
  const total = new Counter({ name: "berg_challengeinstance_total", help: "Instances created", registers });
  new Gauge({
    name: "berg_challengeinstance_active",
    help: "Instances that are there, by phase",
    labelNames: ["phase"],
    registers,
    collect() {
      if (metrics.isStandby) return this.reset();
      const counts = new Map<string, number>(phases.map((phase) => [phase, 0]));
      for (const { status } of instances()) {
        const phase = status?.phase ?? "Pending";
        counts.set(phase, (counts.get(phase) ?? 0) + 1);
      }
      for (const [phase, count] of counts) this.set({ phase }, count);
    },
  });
  const duration = new Histogram({
    name: "berg_challengeinstance_duration_seconds",
    help: "How long instances lived",
    buckets: lifetimes,
    registers,
  });
  const reconcileDuration = new Histogram({
    name: "berg_challengeinstance_reconcile_duration_seconds",
    help: "How long a reconcile took",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  const errors = new Counter({
    name: "berg_challengeinstance_reconcile_errors_total",
    help: "Reconciles that failed",
    registers,
  });
  const timeouts = new Counter({
    name: "berg_challengeinstance_timeouts_total",
    help: "Instances that ended because their time was up",
    registers,
  });
  const overshoot = new Histogram({
    name: "berg_challengeinstance_expiry_overshoot_seconds",
    help: "How long after their time instances began to end",
    buckets: [0.05, 0.1, 0.5, 1, 2, 5, 30, 300],
    registers,
  });

  return {
    statusChanged(before, after, now) {
      if (before?.instanceId === undefined && after.instanceId !== undefined) total.inc();
      if (before?.terminationReason === undefined && after.terminationReason === "Timeout") {
        timeouts.inc();
        overshoot.observe(Math.max(0, now - parseTime(after.expiresAt ?? formatTime(now))) / 1000);
      }
      if (before?.terminatedAt === undefined && after.terminatedAt !== undefined && after.startedAt !== undefined) {
        duration.observe((parseTime(after.terminatedAt) - parseTime(after.startedAt)) / 1000);
      }
    },
    reconciled(seconds, failed) {
      reconcileDuration.observe(seconds);
      if (failed) errors.inc();
    },
  };
}
