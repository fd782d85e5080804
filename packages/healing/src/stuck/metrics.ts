import { findCondition, type Informer, type Metrics } from "@berg/kube";
import { type ChallengeInstance, foreignConditions } from "@berg/resources";
import { Gauge } from "prom-client";
import { metricNames, stuckReasons } from "../vocabulary.ts";

/** Read from the copies at each scrape, so it is right after a restart. */
export function stuckMetrics(metrics: Metrics, instances: Pick<Informer<ChallengeInstance>, "list">): void {
  new Gauge({
    name: metricNames.stuck,
    help: "Instances that are stuck, by reason",
    labelNames: ["reason"],
    registers: [metrics.registry],
    collect() {
      if (metrics.isStandby) return this.reset();
      for (const reason of Object.values(stuckReasons)) this.set({ reason }, 0);
      for (const { status } of instances.list()) {
        const { status: is, reason = "" } = findCondition(status?.conditions, foreignConditions.stuck) ?? {};
        if (is === "True") this.inc({ reason });
      }
    },
  });
}
