/** Everything that the controller keeps a copy of, together with its own writes that the copies have not seen yet. */
import { type KubeObject, makeKey, type ObjectKey, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  ConfigMaps,
  ControllerRevisions,
  Deployments,
  type Informer,
  LimitRanges,
  type Manager,
  Namespaces,
  NetworkPolicies,
  type OptionalInformer,
  OwnWrites,
  type Pod,
  PodDisruptionBudgets,
  Pods,
  ResourceQuotas,
  type Secret,
  Secrets,
  Services,
  withoutManagedFields,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges, labels, managedByBerg } from "@berg/resources";
import { CiliumNetworkPolicies } from "../builders/network-policy/cilium-type.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import type { Settings } from "../settings/settings.ts";

export type Caches = ReturnType<typeof openCaches>;

/** Names of indexes. */
export const by = { uid: "uid", owner: "owner", challenge: "challenge", revision: "revision", instance: "instance" };

// biome-ignore lint/suspicious/noExplicitAny: an informer's type stands in both directions, so no single type covers all.
export type ChildSource = Informer<any> | OptionalInformer<any>;

type Written = Pick<OwnWrites<KubeObject>, "wrote" | "deleted">;

/** One kind of child: where its changes come from, and its objects. */
export interface ChildCache {
  source: ChildSource;
  view: OwnWrites<KubeObject>;
}

/** `clock`: the API server's, as what we have deleted shows a time for which the copies have the server's. */
export function openCaches(manager: Manager, settings: Settings, controllerNamespace: string, clock: Clock) {
  const ours = { selection: { labelSelector: `${labels.managedBy}=${managedByBerg}` } };
  const instances = manager.informer(ChallengeInstances);
  const instancesView = new OwnWrites(instances, clock);
  instancesView.ensureIndex(by.uid, ({ metadata }) => [metadata.uid]);
  instancesView.ensureIndex(by.owner, ({ spec }) => [spec.ownerId]);
  instancesView.ensureIndex(by.challenge, (instance) => [challengeKey(instance, settings)]);
  instancesView.ensureIndex(by.revision, ({ metadata, status }) =>
    status?.revision === undefined ? [] : [makeKey(metadata.namespace, status.revision)],
  );

  const pods = manager.informer(Pods, { ...ours, transform: withoutPodSpec });
  const namespaces = manager.informer(Namespaces, ours);
  const revisions = manager.informer(ControllerRevisions, ours);
  const challenges = manager.informer(Challenges);

  const children = new Map<string, ChildCache>();
  const keep = (kind: string, source: ChildSource) => {
    const view = new OwnWrites<KubeObject>(source, clock);
    view.ensureIndex(by.instance, instanceUid);
    children.set(kind, { source, view });
  };
  for (const type of childTypes(settings)) keep(type.kind, manager.informer(type, { ...ours, transform: slim }));
  for (const { group, kind, versions } of optionalTypes) {
    keep(kind, manager.optionalInformer({ group, kind, versions }, ours));
  }

  const podsView = new OwnWrites(pods, clock);
  podsView.ensureIndex(by.instance, instanceUid);
  const namespacesView = new OwnWrites(namespaces, clock);
  const revisionsView = new OwnWrites(revisions, clock);
  const written = new Map<string, Written>([...children].map(([kind, { view }]) => [kind, view]));
  written.set(Namespaces.kind, namespacesView as unknown as Written);
  written.set(Pods.kind, podsView as unknown as Written);
  written.set(ControllerRevisions.kind, revisionsView as unknown as Written);

  return {
    instances: { informer: instances, view: instancesView },
    challenges: { informer: challenges, view: new OwnWrites(challenges, clock) },
    namespaces: { informer: namespaces, view: namespacesView },
    revisions: { informer: revisions, view: revisionsView },
    pods: { informer: pods, view: podsView },
    children,
    /** Who has to be told of our writes, by kind. */
    written,
    pullSecret: pullSecretOf(manager, settings, controllerNamespace),
  };
}

/** Secrets only where the settings use them: without, the controller needs no right to read any. */
function childTypes({ build }: Settings): ResourceType[] {
  const types = [Services, ConfigMaps, Deployments, PodDisruptionBudgets, NetworkPolicies, ResourceQuotas, LimitRanges];
  return usesSecrets(build) ? [...types, Secrets] : types;
}

function usesSecrets({ pullSecretName, flagStorage }: Settings["build"]): boolean {
  return pullSecretName !== "" || flagStorage === "Secret";
}

const optionalTypes = [
  { ...CiliumNetworkPolicies, versions: ["v2"] },
  { ...HTTPRoutes, versions: ["v1"] },
  { ...TLSRoutes, versions: ["v1", "v1alpha2"] },
];

function pullSecretOf(manager: Manager, { build }: Settings, namespace: string): PullSecretCache | undefined {
  const name = build.pullSecretName;
  if (name === "") return undefined;
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  return { informer: manager.informer(Secrets, { selection }), key: makeKey(namespace, name) };
}

export interface PullSecretCache {
  informer: Informer<Secret>;
  key: ObjectKey;
}

export function challengeKey({ spec }: ChallengeInstance, { challengeNamespace }: Settings): ObjectKey {
  return makeKey(spec.challengeRef.namespace || challengeNamespace, spec.challengeRef.name);
}

function instanceUid({ metadata }: KubeObject): string[] {
  const uid = metadata.labels?.[labels.instanceUid];
  return uid === undefined ? [] : [uid];
}

/** Of a status, only whether a Deployment's pods are refused is read; the rest changes all the time. */
function slim(child: Stored<KubeObject>): Stored<KubeObject> {
  const { status, ...rest } = withoutManagedFields(child) as Stored<KubeObject> & {
    status?: { conditions?: Finding[] };
  };
  const conditions = status?.conditions?.filter(({ type }) => type === "ReplicaFailure") ?? [];
  return (conditions.length === 0 ? rest : { ...rest, status: { conditions } }) as Stored<KubeObject>;
}

interface Finding {
  type: string;
}

/** Nobody asks what a pod was told to do, only how it is; and the flag need not be in memory once more. */
function withoutPodSpec(pod: Stored<Pod>): Stored<Pod> {
  const { spec: _, ...rest } = withoutManagedFields(pod);
  return rest as Stored<Pod>;
}
