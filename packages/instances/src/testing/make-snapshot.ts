/** What is seen of one instance, for tests: nothing but a Challenge by default, and whatever a test adds to it. */
import { apiVersionOf, formatTime, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import { isAsWanted, type Namespace, Namespaces, type Pod } from "@berg/kube";
import { labels, managedByBerg } from "@berg/resources";
import type { Child } from "../builders/blueprint.ts";
import { instanceNamespaceName } from "../builders/names.ts";
import { CiliumNetworkPolicies } from "../builders/network-policy/cilium-type.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import type { Route } from "../builders/routes.ts";
import { currentBlueprint, currentRevision } from "../observe/record.ts";
import { childKey, deploymentsOf, type Snapshot } from "../observe/snapshot.ts";
import { stagesOf } from "../phases/creating.ts";
import type { Settings } from "../settings/settings.ts";
import { home, type InstanceBuilder, makeChallenge, makeInstance, startOfTest } from "./make-objects.ts";
import { acceptedRoute, type PodScript, podStatus } from "./model-cluster.ts";

const usualKinds = [
  "Service",
  "ConfigMap",
  "Deployment",
  "PodDisruptionBudget",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "Secret",
];
const allKinds = new Map<string, ResourceType>([
  ...usualKinds.map((kind): [string, ResourceType] => [kind, { kind } as ResourceType]),
  ...[CiliumNetworkPolicies, HTTPRoutes, TLSRoutes].map((type): [string, ResourceType] => [type.kind, type]),
]);

/**
 *     makeSnapshot(makeInstance().held().identified()).started(settings).made(settings).withPods("ready").seen
 */
export class SnapshotBuilder {
  readonly seen: Snapshot;

  constructor(seen: Snapshot) {
    this.seen = seen;
  }

  with(more: Partial<Snapshot>): SnapshotBuilder {
    return new SnapshotBuilder({ ...this.seen, ...more });
  }

  at(now: number): SnapshotBuilder {
    return this.with({ now, serverNow: now });
  }

  /** By our own clock; that of the server stays. */
  ahead(ms: number): SnapshotBuilder {
    return this.with({ now: this.seen.serverNow + ms });
  }

  withRivals(...rivals: InstanceBuilder[]): SnapshotBuilder {
    return this.with({ rivals: rivals.map(({ object }) => object) });
  }

  /** Ours unless told whose, with the UID of an instance; `""` for somebody's who does not know us. */
  withNamespace(uid = this.seen.instance.metadata.uid, more: Partial<Stored<Namespace>["metadata"]> = {}) {
    const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: uid };
    const metadata = {
      name: instanceNamespaceName(this.seen.instance.spec.ownerId),
      uid: "uid-of-namespace",
      resourceVersion: "1",
      creationTimestamp: formatTime(startOfTest),
      ...(uid !== "" && { labels: marks }),
      ...more,
    };
    return this.with({ namespace: { apiVersion: "v1", kind: Namespaces.kind, metadata } });
  }

  without(...kinds: string[]): SnapshotBuilder {
    return this.with({ kinds: new Map([...this.seen.kinds].filter(([kind]) => !kinds.includes(kind))) });
  }

  /** What it runs is recorded. */
  started(settings: Settings): SnapshotBuilder {
    const manifest = currentRevision(this.seen, settings);
    if (!manifest) throw new Error("there is no Challenge to start from");
    const revision = stored({ apiVersion: "apps/v1", kind: "ControllerRevision", ...manifest }) as never;
    const { instance } = this.seen;
    const status = { phase: "Creating" as const, ...instance.status, revision: manifest.metadata.name };
    const namespace = instanceNamespaceName(instance.spec.ownerId);
    return this.with({ revision, instance: { ...instance, status: { ...status, namespace } } });
  }

  /** The first stages of what belongs to it are there, all of them unless told. */
  made(settings: Settings, stages = 3): SnapshotBuilder {
    const blueprint = currentBlueprint(this.seen, this.seen.instance.status?.instanceId ?? "", settings);
    if (!blueprint) throw new Error("there is no Challenge to make it from");
    const [namespace, ...rest] = stagesOf(this.seen, blueprint).slice(0, stages).flat().map(asStored);
    const children = new Map(rest.map((object) => [childKey(object.kind, object.metadata.name), object]));
    return this.with({ namespace, children } as Partial<Snapshot>).withRoutes(acceptedRoute);
  }

  /** What the gateway says about each route; nothing where it does not answer. All are accepted unless told otherwise. */
  withRoutes(statusOf: (route: Stored<Route>) => { parents: object[] } | undefined): SnapshotBuilder {
    const children = [...this.seen.children].map(([key, child]): [string, Stored<KubeObject>] => {
      if (child.kind !== HTTPRoutes.kind && child.kind !== TLSRoutes.kind) return [key, child];
      return [key, { ...child, status: statusOf(child as Stored<Route>) } as Stored<KubeObject>];
    });
    return this.with({ children: new Map(children) });
  }

  /** One for each Deployment. */
  withPods(script: PodScript | NonNullable<Pod["status"]>): SnapshotBuilder {
    const deployments = deploymentsOf(this.seen);
    const status = typeof script === "string" ? podStatus(script) : script;
    return this.with({ pods: deployments.map(({ metadata }) => podOf(metadata.name, status)) });
  }

  withoutChild(kind: string, name: string): SnapshotBuilder {
    const children = new Map(this.seen.children);
    children.delete(childKey(kind, name));
    return this.with({ children });
  }
}

export function podOf(container: string, status: NonNullable<Pod["status"]>): Stored<Pod> {
  const metadata = { name: `${container}-1`, labels: { [labels.container]: container } };
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata, status };
  return stored(pod) as Stored<Pod>;
}

function asStored({ type, manifest }: Child): Stored<KubeObject> {
  return stored({ apiVersion: apiVersionOf(type), kind: type.kind, ...manifest });
}

function stored(object: KubeObject): Stored<KubeObject> {
  const given = { resourceVersion: "1", creationTimestamp: formatTime(startOfTest) };
  const metadata = { ...object.metadata, uid: `uid-of-${object.kind}-${object.metadata.name}`, ...given };
  return { ...object, metadata };
}

export function makeSnapshot(instance: InstanceBuilder = makeInstance().held()): SnapshotBuilder {
  return new SnapshotBuilder({
    now: startOfTest,
    serverNow: startOfTest,
    instance: instance.object,
    freshId: "0191e7a4-5f0c-7b3e-9d2a-0123456789ab",
    challenge: makeChallenge(),
    challengeErrors: [],
    revision: undefined,
    rivals: [],
    hasCapacity: () => true,
    stoppingMs: 0,
    namespaceDeletionDelayMs: () => 0,
    namespace: undefined,
    children: new Map(),
    pods: [],
    pullSecret: undefined,
    pullSecretNamespace: home,
    kinds: allKinds,
    isAsWanted: ({ manifest }, found) => isAsWanted(manifest, found),
    wasAsWanted: () => true,
  });
}
