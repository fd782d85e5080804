/** What the sweeping of ghosts looks at, out of the copies that the listener has anyway; and of Deployments. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type Deployment, Deployments, type Manager } from "@berg/kube";
import type { Copies } from "../removing/copies.ts";
import { instanceUidOfNamespace, ourSelector } from "../removing/marks.ts";
import { placeKey, placeOf } from "../removing/sight.ts";
import { by, type Caches } from "./caches.ts";

const byPlace = "place";

export function sightFrom(caches: Caches, manager: Pick<Manager, "informer">): Copies {
  const { instances, namespaces, pods } = caches;
  const selection = { labelSelector: ourSelector };
  const deployments = manager.informer(Deployments, { selection, transform: metadataAlone });
  const places = (object: Stored<KubeObject>) => {
    const place = placeOf(object);
    return place === undefined ? [] : [place];
  };
  deployments.ensureIndex(byPlace, places);
  pods.ensureIndex(byPlace, places);
  return {
    informers: { instances, namespaces, deployments, pods },
    get instances() {
      return instances.list();
    },
    get namespaces() {
      return namespaces.list().filter((namespace) => instanceUidOfNamespace(namespace) !== undefined);
    },
    namespacesOf: (uid) =>
      namespaces.byIndex(by.instance, uid).filter((namespace) => instanceUidOfNamespace(namespace) === uid),
    workloadsOf(namespace, uid) {
      const place = placeKey(namespace, uid);
      return { deployments: deployments.byIndex(byPlace, place), pods: pods.byIndex(byPlace, place) };
    },
  };
}

function metadataAlone({ apiVersion, kind, metadata }: Stored<Deployment>): Stored<Deployment> {
  const { managedFields: _, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept } as Stored<Deployment>;
}
