/**
 * The three operators in one process:
 *
 *     SubscriptionRequest ──► subscription ──► an account of the pool ─┐
 *     Cluster ──► cluster ──► Shoot in the garden ◄────────────────────┘
 *                    └──► its administrators ─┐
 *     KubeconfigRequest ──► kubeconfig ───────┴──► target clusters
 */
import {
  type Clock,
  type Connection,
  createClient,
  type Logger,
  type Manager,
  type Metrics,
  type Random,
} from "@berg/kube";
import { addClusterController } from "./cluster/controller.ts";
import { copyTrouble, openGarden } from "./gardener/garden.ts";
import { addKubeconfigController } from "./kubeconfig/kubeconfig-controller.ts";
import { itAlone, publishedByUs } from "./secrets/choices.ts";
import { WatchedSecrets } from "./secrets/watched-secrets.ts";
import type { ClusterOperatorSettings } from "./settings/settings.ts";
import { addSubscriptionController } from "./subscription/controller.ts";
import { Targets } from "./target/access.ts";

export interface ClusterOperatorsOptions {
  /** How to reach Gardener. */
  garden: Connection;
  settings: ClusterOperatorSettings;
  metrics: Metrics;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Adds them to a manager of the control-plane cluster, before it runs. What is returned is disposed of when the manager
 * has ended: it closes every connection, and with them forgets every administrator's credentials.
 */
export function addClusterOperators(manager: Manager, options: ClusterOperatorsOptions): AsyncDisposable {
  const { settings, metrics, clock, random, log } = options;
  const { rate, namespace, poolKind } = settings.garden;
  const client = createClient({
    connection: options.garden,
    component: "clusters",
    rate,
    clock,
    random,
    log: log.child({ server: "garden" }),
    metrics: metrics.requests,
  });
  const garden = openGarden(manager, { client, namespace, poolKind });
  const targets = new Targets({ manager, garden, clock, allowedCidrs: settings.byoc.allowedCidrs });
  const watching = { client: manager.client, metrics, clock, random, log };
  addSubscriptionController(manager, { garden, settings: settings.subscription, clock, metrics });
  const brought = new WatchedSecrets({ ...watching, choice: itAlone });
  addClusterController(manager, { garden, targets, secrets: brought, clock, random, log });
  addKubeconfigController(manager, {
    garden,
    access: targets,
    secrets: new WatchedSecrets({ ...watching, choice: publishedByUs }),
    settings: settings.kubeconfig,
    metrics,
    clock,
    random,
  });
  const { shoots, bindings, cloudProfiles } = garden;
  manager.addReadyNote("garden", () => copyTrouble(shoots, bindings, cloudProfiles)?.message ?? "known");

  const held = new AsyncDisposableStack();
  held.defer(() => client.close());
  held.use(targets);
  return held;
}
