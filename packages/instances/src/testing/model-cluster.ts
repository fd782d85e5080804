/**
 * A cluster in memory: an API server as far as its rules matter to a controller, and whoever else works on its objects
 * (Deployments get pods, what lost its owner goes, namespaces empty themselves), one small step at a time, so that a
 * test can put anything between two of them.
 */
import {
  apiVersionOf,
  applyJsonPatch,
  formatTime,
  type JsonPatchOperation,
  type KubeObject,
  keyOf,
  makeKey,
  type ObjectKey,
  type ResourceType,
  type Stored,
} from "@berg/apimachinery";
import {
  type Deployment,
  type Namespace,
  type Pod,
  Pods,
  type ReplicaSet,
  ReplicaSets,
  type Service,
} from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { labels, managedByBerg } from "@berg/resources";
import type { Manifest } from "../builders/blueprint.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import type { Route } from "../builders/routes.ts";
import { startOfTest } from "./make-objects.ts";

/** Who did it: only what the controller does is held to its laws. */
export type Actor = "controller" | "cluster" | "hand";

export interface ModelChange {
  type: "added" | "updated" | "deleted";
  by: Actor;
  object: Stored<KubeObject>;
  /** What it was before. */
  old?: Stored<KubeObject>;
}

export interface ModelDelete {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  now?: boolean;
}

/** What becomes of the pods of a container. */
export type PodScript = "ready" | "unready" | "crashing" | "unpullable";

export class ModelCluster {
  now = startOfTest;
  /** Everything that ever happened; the place in it is the resourceVersion. */
  readonly changes: ModelChange[] = [];
  /** By container; those that are not named here become ready. */
  readonly scripts = new Map<string, PodScript>();
  /** The node of all pods is gone: nothing ends those that are deleted, nor removes them. */
  nodeIsGone = false;
  /** The garbage collector has too much else to do. */
  collectorIsBusy = false;
  /** No gateway controller answers to routes. */
  gatewayIsGone = false;
  /** Namespaces that somebody's finalizer holds up. */
  readonly stuck = new Set<string>();
  readonly #objects = new Map<string, Stored<KubeObject>>();
  #nodePort = 30_000;

  // READING

  find<T extends KubeObject>({ kind }: { kind: string }, key: ObjectKey): Stored<T> | undefined {
    return this.#objects.get(`${kind} ${key}`) as Stored<T> | undefined;
  }

  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Stored<T> {
    const found = this.find<T>(type, makeKey(namespace, name));
    if (!found) throw refusal(404, { reason: "NotFound", message: `${type.resource} "${name}" not found` });
    return found;
  }

