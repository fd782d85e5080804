/**
 * Whether an image of the pod is being pulled right now. A status says `ContainerCreating` meanwhile, as for everything
 * else that takes long; only the events of the kubelet tell. A pull that has come to a halt ends with an error by itself.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import { type Client, type CoreEvent, Events, type Pod } from "@berg/kube";

export async function isPulling(
  client: Pick<Client, "listAll">,
  { metadata }: Stored<Pod>,
  signal: AbortSignal,
): Promise<boolean> {
  const { items } = await client.listAll(Events, {
    namespace: metadata.namespace,
    fieldSelector: `involvedObject.uid=${metadata.uid}`,
    signal,
  });
  return pullsGoOn(items);
}

const endings = new Set(["Pulled", "Failed", "BackOff"]);

/** For any of its containers, which `fieldPath` names. */
export function pullsGoOn(events: readonly CoreEvent[]): boolean {
  const began = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const event of events) {
    const times = event.reason === "Pulling" ? began : endings.has(event.reason ?? "") ? ended : undefined;
    const container = event.involvedObject.fieldPath ?? "";
    times?.set(container, Math.max(times.get(container) ?? 0, timeOf(event)));
  }
  // Times are whole seconds: what began and ended in the same one has ended.
  return [...began].some(([container, at]) => at > (ended.get(container) ?? -1));
}

function timeOf({ series, lastTimestamp, eventTime, metadata }: CoreEvent): number {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return time ? parseTime(time) : 0;
}
