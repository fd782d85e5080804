/**
 * Keeps as many pods as each ReplicaSet asks for, and tells how they are.
 *
 * What was just created or deleted is seen through OwnWrites, so none is made or deleted twice, and nothing has to be
 * waited for.
 */
import { isNamespaceTerminating, keyOf, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  deleteChild,
  type Manager,
  OwnWrites,
  type Pod,
  Pods,
  type ReplicaSet,
  ReplicaSets,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import { claim, controllerOf, controllerReference, ownerIndexOf, selectorOf } from "./claim.ts";
import { inDeletionOrder } from "./deletion-order.ts";
import { availableInMs, hasEnded, isActive, isTerminating, replacementInMs } from "./pods.ts";
import { slowStart } from "./slow-start.ts";
import { isSameStatus, statusOf } from "./status.ts";

/** At most so many pods are made or deleted in one turn, so that one ReplicaSet does not hold up all others. */
const burst = 500;

export function addReplicaSetController(manager: Manager, { clock }: { clock: Clock }): void {
  const { client } = manager;
  const recorder = manager.recorderFor("replicaset-controller");
  const cachedSets = manager.informer(ReplicaSets);
  const cachedPods = manager.informer(Pods);
  const replicaSets = new OwnWrites(cachedSets, clock);
  const pods = new OwnWrites(cachedPods, clock);
  pods.ensureIndex("owner", ownerIndexOf);
  cachedSets.ensureIndex("uid", ({ metadata }) => [metadata.uid]);
  cachedSets.ensureIndex("owner", ownerIndexOf);
  cachedSets.ensureIndex("namespace", ({ metadata }) => [metadata.namespace as string]);

  manager.addController({
    name: "replica-sets",
    watches: [watchSelf(cachedSets), watchMapped(cachedPods, setsOf)],
    workers: 20,
    async reconcile(key, { signal }) {
      const replicaSet = replicaSets.get(key);
      if (!replicaSet) return;
      const isClaimable = (pod: Pod) => isActive(pod);
      const mine = await claim(
        { client, ownerType: ReplicaSets, type: Pods, view: pods, isClaimable },
        replicaSet,
        signal,
      );
      const active = mine.filter(isActive);
      const terminating = mine.filter(isTerminating);
      const waitMs = replacementInMs(mine, clock.now());
      const isLeaving = replicaSet.metadata.deletionTimestamp !== undefined;
      const failure = isLeaving ? undefined : await resize(replicaSet, active, waitMs === 0, signal);

      const status = statusOf(replicaSet, { active, terminating, failure }, clock.now());
      if (!isSameStatus(replicaSet.status, status)) {
        const changed = { ...replicaSet, status };
        replicaSets.wrote(await client.update(ReplicaSets, changed, { subresource: "status", signal }));
      }
      if (failure) throw failure;
      const nextMs = Math.min(nextAvailabilityMs(replicaSet, active), waitMs || Number.POSITIVE_INFINITY);
      return Number.isFinite(nextMs) ? { requeueAfterMs: nextMs } : undefined;
    },
  });

  /** Whose count a pod changes; for one without a controller, who may want to adopt it. */
  function setsOf(pod: Stored<Pod>): string[] {
    const controller = controllerOf(pod);
    if (controller) return cachedSets.byIndex("uid", controller.uid).map(keyOf);
    if (hasEnded(pod)) return [];
    const { namespace, labels } = pod.metadata;
    const near = cachedSets.byIndex("namespace", namespace as string);
    return near.filter((replicaSet) => selectorOf(replicaSet).matches(labels)).map(keyOf);
  }

  /** The first thing that went wrong, if any. */
  async function resize(
    replicaSet: Stored<ReplicaSet>,
    active: readonly Stored<Pod>[],
    mayCreate: boolean,
    signal: AbortSignal,
  ): Promise<Error | undefined> {
    const missing = (replicaSet.spec?.replicas ?? 1) - active.length;
    try {
      if (missing > 0 && mayCreate) await slowStart(Math.min(missing, burst), () => createPod(replicaSet, signal));
      if (missing < 0) {
        const order = inDeletionOrder(active, relatedPods(replicaSet), clock.now());
        const surplus = order.slice(0, Math.min(-missing, burst));
        await slowStart(surplus.length, () => deletePod(replicaSet, surplus.shift() as Stored<Pod>, signal));
      }
      return undefined;
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      return error;
    }
  }

  async function createPod(replicaSet: Stored<ReplicaSet>, signal: AbortSignal): Promise<void> {
    try {
      const pod = await client.create(Pods, podOf(replicaSet), { signal });
      pods.wrote(pod);
      recorder.event(replicaSet, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      // All of it goes soon; there is nobody left to tell.
      if (isNamespaceTerminating(error)) return;
      if (error instanceof Error && !signal.aborted)
        recorder.event(replicaSet, "Warning", "FailedCreate", `Error creating: ${error.message}`);
      throw error;
    }
  }

  async function deletePod(replicaSet: Stored<ReplicaSet>, pod: Stored<Pod>, signal: AbortSignal): Promise<void> {
    try {
      await deleteChild(client, Pods, pod, { signal });
    } catch (error) {
      if (!(error instanceof Error) || signal.aborted) throw error;
      recorder.event(replicaSet, "Warning", "FailedDelete", `Error deleting: ${error.message}`);
      throw new Error(`unable to delete pods: ${error.message}`, { cause: error });
    }
    pods.deleted(pod.metadata.uid);
    recorder.event(replicaSet, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }

  /** Those of all ReplicaSets of the same Deployment. */
  function relatedPods(replicaSet: Stored<ReplicaSet>): Stored<Pod>[] {
    const controller = controllerOf(replicaSet);
    const siblings = controller ? cachedSets.byIndex("owner", controller.uid) : [replicaSet];
    return siblings.flatMap(({ metadata }) => pods.byIndex("owner", metadata.uid));
  }

  function nextAvailabilityMs({ spec }: Stored<ReplicaSet>, active: readonly Stored<Pod>[]): number {
    const waits = active.map((pod) => availableInMs(pod, spec?.minReadySeconds ?? 0, clock.now()));
    return Math.min(...waits.filter((ms) => ms > 0));
  }
}

export function podOf(replicaSet: Stored<ReplicaSet>) {
  const { metadata: { labels, annotations, finalizers } = {}, spec } = replicaSet.spec?.template ?? {};
  const metadata = {
    generateName: podNamePrefix(replicaSet.metadata.name),
    namespace: replicaSet.metadata.namespace as string,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ownerReferences: [controllerReference(ReplicaSets, replicaSet)],
  };
  return { metadata, ...(spec && { spec }) };
}

/** Without the dash where the name would be too long with it; the server shortens what comes before its own ending. */
function podNamePrefix(name: string): string {
  return name.length < 253 ? `${name}-` : name;
}
