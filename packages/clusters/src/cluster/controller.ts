/**
 * The controller of Clusters.
 *
 *     Clusters, SubscriptionRequests, KubeconfigRequests, Secrets ─┐
 *     Shoots, CloudProfiles of the garden ─────────────────────────┴─► reconcile ──► Shoot, ConfigMap, bindings, status
 */
import { keyOf, type ObjectKey } from "@berg/apimachinery";
import { type Clock, type Logger, type Manager, OwnWrites, type Random, watchMapped, watchSelf } from "@berg/kube";
import { Clusters, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import { type Garden, watchFilled } from "../gardener/garden.ts";
import { watchSecrets } from "../secrets/watch-secrets.ts";
import type { WatchedSecrets } from "../secrets/watched-secrets.ts";
import type { TargetAccess } from "../target/target.ts";
import { Turns } from "../turns.ts";
import type { Surroundings } from "./effects/surroundings.ts";
import { Memories } from "./memories.ts";
import { shootNameOf } from "./names.ts";
import { byCluster, clusterKeysOf } from "./observe.ts";
import { reportOrphans } from "./orphans.ts";
import { reconcile } from "./reconcile.ts";
import { fieldManager } from "./vocabulary.ts";

export interface ClusterControllerOptions {
  garden: Garden;
  targets: TargetAccess;
  secrets: WatchedSecrets;
  clock: Clock;
  random: Random;
  log: Logger;
  /** A net below the watches. What is settled costs no request then. */
  resyncMs?: number;
}

const byShoot = "shoot";
const tenMinutes = 600_000;

export function addClusterController(manager: Manager, options: ClusterControllerOptions): void {
  const { garden, targets, secrets, clock, random, log, resyncMs = tenMinutes } = options;
  const clusters = manager.informer(Clusters);
  const subscriptions = manager.informer(SubscriptionRequests);
  const kubeconfigs = manager.informer(KubeconfigRequests);
  clusters.ensureIndex(byShoot, (cluster) => (cluster.spec.infrastructure ? [shootNameOf(cluster)] : []));
  kubeconfigs.ensureIndex(byCluster, clusterKeysOf);
  const around: Surroundings = {
    client: manager.client,
    garden,
    targets,
    secrets,
    recorder: manager.recorderFor(fieldManager),
    clusters: new OwnWrites(clusters, clock),
    subscriptions: new OwnWrites(subscriptions, clock),
    shoots: new OwnWrites(garden.shoots, clock),
    kubeconfigs,
    memories: new Memories(),
    // At once, though it may rest after a failure: a whole line waits behind it.
    turns: new Turns((key) => controller.queue.add(key, { priority: 1 })),
    clock,
    random,
    log,
  };
  const all = (): ObjectKey[] => clusters.list().map(keyOf);
  const controller = manager.addController({
    name: "clusters",
    resyncMs,
    watches: [
      watchSelf(clusters),
      // It has the name of its Cluster.
      watchMapped(subscriptions, (request) => [keyOf(request)]),
      watchMapped(kubeconfigs, clusterKeysOf),
      // Of one that was brought along: new credentials, or another cluster, count at once.
      watchSecrets(secrets, clusters, ({ spec }) => spec.byoc?.kubeconfigSecretRef.name),
      // By name, not by its marks: a foreign one that goes is news, too.
      watchMapped(garden.shoots, ({ metadata }) => clusters.byIndex(byShoot, metadata.name).map(keyOf)),
      watchMapped(garden.cloudProfiles, all),
      // Each by itself: see Seen.away.
      ...[garden.shoots, garden.cloudProfiles].map((copy) => watchFilled([copy], all)),
    ],
    reconcile: (key, { signal }) => reconcile(key, around, signal),
  });
  reportOrphans(manager, { clusters, shoots: garden.shoots }, resyncMs);
}
