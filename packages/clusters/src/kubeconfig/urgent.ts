import type { KubeObject, ObjectKey, Stored } from "@berg/apimachinery";
import type { Informer, Watch } from "@berg/kube";

const priority = 10;

/**
 * Reconciles what `keysOf` names ahead of all others, once, when `holds` begins to hold. Not at each change while it
 * holds: what is urgent does not rest after a failure, and our own writes would drive it round and round.
 */
export function watchBeginning<T extends KubeObject>(
  informer: Informer<T>,
  holds: (object: Stored<T>) => boolean,
  keysOf: (object: Stored<T>) => Iterable<ObjectKey>,
): Watch {
  return {
    informers: [informer],
    start: (enqueue) =>
      informer.onChange((change) => {
        if (!holds(change.object) || (change.type === "updated" && holds(change.old))) return;
        for (const key of keysOf(change.object)) enqueue(key, { priority });
      }),
    all: () => [],
  };
}
