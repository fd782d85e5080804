/** A sight that is kept true by watches, of only what somebody here reads: no spec, and so no flag. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import {
  type Deployment,
  Deployments,
  type Informer,
  type Manager,
  type Namespace,
  Namespaces,
  type Pod,
  Pods,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { instanceUidOfNamespace, ourSelector } from "./marks.ts";
import { placeKey, placeOf, type Sight } from "./sight.ts";

export interface Copies extends Sight {
  readonly informers: {
    instances: Informer<ChallengeInstance>;
    namespaces: Informer<Namespace>;
    deployments: Informer<Deployment>;
    pods: Informer<Pod>;
  };
}

const by = { instance: "instance", place: "place" };

export function copiesOf(manager: Manager): Copies {
  const selection = { labelSelector: ourSelector };
  const informers = {
    instances: manager.informer(ChallengeInstances, { transform: briefInstance }),
    namespaces: manager.informer(Namespaces, { selection, transform: brief }),
    deployments: manager.informer(Deployments, { selection, transform: brief }),
    pods: manager.informer(Pods, { selection, transform: briefPod }),
  };
  const { instances, namespaces, deployments, pods } = informers;
  namespaces.ensureIndex(by.instance, (namespace) => list(instanceUidOfNamespace(namespace)));
  deployments.ensureIndex(by.place, (deployment) => list(placeOf(deployment)));
  pods.ensureIndex(by.place, (pod) => list(placeOf(pod)));
  return {
    informers,
    get instances() {
      return instances.list();
    },
    get namespaces() {
      return namespaces.list().filter((namespace) => instanceUidOfNamespace(namespace) !== undefined);
    },
    namespacesOf: (uid) => namespaces.byIndex(by.instance, uid),
    workloadsOf(namespace, uid) {
      const place = placeKey(namespace, uid);
      return { deployments: deployments.byIndex(by.place, place), pods: pods.byIndex(by.place, place) };
    },
  };
}

function list(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

function brief<T extends KubeObject>({ apiVersion, kind, metadata }: Stored<T>): Stored<T> {
  const { managedFields: _, annotations: __, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept } as Stored<T>;
}

function briefInstance(instance: Stored<ChallengeInstance>): Stored<ChallengeInstance> {
  const { expiresAt, phase } = instance.status ?? {};
  const status = { ...(expiresAt !== undefined && { expiresAt }), ...(phase !== undefined && { phase }) };
  return { ...brief(instance), status };
}

function briefPod(pod: Stored<Pod>): Stored<Pod> {
  const { phase } = pod.status ?? {};
  return { ...brief(pod), ...(phase !== undefined && { status: { phase } }) };
}
