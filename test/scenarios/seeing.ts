/** What a scenario looks at: an instance's status and events, and the objects that were made for it. */
import { defineResource, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  ConfigMaps,
  Deployments,
  Events,
  findCondition,
  LimitRanges,
  Namespaces,
  NetworkPolicies,
  PodDisruptionBudgets,
  Pods,
  ResourceQuotas,
  Secrets,
  Services,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, type InstancePhase, labels } from "@berg/resources";
import { eventually } from "../runtime/eventually.ts";
import type { startWorld, World } from "./world.ts";

/** Suites take it, so that each runs on any control plane. */
export type StartWorld = typeof startWorld;

type Instance = Stored<ChallengeInstance>;

export const isRunning = (instance: Instance) => instance.status?.phase === "Running";

/** Where it is, and why: `until(instance, isIn("Failed", "FlagMissing"))`. */
export function isIn(phase: InstancePhase, reason?: string) {
  const holds = ({ status }: Instance) => status?.phase === phase && status.reason === reason;
  return Object.assign(holds, { toString: () => `it is ${phase}${reason ? ` because of ${reason}` : ""}` });
}

export function conditionOf({ status }: Instance, type: string) {
  return findCondition(status?.conditions, type);
}

/** `ChallengeFound=True/Found`, in the order of the alphabet. */
export function conditionsOf({ status }: Instance): string[] {
  return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is}/${reason}`).sort();
}

export function namespaceOf({ spec }: Pick<ChallengeInstance, "spec">): string {
  return `challenge-${spec.ownerId}`;
}

export interface SeenEvent {
  type: string;
  reason: string;
  message: string;
}

/** Events are written in the background: waits until there is one with the reason, and returns all, oldest first. */
export async function eventsOf(world: World, { metadata }: Instance, reason: string): Promise<SeenEvent[]> {
  let found: SeenEvent[] = [];
  await eventually(
    `there is an event ${reason} about ${metadata.name}`,
    async () => {
      const fieldSelector = `involvedObject.uid=${metadata.uid}`;
      const { items } = await world.client.listAll(Events, { namespace: metadata.namespace, fieldSelector });
      found = items
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map((event) => ({ type: event.type ?? "", reason: event.reason ?? "", message: event.message ?? "" }));
      return found.some((event) => event.reason === reason);
    },
    10_000,
  );
  return found;
}

const kinds: ResourceType[] = [
  ConfigMaps,
  Deployments,
  LimitRanges,
  NetworkPolicies,
  PodDisruptionBudgets,
  Pods,
  ResourceQuotas,
  Secrets,
  Services,
];
const optionalKinds = [
  { group: "cilium.io", kind: "CiliumNetworkPolicy" },
  { group: "gateway.networking.k8s.io", kind: "HTTPRoute" },
  { group: "gateway.networking.k8s.io", kind: "TLSRoute" },
];

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever they look for.
type Json = any;

/** Everything that was made for one instance, by kind and name. */
export class Objects {
  readonly all: readonly Stored<KubeObject>[];

  private constructor(all: Stored<KubeObject>[]) {
    this.all = all;
  }

  static async of(world: World, { metadata, spec }: Instance): Promise<Objects> {
    const namespace = namespaceOf({ spec });
    const labelSelector = `${labels.instanceUid}=${metadata.uid}`;
    const optional = await Promise.all(optionalKinds.map((kind) => world.client.discovery.find(kind)));
    const lists = await Promise.all(
      [...kinds, ...optional.filter((type) => type !== undefined)].map(async (type) => {
        const { items } = await world.client.listAll(type, { namespace, labelSelector });
        return items.map((item) => ({ ...item, kind: type.kind }));
      }),
    );
    const own = await world.client.get(Namespaces, "", namespace);
    return new Objects([{ ...own, kind: "Namespace" }, ...lists.flat()]);
  }

  /** `ConfigMap/flag-content`, without pods, whose names are not ours. */
  get names(): string[] {
    return this.all.filter(({ kind }) => kind !== "Pod").map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  }

  /** The object with this name, or the only one of its kind. */
  get(kind: string, name?: string): Json {
    const found = this.all.filter(
      (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
    );
    if (found.length !== 1)
      throw new Error(`there are ${found.length} ${kind} ${name ?? ""}: ${this.names.join(", ")}`);
    return found[0];
  }

  has(kind: string, name?: string): boolean {
    return this.all.some((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
  }

  podTemplate(hostname: string): Json {
    return this.get("Deployment", hostname).spec.template;
  }

  container(hostname: string): Json {
    return this.podTemplate(hostname).spec.containers[0];
  }

  /** The environment of a container, as a program sees it. */
  env(hostname: string): Record<string, string> {
    const variables: { name: string; value?: string }[] = this.container(hostname).env;
    return Object.fromEntries(variables.map(({ name, value = "" }) => [name, value]));
  }
}

/** Pods that name one are refused where it is not there. */
export const RuntimeClasses = defineResource<KubeObject & { handler: string }>({
  group: "node.k8s.io",
  version: "v1",
  resource: "runtimeclasses",
  kind: "RuntimeClass",
  namespaced: false,
});

export const HTTPRoutes = defineResource<KubeObject>({
  group: "gateway.networking.k8s.io",
  version: "v1",
  resource: "httproutes",
  kind: "HTTPRoute",
  namespaced: true,
});

/** Ends it as its owner does, and waits until it is gone. Returns what was last known of it. */
export async function endOf(world: World, instance: Instance, within = 60_000): Promise<Instance> {
  await world.client.delete(ChallengeInstances, instance.metadata.namespace ?? "", instance.metadata.name);
  return world.untilGone(instance, { within });
}
