/** The caches behind answers and live messages, and the controller that keeps rows and ChallengeInstances in step. */
import { makeKey, type Stored, splitKey } from "@berg/apimachinery";
import { errorText, type Manager, type Timer, withoutManagedFields } from "@berg/kube";
import {
  type Challenge,
  ChallengeInstances,
  Challenges,
  Competitions,
  Pages,
  readStoredChallenge,
} from "@berg/resources";
import type { CurrentCompetition } from "./competition/current-competition.ts";
import { timeoutOf } from "./competition/rules.ts";
import { type ApiContext, type Caches, instanceName } from "./context.ts";
import type { InstanceState } from "./database/schema.ts";
import { publishChanges, publishInstance, publishInstancesAgain, publishMetadata } from "./events/publish.ts";
import { ownersWithOpenRows, pendingRows } from "./instances/store.ts";
import { reconcileOwner, type SyncDeps } from "./instances/sync.ts";
import type { ApiMetrics } from "./metrics.ts";

export interface Follower {
  readonly caches: Caches;
  isSynced(): boolean;
  reconcileOwner(ownerId: string): void;
  /** Ends the live messages. */
  detach(): void;
}

/** They mostly wait for the API server and the database. */
const workers = 16;

/** Name of the index of ChallengeInstances. */
const byOwner = "owner";

export function followKubernetes(
  manager: Manager,
  context: ApiContext,
  competition: CurrentCompetition,
  metrics?: ApiMetrics,
): Follower {
  const { db, clock, settings, flagKey } = context;
  const { namespace } = settings;
  const selection = { namespace };
  const caches: Caches = {
    challenges: manager.informer(Challenges, { selection, transform: withValidFields }),
    instances: manager.informer(ChallengeInstances, { selection }),
    competitions: manager.informer(Competitions, { selection }),
    pages: manager.informer(Pages, { selection }),
  };
  caches.instances.ensureIndex(byOwner, ({ spec }) => [spec.ownerId]);
  const findChallenge = (name: string) => caches.challenges.get(makeKey(namespace, name));
  const sync: Omit<SyncDeps, "client"> = {
    ...{ db, clock, namespace, flagKey, findChallenge },
    cachedObjects: (ownerId) => caches.instances.byIndex(byOwner, ownerId),
    timeoutOf: (name) => timeoutOf(context.competition(), findChallenge(name)),
    onTimeline: (timeline) => metrics?.started(timeline),
    onSynced: (change, lagMs) => metrics?.synced(change, lagMs),
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
          const enqueueOwner = (ownerId: string) => enqueue(keyOfOwner(ownerId));
          const undo = [stop, enqueueOpenRows(context, enqueueOwner), enqueuePendingRows(context, enqueueOwner)];
          competition.lead();
          return () => {
            for (const one of undo) one();
          };
        },
        all: () => caches.instances.list().map(({ spec }) => keyOfOwner(spec.ownerId)),
      },
    ],
    async reconcile(key, { signal }) {
      const ownerId = splitKey(key).name.replace(/^owner-/, "");
      let isRowChanged = false;
      const onRowChange = () => {
        isRowChanged = true;
      };
      await reconcileOwner({ ...sync, client: manager.client, onRowChange }, ownerId, signal);
      if (isRowChanged) context.replicas.hint({ kind: "instance", ownerId });
      await publishInstance(context, ownerId);
      return undefined;
    },
  });
  const key = makeKey(namespace, settings.competition);
  const stopObserving = caches.competitions.onChange(({ type, object: { metadata, spec } }) => {
    if (makeKey(metadata.namespace ?? "", metadata.name) !== key) return;
    if (competition.observe(type === "deleted" ? undefined : spec, manager.isLeading)) publishMetadata(context);
  });
  const stopPublishing = publishChanges(context, caches);
  // After the rules are known: a freeze counts at once.
  const stopScoring = [caches.challenges, caches.competitions].map((cache) =>
    cache.onChange(() => context.board.follow()),
  );
  const detached = new AbortController();
  // What changes while they are filled, after a lost lease, cannot be presented yet: open pages would show the old state.
  Promise.all(Object.values(caches).map((cache) => cache.synced(detached.signal))).then(
    () => publishInstancesAgain(context),
    () => {},
  );
  return {
    caches,
    isSynced: () => Object.values(caches).every(({ hasSynced }) => hasSynced),
    reconcileOwner: (ownerId) => controller.queue.add(keyOfOwner(ownerId)),
    detach() {
      detached.abort();
      stopObserving();
      stopPublishing();
      for (const stop of stopScoring) stop();
    },
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

const pendingMs = 1_000;

/** Reads every second which rows wait for the leader: the hint of the replica that wrote one may be lost. */
function enqueuePendingRows({ db, clock, log }: ApiContext, enqueue: (ownerId: string) => void): () => void {
  let timer: Timer | undefined;
  let isStopped = false;
  /** States of the rows that were enqueued, by their ids: each state once, and retries are the queue's. */
  let known = new Map<string, InstanceState>();
  const read = async () => {
    try {
      const rows = await pendingRows(db);
      if (isStopped) return;
      for (const { id, owner_id, state } of rows) if (known.get(id) !== state) enqueue(owner_id);
      known = new Map(rows.map(({ id, state }) => [id, state]));
    } catch (error) {
      log.debug({ error: errorText(error) }, "cannot read which instances wait; trying again");
    }
    if (!isStopped) timer = clock.setTimer(pendingMs, () => void read());
  };
  void read();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}

/** A Challenge may have been stored under another CRD: everything here works on valid fields. */
function withValidFields(stored: Stored<Challenge>): Stored<Challenge> {
  return readStoredChallenge(withoutManagedFields(stored)).challenge;
}
