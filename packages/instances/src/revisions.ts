/** Removes the records of what instances run that no instance has needed for a while. */
import { makeKey, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  ControllerRevisions,
  deleteChild,
  type Informer,
  type Manager,
  type Watch,
  watchSelf,
} from "@berg/kube";
import { type ChallengeInstance, components, labels } from "@berg/resources";
import { by, type Caches } from "./observe/caches.ts";

/** Instances of a Challenge come and go: what was used a moment ago is likely to be used again. */
const keptForMs = 600_000;

export function addRevisionController(manager: Manager, caches: Caches, clock: Clock): void {
  const { informer } = caches.revisions;
  const unusedSince = new Map<ObjectKey, number>();

  manager.addController({
    name: "challengerevision",
    workers: 1,
    watches: [watchSelf(informer), watchUse(caches.instances.informer)],
    async reconcile(key, { signal }) {
      const revision = informer.get(key);
      const isOne = revision?.metadata.labels?.[labels.component] === components.revision;
      if (!isOne || caches.instances.view.byIndex(by.revision, key).length > 0) {
        unusedSince.delete(key);
        return undefined;
      }
      const since = unusedSince.get(key) ?? clock.monotonic();
      unusedSince.set(key, since);
      const left = since + keptForMs - clock.monotonic();
      if (left > 0) return { requeueAfterMs: left };
      await deleteChild(manager.client, ControllerRevisions, revision, { signal });
      return undefined;
    },
  });
}

/** Only where an instance begins or ceases to use one: each look goes through all instances that use the same. */
function watchUse(instances: Informer<ChallengeInstance>): Watch {
  return {
    informers: [instances],
    start: (enqueue) =>
      instances.onChange((change) => {
        const keys = change.type === "updated" ? [usedBy(change.old), usedBy(change.object)] : [usedBy(change.object)];
        if (change.type === "updated" && keys[0] === keys[1]) return;
        for (const key of keys) if (key !== undefined) enqueue(key);
      }),
    all: () => [],
  };
}

function usedBy({ metadata, status }: Stored<ChallengeInstance>): ObjectKey | undefined {
  return status?.revision === undefined ? undefined : makeKey(metadata.namespace, status.revision);
}
