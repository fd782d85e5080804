/** Figures about the janitor. What is counted now is read from the copies at each scrape, so it is right after a restart. */
import type { Metrics, ServerClock } from "@berg/kube";
import { Counter, Gauge } from "prom-client";
import { isDue } from "../expired/due.ts";
import { findGhosts } from "../ghosts/find.ts";
import type { Action } from "../removing/remove.ts";
import type { Sight } from "../removing/sight.ts";
import { metricNames } from "./vocabulary.ts";

export interface JanitorMetrics {
  did(action: Action): void;
  /** Whether there are too many ghosts to be true. */
  braked(isBraked: boolean): void;
}

export function janitorMetrics(
  { registry }: Metrics,
  sight: Sight,
  clock: ServerClock,
  graceMs: number,
): JanitorMetrics {
  const registers = [registry];
  const labelNames = ["kind"];
  const deleted = new Counter({ ...metricNames.deleted, labelNames, registers });
  const failed = new Counter({ ...metricNames.failed, labelNames, registers });
  const braked = new Gauge({ ...metricNames.braked, registers });
  new Gauge({
    ...metricNames.overdue,
    registers,
    collect() {
      const now = clock.now();
      const isOverdue = (instance: Sight["instances"][number]) =>
        isDue(instance, graceMs, now) && sight.namespacesOf(instance.metadata.uid).length > 0;
      this.set(sight.instances.filter(isOverdue).length);
    },
  });
  new Gauge({
    ...metricNames.ghosts,
    registers,
    collect() {
      const living = new Set(sight.instances.map(({ metadata }) => metadata.uid));
      this.set(findGhosts(sight.namespaces, living).length);
    },
  });
  new Gauge({
    ...metricNames.clockOffset,
    registers,
    collect() {
      this.set(Math.round(clock.aheadMs / 1000));
    },
  });
  for (const kind of ["ChallengeInstance", "Deployment", "Pod", "Namespace"]) {
    // A rate over a counter that appears only with its first increase misses that one.
    deleted.inc({ kind }, 0);
    failed.inc({ kind }, 0);
  }
  return {
    did({ did, kind }) {
      if (did === "deleted") deleted.inc({ kind });
      if (did === "failed") failed.inc({ kind });
    },
    braked: (isBraked) => braked.set(isBraked ? 1 : 0),
  };
}
