/** How a Shoot is known as ours. One without these is never written to, whatever it is called. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations, labels, managedByClusters } from "../../vocabulary.ts";

export interface Marks {
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export function marksOf({ metadata }: Stored<Cluster>): Marks {
  return {
    labels: { [labels.managedBy]: managedByClusters, [labels.clusterUid]: metadata.uid },
    annotations: {
      [annotations.clusterUid]: metadata.uid,
      [annotations.clusterName]: metadata.name,
      [annotations.clusterNamespace]: metadata.namespace ?? "",
    },
  };
}

export type Belonging =
  | "ours"
  /** Somebody else's, of the same name. */
  | "foreign"
  /** It has our marks, and is not the one that was made for this Cluster: that one is gone, and somebody made this. */
  | "replaced"
  /** It is the one that was made for this Cluster, and somebody has taken our marks off. */
  | "unmarked";

export function belongingOf(shoot: Stored<Shoot>, cluster: Stored<Cluster>): Belonging {
  const owner = shoot.metadata.annotations?.[annotations.clusterUid];
  const known = cluster.status?.shootRef?.uid;
  if (owner !== cluster.metadata.uid)
    return owner === undefined && known === shoot.metadata.uid ? "unmarked" : "foreign";
  const isKnown = known === undefined || known === shoot.metadata.uid;
  return isKnown || mayRecreate(cluster) ? "ours" : "replaced";
}

/** Whether somebody has allowed that the Shoot that is lost is made anew: he names it, so that it counts once. */
export function mayRecreate({ metadata, status }: Stored<Cluster>): boolean {
  const known = status?.shootRef?.uid;
  return known !== undefined && metadata.annotations?.[annotations.recreateShoot] === known;
}

export function isSuspended({ metadata }: Stored<Cluster>): boolean {
  return metadata.annotations?.[annotations.suspend] === "true";
}
