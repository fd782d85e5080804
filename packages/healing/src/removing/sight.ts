/** What there is at one moment: from lists, or from copies that stay true. Whoever decides does not care which. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { Deployment, Namespace, Pod } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { instanceUidOf, instanceUidOfNamespace } from "./marks.ts";

/** What runs for one instance in one namespace. */
export interface Workloads {
  readonly deployments: readonly Stored<Deployment>[];
  readonly pods: readonly Stored<Pod>[];
}

export interface Sight {
  readonly instances: readonly Stored<ChallengeInstance>[];
  /** Those of ours: see marks.ts. */
  readonly namespaces: readonly Stored<Namespace>[];
  /** Of those, the ones of one instance: one, unless somebody copied its marks. */
  namespacesOf(instanceUid: string): readonly Stored<Namespace>[];
  workloadsOf(namespace: string, instanceUid: string): Workloads;
}

export interface Lists {
  instances: readonly Stored<ChallengeInstance>[];
  namespaces: readonly Stored<Namespace>[];
  deployments: readonly Stored<Deployment>[];
  pods: readonly Stored<Pod>[];
}

export function sightOf({ instances, namespaces, deployments, pods }: Lists): Sight {
  const ours = namespaces.filter((namespace) => instanceUidOfNamespace(namespace) !== undefined);
  const byUid = Map.groupBy(ours, (namespace) => instanceUidOf(namespace));
  const placed = { deployments: Map.groupBy(deployments, placeOf), pods: Map.groupBy(pods, placeOf) };
  return {
    instances,
    namespaces: ours,
    namespacesOf: (uid) => byUid.get(uid) ?? [],
    workloadsOf(namespace, uid) {
      const place = placeKey(namespace, uid);
      return { deployments: placed.deployments.get(place) ?? [], pods: placed.pods.get(place) ?? [] };
    },
  };
}

/** Names what belongs to one instance in one namespace; undefined for what is not ours. */
export function placeOf(object: Stored<KubeObject>): string | undefined {
  const uid = instanceUidOf(object);
  return uid === undefined ? undefined : placeKey(object.metadata.namespace ?? "", uid);
}

export function placeKey(namespace: string, instanceUid: string): string {
  return `${namespace}/${instanceUid}`;
}