  all<T extends KubeObject>(kind: string): Stored<T>[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind) as Stored<T>[];
  }

  objects(): Stored<KubeObject>[] {
    return [...this.#objects.values()];
  }

  // WRITING

  create<T extends KubeObject>(by: Actor, type: ResourceType<T>, manifest: Manifest<T>): Stored<T> {
    const { namespace, name } = manifest.metadata;
    if (this.find(type, makeKey(namespace, name))) throw refusal(409, { reason: "AlreadyExists" });
    if (type.namespaced && namespace?.startsWith("challenge-")) this.#admit(by, namespace);
    const metadata = {
      uid: `${type.kind}-${this.changes.length}`,
      creationTimestamp: formatTime(this.now),
      generation: 1,
      ...manifest.metadata,
    };
    const object = { apiVersion: apiVersionOf(type), kind: type.kind, ...structuredClone(manifest), metadata };
    this.#giveNodePorts(object as unknown as Service);
    return this.#put("added", by, object as unknown as Stored<T>);
  }

  #admit(by: Actor, namespace: string): void {
    const found = this.find<Namespace>({ kind: "Namespace" }, namespace);
    if (!found) throw refusal(404, { reason: "NotFound", message: `namespaces "${namespace}" not found` });
    // As the admission policy that is installed with the controller. No copy can show in time that one was replaced.
    if (by === "controller" && found.metadata.labels?.[labels.managedBy] !== managedByBerg)
      throw refusal(403, { reason: "Forbidden", message: "the namespace is not managed by Berg" });
    if (!found.metadata.deletionTimestamp) return;
    const causes = [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }];
    throw refusal(403, { reason: "Forbidden", message: "it is being terminated", details: { causes } });
  }

  #giveNodePorts({ kind, spec }: Service, before?: Service): void {
    if (kind !== "Service" || spec?.type !== "NodePort") return;
    for (const [at, port] of spec.ports?.entries() ?? []) {
      port.nodePort ??= before?.spec?.ports?.[at]?.nodePort ?? this.#nodePort++;
    }
  }

  /** Fields are merged and lists replaced: enough for what one manager sets. */
  apply<T extends KubeObject>(by: Actor, type: ResourceType<T>, wanted: KubeObject): Stored<T> {
    const { namespace, name, uid } = wanted.metadata;
    const found = this.find<T>(type, makeKey(namespace, name));
    if (!found || found.metadata.uid !== uid) throw refusal(409, { reason: "Conflict" });
    return this.edit(by, found, (draft) => {
      merge(draft as unknown as Json, wanted as unknown as Json);
      this.#giveNodePorts(draft as unknown as Service, found as unknown as Service);
    });
  }

  updateStatus<T extends KubeObject>(by: Actor, object: Stored<T>): Stored<T> {
    const found = this.#objects.get(idOf(object)) as (Stored<T> & { status?: unknown }) | undefined;
    if (!found) throw refusal(404, { reason: "NotFound" });
    if (found.metadata.resourceVersion !== object.metadata.resourceVersion) throw refusal(409, { reason: "Conflict" });
    const { status } = structuredClone(object) as { status?: unknown };
    return this.#put("updated", by, { ...found, status });
  }

  patch<T extends KubeObject>(
    by: Actor,
    type: ResourceType<T>,
    key: { namespace: string; name: string },
    operations: readonly JsonPatchOperation[],
  ): Stored<T> {
    const found = this.get(type, key.namespace, key.name);
    const patched = applyJsonPatch(found, operations) as Stored<T>;
    if (patched.metadata.resourceVersion !== found.metadata.resourceVersion) throw refusal(409, { reason: "Conflict" });
    const isLast = found.metadata.deletionTimestamp && !patched.metadata.finalizers?.length;
    return this.#put(isLast ? "deleted" : "updated", by, patched);
  }

  /** A change of anything but the status. */
  edit<T extends KubeObject>(by: Actor, object: Stored<T>, change: (draft: Stored<T>) => void): Stored<T> {
    const draft = structuredClone(this.#objects.get(idOf(object))) as Stored<T>;
    change(draft);
    draft.metadata.generation = (draft.metadata.generation ?? 1) + 1;
    return this.#put("updated", by, draft);
  }

  delete(by: Actor, type: ResourceType, key: ObjectKey, options: ModelDelete = {}) {
    const found = this.find(type, key);
    if (!found) throw refusal(404, { reason: "NotFound" });
    const { uid = found.metadata.uid, resourceVersion = found.metadata.resourceVersion } = options;
    if (uid !== found.metadata.uid || resourceVersion !== found.metadata.resourceVersion)
      throw refusal(409, { reason: "Conflict" });
    const waits = type.kind === "Namespace" || (type.kind === "Pod" && !options.now);
    if (!waits && !found.metadata.finalizers?.length) return void this.#put("deleted", by, found);
    if (found.metadata.deletionTimestamp && !(options.now && type.kind === "Pod")) return;
    this.edit(by, found, ({ metadata }) => {
      metadata.deletionTimestamp ??= formatTime(this.now);
      if (type.kind === "Pod") metadata.deletionGracePeriodSeconds = options.now ? 0 : 1;
    });
  }

  #put<T extends KubeObject>(type: ModelChange["type"], by: Actor, object: Stored<T>): Stored<T> {
    const id = idOf(object);
    const old = this.#objects.get(id);
    const resourceVersion = String(this.changes.length + 1);
    const stored = freeze({ ...object, metadata: { ...object.metadata, resourceVersion } });
    if (type === "deleted") this.#objects.delete(id);
    else this.#objects.set(id, stored);
    this.changes.push({ type, by, object: stored, ...(old && { old }) });
    return stored;
  }

  // EVERYBODY ELSE

  /** The next small thing that Kubernetes itself would do. Returns whether there was one. */
  tick(): boolean {
    return (
      this.#removeEndedPod() ||
      this.#emptyNamespace() ||
      this.#collect() ||
      this.#retireReplicaSet() ||
      this.#makeReplicaSet() ||
      this.#makePod() ||
      this.#runPod() ||
      this.#acceptRoute()
    );
  }

  #removeEndedPod(): boolean {
    if (this.nodeIsGone) return false;
    const pod = this.all<Pod>("Pod").find(({ metadata }) => metadata.deletionTimestamp && !metadata.finalizers?.length);
    if (pod) this.#put("deleted", "cluster", pod);
    return pod !== undefined;
  }

  /** Pods go before everything else in it, as in a Kubernetes that deletes in order. */
  #emptyNamespace(): boolean {
    for (const namespace of this.all<Namespace>("Namespace")) {
      const { name, deletionTimestamp } = namespace.metadata;
      if (!deletionTimestamp || this.stuck.has(name)) continue;
      const inside = this.objects().filter(({ metadata }) => metadata.namespace === name);
      const pod = inside.find(({ kind }) => kind === "Pod");
      if (pod && this.#isHeld(pod)) {
        if (pod.metadata.deletionTimestamp) continue;
        this.delete("cluster", Pods, keyOf(pod));
      } else this.#put("deleted", "cluster", pod ?? inside[0] ?? namespace);
      return true;
    }
    return false;
  }

  #collect(): boolean {
    if (this.collectorIsBusy) return false;
    const uids = new Set(this.objects().map(({ metadata }) => metadata.uid));
    const isOrphan = ({ metadata }: KubeObject) =>
      !uids.has(metadata.ownerReferences?.[0]?.uid ?? "") && !metadata.deletionTimestamp;
    for (const type of [ReplicaSets, Pods]) {
      const orphan = this.all(type.kind).find(isOrphan);
      if (!orphan) continue;
      this.delete("cluster", type, keyOf(orphan));
      return true;
    }
    return false;
  }

  #isHeld({ metadata }: KubeObject): boolean {
    return this.nodeIsGone || (metadata.finalizers?.length ?? 0) > 0;
  }

  /** The Deployment has another template by now; the pods of the old ReplicaSet go with it. */
  #retireReplicaSet(): boolean {
    const templates = new Map(
      this.all<Deployment>("Deployment").map(({ metadata, spec }) => [metadata.uid, JSON.stringify(spec?.template)]),
    );
    const old = this.all<ReplicaSet>("ReplicaSet").find(({ metadata, spec }) => {
      const wanted = templates.get(metadata.ownerReferences?.[0]?.uid ?? "");
      return wanted !== undefined && wanted !== JSON.stringify(spec?.template);
    });
    if (old) this.delete("cluster", ReplicaSets, keyOf(old));
    return old !== undefined;
  }

  #makeReplicaSet(): boolean {
    return this.#makeFor(this.all<Deployment>("Deployment"), ReplicaSets, ({ spec }) => ({ template: spec?.template }));
  }

  #makePod(): boolean {
    return this.#makeFor(this.all<ReplicaSet>("ReplicaSet"), Pods, ({ spec }) => spec?.template?.spec);
  }

  /** One for the first owner that has none, or none that is not about to go. */
  #makeFor<O extends Deployment | ReplicaSet>(owners: Stored<O>[], type: ResourceType, specOf: (owner: O) => unknown) {
    for (const owner of owners) {
      const { apiVersion, kind, metadata, spec } = owner;
      const { name, namespace = "", uid, deletionTimestamp } = metadata;
      const isGoing = this.find<Namespace>({ kind: "Namespace" }, namespace)?.metadata.deletionTimestamp;
      const has = this.all(type.kind).some(
        (made) => made.metadata.ownerReferences?.[0]?.uid === uid && !made.metadata.deletionTimestamp,
      );
      if (deletionTimestamp || isGoing || has || !spec) continue;
      const { labels = {}, annotations = {} } = spec.template?.metadata ?? {};
      const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
      this.create("cluster", type, {
        metadata: { name: `${name}-${this.changes.length}`, namespace, labels, annotations, ownerReferences },
        spec: specOf(owner),
      } as Manifest<KubeObject>);
      return true;
    }
    return false;
  }

  #acceptRoute(): boolean {
    if (this.gatewayIsGone) return false;
    for (const object of this.#objects.values()) {
      if (object.kind !== HTTPRoutes.kind && object.kind !== TLSRoutes.kind) continue;
      const route = object as Stored<Route & { status?: { observedGeneration: number } }>;
      if (route.status?.observedGeneration === route.metadata.generation) continue;
      this.#put("updated", "cluster", { ...route, status: acceptedRoute(route) });
      return true;
    }
    return false;
  }

  #runPod(): boolean {
    for (const pod of this.all<Pod>("Pod")) {
      const status = podStatus(this.scripts.get(pod.metadata.labels?.[labels.container] ?? "") ?? "ready");
      if (JSON.stringify(pod.status) === JSON.stringify(status)) continue;
      this.#put("updated", "cluster", { ...pod, status });
      return true;
    }
    return false;
  }
}

