/** What is left in the pool. Read from the copies at each scrape, so it is right after a restart. */
import type { Informer, Metrics } from "@berg/kube";
import { type SubscriptionRequest, subscriptionPhases } from "@berg/resources";
import { Gauge } from "prom-client";
import type { Binding } from "../gardener/garden.ts";
import { type Account, isDirty, isFree, isInternal, isShared, labelOf } from "./pool/account.ts";
import { metricNames } from "./vocabulary.ts";

export function subscriptionMetrics(
  metrics: Pick<Metrics, "registry" | "isStandby">,
  bindings: Pick<Informer<Binding>, "list">,
  requests: Pick<Informer<SubscriptionRequest>, "list">,
): void {
  const registers = [metrics.registry];
  new Gauge({
    ...metricNames.available,
    labelNames: ["hyperscaler_type"],
    registers,
    collect() {
      // A type whose last account is gone must not go on showing what it had.
      this.reset();
      if (metrics.isStandby) return;
      for (const account of bindings.list())
        this.inc({ hyperscaler_type: typeOf(account) }, typeOf(account) !== "" && isFree(account) ? 1 : 0);
    },
  });
  new Gauge({
    ...metricNames.accounts,
    labelNames: ["hyperscaler_type", "state"],
    registers,
    collect() {
      this.reset();
      if (metrics.isStandby) return;
      for (const account of bindings.list()) this.inc({ hyperscaler_type: typeOf(account), state: stateOf(account) });
    },
  });
  new Gauge({
    ...metricNames.requests,
    labelNames: ["phase"],
    registers,
    collect() {
      if (metrics.isStandby) return this.reset();
      for (const phase of subscriptionPhases) this.set({ phase }, 0);
      for (const { status } of requests.list()) this.inc({ phase: status?.phase ?? "Pending" });
    },
  });
}

const typeOf = (account: Account) => labelOf(account, "hyperscalerType") ?? "";

function stateOf(account: Account): string {
  if (isDirty(account)) return "dirty";
  if (isInternal(account)) return "internal";
  if (isShared(account)) return "shared";
  return isFree(account) ? "free" : "claimed";
}
