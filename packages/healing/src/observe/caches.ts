/** What the listener keeps a copy of: the pods of challenges, the ChallengeInstances, and the namespaces made for them. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import {
  type Informer,
  type Manager,
  type Namespace,
  Namespaces,
  type Pod,
  Pods,
  withoutManagedFields,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, challengeKind, labels, managedByBerg } from "@berg/resources";
import { instanceUidOf } from "../removing/marks.ts";

/** Names of indexes. */
export const by = { uid: "uid", instance: "instance" } as const;

export interface Caches {
  instances: Informer<ChallengeInstance>;
  pods: Informer<Pod>;
  namespaces: Informer<Namespace>;
}

export function openCaches(manager: Pick<Manager, "informer">): Caches {
  const instances = manager.informer(ChallengeInstances);
  const pods = manager.informer(Pods, {
    selection: { labelSelector: `${labels.kind}=${challengeKind}` },
    transform: withoutSecrets,
  });
  const namespaces = manager.informer(Namespaces, {
    selection: { labelSelector: `${labels.managedBy}=${managedByBerg}` },
  });
  instances.ensureIndex(by.uid, ({ metadata }) => [metadata.uid]);
  pods.ensureIndex(by.uid, ({ metadata }) => [metadata.uid]);
  pods.ensureIndex(by.instance, instancesOf);
  namespaces.ensureIndex(by.instance, instancesOf);
  return { instances, pods, namespaces };
}

export function containerOf({ metadata }: Pod): string {
  return metadata.labels?.[labels.container] ?? "";
}

function instancesOf(object: KubeObject): string[] {
  const uid = instanceUidOf(object);
  return uid === undefined ? [] : [uid];
}

/** Of what a pod was told to do only its probes are asked for; the flag, in its environment, need not be in memory. */
function withoutSecrets(pod: Stored<Pod>): Stored<Pod> {
  const { spec, ...rest } = withoutManagedFields(pod);
  const containers = (spec?.containers ?? []).map(({ name, startupProbe, readinessProbe }) => ({
    name,
    ...(startupProbe && { startupProbe }),
    ...(readinessProbe && { readinessProbe }),
  }));
  return { ...rest, spec: { containers } } as Stored<Pod>;
}
