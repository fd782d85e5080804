/**
 * Takes everything of an instance away: workloads first, then the namespace. In this order no pod outlives the network
 * policy that holds it.
 */
import type { Stored } from "@berg/apimachinery";
import { Deployments, isConditionTrue, type Namespace, Namespaces, Pods } from "@berg/kube";
import { isAnothers, isOurs } from "../builders/marks.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import { conditionTypes } from "../vocabulary.ts";
import type { Effect } from "./decision.ts";

/** The garbage collector needs about one second; after this, pods are deleted by us, and no Deployment is waited for. */
const mayLingerMs = 10_000;

export interface TakeDown {
  effects: Effect[];
  /** Whether no container runs any more. */
  stopped: boolean;
  dueAt?: number;
}

/** The namespace under the instance's name, where it is this instance's. */
export function ownNamespace({ namespace, instance }: Snapshot): Stored<Namespace> | undefined {
  return namespace && isOurs(namespace, instance.metadata.uid) ? namespace : undefined;
}

/**
 * The namespace that was this instance's, and from which somebody has taken our marks. What does not carry them is left
 * alone, but it is not gone either.
 */
export function disownedNamespace({ namespace, instance }: Snapshot): Stored<Namespace> | undefined {
  const wasMade = isConditionTrue(instance.status?.conditions, conditionTypes.namespaceCreated);
  if (!wasMade || !namespace) return undefined;
  return isOurs(namespace, instance.metadata.uid) || isAnothers(namespace, instance.metadata.uid)
    ? undefined
    : namespace;
}

/** `since`: when it began, in ms since 1970. */
export function takeDown(seen: Snapshot, namespace: Stored<Namespace>, since: number): TakeDown {
  const deployments = [...seen.children.values()].filter(({ kind }) => kind === Deployments.kind);
  const running = deployments.filter(({ metadata }) => !metadata.deletionTimestamp);
  if (running.length > 0) {
    return { effects: running.map((object) => ({ do: "delete", type: Deployments, object })), stopped: false };
  }
  const deadline = since + mayLingerMs;
  if (seen.pods.length + deployments.length > 0 && seen.now < deadline) {
    return { effects: [], stopped: false, dueAt: deadline };
  }
  if (namespace.metadata.deletionTimestamp !== undefined) return { effects: [], stopped: true };
  // Those on a node that is gone would hold up the namespace, and with it the owner's next instance, until it is back.
  const hanging: Effect[] = seen.pods.map((object) => ({ do: "delete", type: Pods, object }));
  return { effects: [...hanging, { do: "delete", type: Namespaces, object: namespace }], stopped: true };
}
