/** Looks at one Cluster: at copies, and at what was written since. Asks nobody. */
import { keyOf, makeKey, type Stored } from "@berg/apimachinery";
import { timestamp } from "@berg/kube";
import type { Cluster, KubeconfigRequest } from "@berg/resources";
import { copyTrouble } from "../gardener/garden.ts";
import { finalizers } from "../vocabulary.ts";
import type { Surroundings } from "./effects/surroundings.ts";
import { projectOf, shootNameOf } from "./names.ts";
import type { Facts, Seen } from "./seen.ts";

/** The index of KubeconfigRequests by the key of their Cluster. */
export const byCluster = "cluster";

export function observe(cluster: Stored<Cluster>, facts: Facts, around: Surroundings): Seen {
  const { garden, shoots, subscriptions, kubeconfigs, clock } = around;
  const shootName = shootNameOf(cluster);
  const shoot = shoots.get(makeKey(garden.namespace, shootName));
  const { answered } = around.memories.of(cluster.metadata.uid);
  return {
    cluster,
    isHeld: cluster.metadata.finalizers?.includes(finalizers.cluster) ?? false,
    // What goes needs no CloudProfile: it is not held up by one that cannot be seen.
    away: copyTrouble(garden.shoots, ...(cluster.metadata.deletionTimestamp ? [] : [garden.cloudProfiles])),
    shootName,
    shoot,
    subscription: subscriptions.get(keyOf(cluster)),
    secret: secretOf(cluster, around),
    project: projectOf(garden.namespace),
    profiles: garden.cloudProfiles.list(),
    hasOpenAccess: kubeconfigs.byIndex(byCluster, keyOf(cluster)).some(isOpen),
    isAnswered:
      answered !== undefined &&
      answered.cluster === cluster.metadata.generation &&
      answered.shoot === shoot?.metadata.generation,
    facts,
    now: clock.now(),
    monotonic: clock.monotonic(),
    time: timestamp(clock),
  };
}

function secretOf({ metadata, spec }: Cluster, { secrets }: Surroundings): string | undefined {
  const { name, key } = spec.byoc?.kubeconfigSecretRef ?? {};
  return name && key ? secrets.contentOf(metadata.namespace ?? "", name, key) : undefined;
}

export function clusterKeysOf({ metadata, spec }: KubeconfigRequest): string[] {
  if (spec.clusterRef) return [makeKey(spec.clusterRef.namespace, spec.clusterRef.name)];
  return spec.cluster === undefined ? [] : [makeKey(metadata.namespace, spec.cluster)];
}

/** Its account is named before it is made, and until all that it was given is taken away: no phase tells that much. */
function isOpen({ status }: KubeconfigRequest): boolean {
  return status?.serviceAccount !== undefined;
}
