/**
 * What the cluster warns of about the pods of an instance that does not get on: that its node cannot make them, or cannot
 * mount what they need. Players may not read it, and are told nothing then; authors and organisers need not look it up.
 */
import { type Client, type Clock, Events, sleep } from "@berg/kube";
import { printable } from "./printable.ts";

const everyMs = 5000;

/** The instance itself says the others. */
const isTold = new Set(["Failed", "FailedScheduling"]);

export interface PodWarnings {
  client: Pick<Client, "list">;
  clock: Clock;
  /** Where its pods are, as long as there is something to wait for. */
  namespace(): string | undefined;
  tell(text: string): void;
}

/** Until it is told to stop. Each kind of warning is told once: the next try says the same in other numbers. */
export async function tellOfPodWarnings({ client, clock, namespace, tell }: PodWarnings, stop: AbortSignal) {
  const told = new Set<string>();
  for (;;) {
    await sleep(clock, everyMs, stop).catch(() => {});
    if (stop.aborted) return;
    const place = namespace();
    if (place === undefined) continue;
    for (const { reason, message } of await warnings(client, place, stop)) {
      if (!reason.startsWith("Failed") || isTold.has(reason) || told.has(reason)) continue;
      told.add(reason);
      tell(`The cluster warns (${printable(reason)}): ${printable(message)}`);
    }
  }
}

async function warnings(client: Pick<Client, "list">, namespace: string, signal: AbortSignal) {
  const fieldSelector = "type=Warning,involvedObject.kind=Pod";
  try {
    const { items } = await client.list(Events, { namespace, fieldSelector, limit: 100, signal });
    return items.map(({ reason = "", message = "" }) => ({ reason, message }));
  } catch {
    // Whoever waits need not be allowed to see them, and is told of a server that is away by others.
    return [];
  }
}