/** What a gateway that takes every route writes into its status. */
export function acceptedRoute({ metadata, spec }: Route) {
  const { generation: observedGeneration } = metadata;
  const conditions = ["Accepted", "ResolvedRefs"].map((type) => ({
    ...{ type, status: "True", reason: type, observedGeneration },
  }));
  const controllerName = "example.com/gateway";
  // The last field is not of the Gateway API: by it the model finds fast which routes it has looked at.
  return {
    parents: spec.parentRefs.map((parentRef) => ({ parentRef, controllerName, conditions })),
    observedGeneration,
  };
}

const containerStates = {
  ready: { running: {} },
  unready: { running: {} },
  crashing: { terminated: { exitCode: 1, reason: "Error" } },
  unpullable: { waiting: { reason: "ImagePullBackOff", message: "manifest unknown" } },
};

export function podStatus(script: PodScript): NonNullable<Pod["status"]> {
  const ready = script === "ready";
  return {
    phase: script === "unpullable" ? "Pending" : "Running",
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    containerStatuses: [
      { name: "web", image: "web:1", imageID: "", ready, restartCount: 0, state: containerStates[script] },
    ],
  };
}

function idOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

type Json = Record<string, unknown>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merge(into: Json, wanted: Json): void {
  for (const [field, value] of Object.entries(wanted)) {
    const existing = into[field];
    if (isJson(value) && isJson(existing)) merge(existing, value);
    else if (value !== undefined) into[field] = structuredClone(value);
  }
}

/** As an informer hands them out: whoever edits what was only to be read is found at once. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
