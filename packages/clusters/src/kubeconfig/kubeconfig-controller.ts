/**
 * The Kubeconfig operator: narrow, short-lived access to Clusters.
 *
 *     gather.ts → decide.ts (pure) → reconcile.ts → visit.ts (to the target, or why not) → bring.ts
 *                                                      session.ts, target/   what is done there
 *                                                      publish.ts, write.ts  what is written beside and on the request
 *     rules/       what is asked for, as RBAC understands it; what is refused. Pure
 *     schedule.ts  when it is replaced. Pure
 *     status/      what is said. Pure
 */
import { type KubeObject, keyOf, makeKey, type ObjectKey } from "@berg/apimachinery";
import { type Clock, type Manager, type Metrics, OwnWrites, type Random, watchMapped, watchSelf } from "@berg/kube";
import { Clusters, KubeconfigRequests } from "@berg/resources";
import type { Garden } from "../gardener/garden.ts";
import { watchSecrets } from "../secrets/watch-secrets.ts";
import type { WatchedSecrets } from "../secrets/watched-secrets.ts";
import type { TargetAccess } from "../target/target.ts";
import { annotations } from "../vocabulary.ts";
import type { KubeconfigSettings } from "./gather.ts";
import { kubeconfigMetrics } from "./metrics.ts";
import { secretNameOf } from "./names.ts";
import { Patience } from "./patience.ts";
import { reconcile } from "./reconcile.ts";
import { clusterOf, isAsked } from "./seen.ts";
import { AccessNamespaces } from "./target/access-namespaces.ts";
import { watchBeginning } from "./urgent.ts";

interface KubeconfigControllerOptions {
  garden: Pick<Garden, "client" | "namespace" | "shoots">;
  access: TargetAccess;
  secrets: WatchedSecrets;
  settings: KubeconfigSettings;
  metrics: Metrics;
  clock: Clock;
  random: Random;
}

/** Most of the time each waits for a target. */
const workers = 20;
const byCluster = "cluster";

/** A request, or a Cluster with all of its requests. */
function isGoing(object: KubeObject): boolean {
  const { deletionTimestamp } = object.metadata;
  return (
    deletionTimestamp !== undefined || isAsked(object, annotations.revoke) || isAsked(object, annotations.revokeAll)
  );
}

export function addKubeconfigController(manager: Manager, options: KubeconfigControllerOptions): void {
  const { garden, access, secrets, settings, clock, random } = options;
  const informer = manager.informer(KubeconfigRequests);
  const clusters = manager.informer(Clusters);
  const requests = new OwnWrites(informer, clock);
  informer.ensureIndex(byCluster, (request) => {
    const { namespace, name } = clusterOf(request);
    return [makeKey(namespace, name)];
  });
  const requestsOf = (cluster: ObjectKey) => informer.byIndex(byCluster, cluster).map(keyOf);
  const patience = new Patience(clock, random);
  informer.onChange(({ type, object }) => {
    if (type === "deleted") patience.forget(object.metadata.uid);
  });
  clusters.onChange(({ type, object }) => {
    if (type === "deleted") patience.forget(object.metadata.uid);
  });
  const metrics = kubeconfigMetrics(options.metrics, () => informer.list());
  const { client, recorder } = manager;
  /** When the first turn came: one may have waited for the lease for days. */
  let startedAt: number | undefined;
  const targets = { access, accessNamespaces: new AccessNamespaces(), patience };
  const around = { client, requests, clusters, garden, ...targets, recorder, metrics, secrets, settings, clock };

  manager.addController({
    name: "kubeconfigrequest",
    workers,
    watches: [
      watchSelf(informer),
      // What is taken away goes ahead of whatever else waits.
      watchBeginning(informer, isGoing, (request) => [keyOf(request)]),
      watchBeginning(clusters, isGoing, (cluster) => requestsOf(keyOf(cluster))),
      watchMapped(clusters, (cluster) => requestsOf(keyOf(cluster))),
      // One that somebody deletes or changes is put right at once.
      watchSecrets(secrets, informer, (request) =>
        request.spec.output === "Secret" ? secretNameOf(request) : undefined,
      ),
      watchMapped(garden.shoots, ({ metadata }) => {
        const { [annotations.clusterNamespace]: namespace, [annotations.clusterName]: name } =
          metadata.annotations ?? {};
        return namespace && name ? requestsOf(makeKey(namespace, name)) : [];
      }),
    ],
    reconcile(key, { signal, log }) {
      startedAt ??= clock.now();
      return reconcile(key, { ...around, startedAt, log }, signal);
    },
  });
}
