/**
 * The janitor that stays: every ChallengeInstance is looked at when it changes and when it falls due, by a timer, and
 * ghosts are looked for at every interval. Any number may run at once, beside any number of controllers: none leads, and
 * who comes second finds the work done.
 */
import { type Logger, type Manager, type Metrics, type ServerClock, watchOwned, watchSelf } from "@berg/kube";
import { labels } from "@berg/resources";
import { endIfDue } from "../expired/end.ts";
import { addGhostController } from "../ghosts/controller.ts";
import { copiesOf } from "../removing/copies.ts";
import { GoingNamespaces } from "../removing/going.ts";
import type { Action } from "../removing/remove.ts";
import type { JanitorSettings } from "../settings/janitor.ts";
import { janitorMetrics } from "./metrics.ts";
import { controllerNames } from "./vocabulary.ts";

export interface JanitorOptions {
  settings: JanitorSettings;
  /** How often everything is looked at without cause. */
  intervalMs: number;
  metrics: Metrics;
  /** Set by the client of the manager: what the server wrote is due by the server's time. */
  clock: ServerClock;
}

/** To be called before `manager.run`. */
export function addJanitor(manager: Manager, options: JanitorOptions): void {
  const { settings, intervalMs, clock } = options;
  const { graceMs, ghostGraceMs } = settings;
  const copies = copiesOf(manager);
  const going = new GoingNamespaces(() => copies.namespaces);
  const { did, braked } = janitorMetrics(options.metrics, copies, clock, graceMs);
  const { client } = manager;
  const report = (action: Action, log: Logger) => {
    did(action);
    const { kind, name, why } = action;
    if (action.did === "deleted") log.info({ kind, name, why }, "deleted");
    if (action.did === "failed") log.warn({ kind, name, why }, "cannot delete");
  };

  const { instances, namespaces, deployments, pods } = copies.informers;
  manager.addController({
    name: controllerNames.expired,
    resyncMs: intervalMs,
    watches: [
      watchSelf(instances),
      watchOwned(namespaces, instances, labels.instanceUid),
      watchOwned(deployments, instances, labels.instanceUid),
      watchOwned(pods, instances, labels.instanceUid),
    ],
    async reconcile(key, { log, signal }) {
      const instance = instances.get(key);
      if (!instance) return undefined;
      const now = clock.now();
      const removing = { client, going, signal, report: (action: Action) => report(action, log) };
      const lookAgainAt = await endIfDue(removing, instance, copies, { graceMs, now });
      return lookAgainAt === undefined ? undefined : { requeueAfterMs: Math.max(0, lookAgainAt - now) };
    },
  });
  const around = { copies, going, intervalMs, clock, report, braked };
  addGhostController(manager, { ...around, name: controllerNames.ghosts, graceMs: ghostGraceMs });
}
