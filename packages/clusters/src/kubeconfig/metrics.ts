/** What the Kubeconfig operator counts. */
import type { Metrics } from "@berg/kube";
import { type KubeconfigRequest, kubeconfigPhases } from "@berg/resources";
import { Counter, Gauge } from "prom-client";
import type { Cause } from "./decide.ts";

export interface KubeconfigMetrics {
  issued(cause: Cause): void;
}

const causes: readonly Cause[] = ["first", "asked", "due", "changed", "shortened"];

export function kubeconfigMetrics(metrics: Metrics, requests: () => readonly KubeconfigRequest[]): KubeconfigMetrics {
  const registers = [metrics.registry];
  const issued = new Counter({
    name: "berg_kubeconfigs_issued_total",
    help: "Kubeconfigs that were issued, by cause.",
    labelNames: ["cause"],
    registers,
  });
  // A rate over a counter that appears only with its first count misses it.
  for (const cause of causes) issued.inc({ cause }, 0);
  new Gauge({
    name: "berg_kubeconfigrequests",
    help: "KubeconfigRequests by phase.",
    labelNames: ["phase"],
    registers,
    collect() {
      if (metrics.isStandby) return this.reset();
      const counts = new Map<string, number>();
      for (const { status } of requests()) {
        const phase = status?.phase ?? "Pending";
        counts.set(phase, (counts.get(phase) ?? 0) + 1);
      }
      for (const phase of kubeconfigPhases) this.set({ phase }, counts.get(phase) ?? 0);
    },
  });
  return { issued: (cause) => issued.inc({ cause }) };
}
