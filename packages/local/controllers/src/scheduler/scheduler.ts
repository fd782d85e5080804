/**
 * Gives each pod that has none a node with room for it.
 *
 * The decision for one pod is made in one piece, and takes its room at once; only then is the server told. So many pods
 * can be on their way at a time, and none takes what another was given.
 *
 * It evicts nobody for a more important pod. What a pod may ask of its neighbours (required affinity to other pods,
 * spreading that must be kept) it does not know, and says so rather than to ignore it.
 */
import { isConflict, isNotFound, jsonEqual, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  findCondition,
  type Manager,
  type Node,
  Nodes,
  OwnWrites,
  type Pod,
  Pods,
  timestamp,
  type Watch,
} from "@berg/kube";
import { hasEnded } from "../replica-sets/pods.ts";
import { freeShare, type Misfit, misfitOf, refusal } from "./fit.ts";
import { Rooms } from "./rooms.ts";

const schedulerName = "default-scheduler";

export function addScheduler(manager: Manager, { clock }: { clock: Clock }): void {
  const { client } = manager;
  const recorder = manager.recorderFor("default-scheduler");
  const nodes = manager.informer(Nodes);
  const cachedPods = manager.informer(Pods);
  const pods = new OwnWrites(cachedPods, clock);
  const rooms = new Rooms();
  /** Those for which no node had room. */
  const waiting = new Set<ObjectKey>();

  manager.addController({ name: "scheduler", watches: [watchPods(), watchNodes()], workers: 20, reconcile });

  async function reconcile(key: ObjectKey, { signal }: { signal: AbortSignal }): Promise<undefined> {
    const pod = pods.get(key);
    if (!pod || !isToPlace(pod) || rooms.isPlaced(pod.metadata.uid)) {
      waiting.delete(key);
      return;
    }
    const choice = choose(pod);
    if ("node" in choice) {
      waiting.delete(key);
      await bind(pod, choice.node, signal);
    } else {
      waiting.add(key);
      await refuse(pod, choice.message, signal);
    }
  }

  function choose(pod: Stored<Pod>): { node: string } | { message: string } {
    const unknown = unknownWish(pod);
    if (unknown) return { message: `this scheduler does not know ${unknown}` };
    const misfits: Misfit[] = [];
    let best: { node: string; share: number; pods: number } | undefined;
    for (const node of nodes.list()) {
      const { name } = node.metadata;
      const taken = rooms.taken(name);
      const misfit = misfitOf(pod, node, taken);
      if (misfit) {
        misfits.push(misfit);
        continue;
      }
      const share = freeShare(pod, node, taken);
      if (!best || share > best.share || (share === best.share && taken.pods < best.pods))
        best = { node: name, share, pods: taken.pods };
    }
    return best ?? { message: refusal(misfits) };
  }

  async function bind(pod: Stored<Pod>, node: string, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    rooms.place(uid, node, pod);
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { namespace, name, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    try {
      await client.createSubresource(Pods, namespace, name, "binding", body, { signal });
    } catch (error) {
      // The answer may be lost and the pod bound all the same: then its own event says so, and takes the room again.
      if (!cachedPods.get(keyOf(pod))?.spec?.nodeName) rooms.remove(uid);
      // It is gone, or somebody else was faster. The news are on their way.
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    recorder.event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async function refuse(pod: Stored<Pod>, message: string, signal: AbortSignal): Promise<void> {
    const old = findCondition(pod.status?.conditions, "PodScheduled");
    if (old?.status === "False" && old.reason === "Unschedulable" && old.message === message) return;
    const { namespace = "", name, uid, generation } = pod.metadata;
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : timestamp(clock),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    try {
      pods.wrote(
        await client.patch(Pods, namespace, name, { type: "strategic", body }, { subresource: "status", signal }),
      );
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    recorder.event(pod, "Warning", "FailedScheduling", message);
  }

  function watchPods(): Watch {
    return {
      informers: [cachedPods],
      start: (enqueue) =>
        cachedPods.onChange(({ type, object }) => {
          const { uid } = object.metadata;
          const isRoomier = type === "deleted" ? rooms.remove(uid) : rooms.see(uid, object);
          if (isRoomier) for (const key of waiting) enqueue(key);
          if (isToPlace(object)) enqueue(keyOf(object));
        }),
      *all() {
        for (const pod of cachedPods.list()) if (isToPlace(pod)) yield keyOf(pod);
      },
    };
  }

  function watchNodes(): Watch {
    return {
      informers: [nodes],
      start: (enqueue) =>
        nodes.onChange((change) => {
          if (change.type === "updated" && jsonEqual(placeOf(change.old), placeOf(change.object))) return;
          for (const key of waiting) enqueue(key);
        }),
      all: () => [],
    };
  }
}

/** What of a node decides whether pods fit; the rest of it changes with each heartbeat. */
function placeOf({ metadata, spec, status }: Node): object {
  const ready = findCondition(status?.conditions, "Ready")?.status ?? "Unknown";
  const { unschedulable = false, taints = [] } = spec ?? {};
  return { labels: metadata.labels ?? {}, unschedulable, taints, allocatable: status?.allocatable ?? {}, ready };
}

function isToPlace(pod: Pod): boolean {
  const {
    nodeName,
    schedulerName: name = schedulerName,
    schedulingGates = [],
  } = (pod.spec ?? {}) as {
    nodeName?: string;
    schedulerName?: string;
    schedulingGates?: object[];
  };
  const isOurs = !nodeName && name === schedulerName && schedulingGates.length === 0;
  return isOurs && !pod.metadata.deletionTimestamp && !hasEnded(pod);
}

/** What the pod wants and this scheduler cannot give, in words; undefined where it can give all. */
function unknownWish({ spec }: Pod): string | undefined {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length) return "required pod affinity";
  if (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length) return "required pod anti-affinity";
  const mustSpread = spec?.topologySpreadConstraints?.some(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  if (mustSpread) return "topology spread constraints that must be kept (DoNotSchedule)";
  return undefined;
}
