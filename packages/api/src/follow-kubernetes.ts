/** The caches behind answers and live messages, and the controller that keeps rows and ChallengeInstances in step. */
import { makeKey, type Stored, splitKey } from "@berg/apimachinery";
import { errorText, type Manager, type Timer, withoutManagedFields } from "@berg/kube";
import { type Challenge, ChallengeInstances, Challenges, readStoredChallenge } from "@berg/resources";
import { type ApiContext, type Caches, instanceName } from "./context.ts";
import { publishChanges, publishInstance } from "./events/publish.ts";
import { ownersWithOpenRows } from "./instances/store.ts";
import { reconcileOwner } from "./instances/sync.ts";

export interface Follower {
  readonly caches: Caches;
  isSynced(): boolean;
  reconcileOwner(ownerId: string): void;
  /** Ends the live messages. */
  detach(): void;
}

/** They mostly wait for the API server and the database. */
const workers = 16;

export function followKubernetes(manager: Manager, context: ApiContext): Follower {
  const { db, clock, settings } = context;
  const { namespace } = settings;
  const selection = { namespace };
  const caches: Caches = {
    challenges: manager.informer(Challenges, { selection, transform: withValidFields }),
    instances: manager.informer(ChallengeInstances, { selection }),
  };
  const keyOfOwner = (ownerId: string) => makeKey(namespace, instanceName(ownerId));
  const controller = manager.addController({
    name: "api-instances",
    workers,
    watches: [
      {
        informers: [caches.instances],
        start(enqueue) {
          const stop = caches.instances.onChange(({ object }) => enqueue(keyOfOwner(object.spec.ownerId)));
          const stopReading = enqueueOpenRows(context, (ownerId) => enqueue(keyOfOwner(ownerId)));
          return () => {
            stopReading();
            stop();
          };
        },
        all: () => caches.instances.list().map(({ spec }) => keyOfOwner(spec.ownerId)),
      },
    ],
    async reconcile(key, { signal }) {
      const ownerId = splitKey(key).name.replace(/^owner-/, "");
      await reconcileOwner({ db, client: manager.client, clock, namespace }, ownerId, signal);
      await publishInstance(context, ownerId);
      return undefined;
    },
  });
  return {
    caches,
    isSynced: () => caches.challenges.hasSynced && caches.instances.hasSynced,
    reconcileOwner: (ownerId) => controller.queue.add(keyOfOwner(ownerId)),
    detach: publishChanges(context, caches),
  };
}

/** After a failure, and otherwise: a row whose object is missing has no event of its own. */
const readAgainMs = { failed: 5_000, done: 60_000 };

/** Reads the rows that have not ended at the start and again and again, so that none is forgotten. */
function enqueueOpenRows({ db, clock, log }: ApiContext, enqueue: (ownerId: string) => void): () => void {
  let timer: Timer | undefined;
  let isStopped = false;
  const read = () => {
    ownersWithOpenRows(db).then(
      (owners) => {
        if (!isStopped) owners.forEach(enqueue);
        readAgainAfter(readAgainMs.done);
      },
      (error) => {
        log.warn({ error: errorText(error) }, "cannot read which instances are open; trying again");
        readAgainAfter(readAgainMs.failed);
      },
    );
  };
  const readAgainAfter = (delayMs: number) => {
    if (!isStopped) timer = clock.setTimer(delayMs, read);
  };
  read();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}

/** A Challenge may have been stored under another CRD: everything here works on valid fields. */
function withValidFields(stored: Stored<Challenge>): Stored<Challenge> {
  return readStoredChallenge(withoutManagedFields(stored)).challenge;
}
