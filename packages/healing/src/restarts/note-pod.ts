/** Notes in the record which pod runs a container now, and how often the container was started again in it. */
import type { Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { by, type Caches, containerOf } from "../observe/caches.ts";
import type { OpenRecords } from "../observe/open-records.ts";
import type { InOrder } from "./in-order.ts";

export interface PodNoter {
  caches: Pick<Caches, "pods">;
  open: OpenRecords;
  inOrder: InOrder;
}

export async function notePod(
  instance: string,
  pod: Stored<Pod>,
  { caches, open, inOrder }: PodNoter,
  signal: AbortSignal,
): Promise<void> {
  const record = open.get(instance);
  if (!record) return;
  const container = containerOf(pod);
  // The pod that came for it is in another line: what is noted last must be what is so.
  await inOrder.run(`${instance}/${container}`, async () => {
    const pods = caches.pods.byIndex(by.instance, instance);
    const current = currentPod(pods, record.namespace, container);
    if (!current) return;
    await open.pod(instance, container, { uid: current.metadata.uid, restarts: restartsOf(current) }, signal);
  });
}

/** The newest in the namespace of the instance that is not going, nor has failed for good. */
export function currentPod(
  pods: readonly Stored<Pod>[],
  namespace: string,
  container: string,
): Stored<Pod> | undefined {
  return pods
    .filter((pod) => pod.metadata.namespace === namespace && containerOf(pod) === container)
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== "Failed")
    .toSorted(byAge)
    .at(-1);
}

function byAge({ metadata: one }: Stored<Pod>, { metadata: other }: Stored<Pod>): number {
  if (one.creationTimestamp !== other.creationTimestamp)
    return one.creationTimestamp < other.creationTimestamp ? -1 : 1;
  return one.uid < other.uid ? -1 : 1;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
