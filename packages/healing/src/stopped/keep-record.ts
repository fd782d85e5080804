/**
 * One look at the record of one instance: opened when the instance starts, kept true while it lives, closed when it is
 * gone. Closing gives its place away: where only our copies say that something is gone, the server is asked first.
 */
import type { Stored } from "@berg/apimachinery";
import { type Client, type Clock, Namespaces, type Result } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { by, type Caches } from "../observe/caches.ts";
import { readNow } from "../observe/lookup.ts";
import type { OpenRecords } from "../observe/open-records.ts";
import type { RuntimeRecord } from "../records/runtime-records.ts";
import { instanceUidOf } from "../removing/marks.ts";
import { decideRecord, stopIfGoing } from "./decide.ts";

export interface RecordKeeper {
  client: Pick<Client, "get">;
  caches: Caches;
  open: OpenRecords;
  clock: Clock;
  /** Told of each record that is opened, so that its pods can be noted. */
  opened(uid: string): void;
  stopped(): void;
}

/** What the server has and the copies do not have yet comes within this time. */
const copiesCatchUpMs = 2_000;
/** Nobody tells us about a namespace without our marks, so it is asked for. */
const withoutMarksMs = 60_000;

export async function keepRecord(uid: string, keeper: RecordKeeper, signal: AbortSignal): Promise<Result | undefined> {
  const { caches, open, clock } = keeper;
  if (!open.isLoaded) return undefined;
  const [instance] = caches.instances.byIndex(by.uid, uid);
  const record = open.get(uid);
  if (!instance) return record && stopIfInstanceIsGone(record, keeper, signal);
  const namespace = caches.namespaces
    .byIndex(by.instance, uid)
    .find(({ metadata }) => metadata.name === instance.status?.namespace);
  const step = decideRecord(instance, namespace, clock.now());
  switch (step.do) {
    case "live":
      if ((await open.live(step.life, signal)) && !record) keeper.opened(uid);
      return undefined;
    case "stop":
      return record && stop(record, step.at, keeper, signal);
    case "ask":
      return record && stopIfNamespaceIsGone(record, keeper, signal);
    case "nothing":
      return undefined;
  }
}

async function stopIfInstanceIsGone(record: RuntimeRecord, keeper: RecordKeeper, signal: AbortSignal) {
  const { namespace, name } = record.instance;
  const now: Stored<ChallengeInstance> | undefined = await readNow(
    keeper.client,
    ChallengeInstances,
    namespace,
    name,
    signal,
  );
  if (now?.metadata.uid === record.uid) return { requeueAfterMs: copiesCatchUpMs };
  return stop(record, keeper.clock.now(), keeper, signal);
}

async function stopIfNamespaceIsGone(record: RuntimeRecord, keeper: RecordKeeper, signal: AbortSignal) {
  const now = await readNow(keeper.client, Namespaces, "", record.namespace, signal);
  const owner = now && instanceUidOf(now);
  const isAnothers = owner !== undefined && owner !== record.uid;
  if (!now || isAnothers) return stop(record, keeper.clock.now(), keeper, signal);
  const step = stopIfGoing(now);
  if (step?.do === "stop") return stop(record, step.at, keeper, signal);
  // Somebody has taken our marks from it: what is in it runs on, and the controller asks for them back.
  return { requeueAfterMs: owner === undefined ? withoutMarksMs : copiesCatchUpMs };
}

async function stop(
  { uid, startedAt }: RuntimeRecord,
  at: number,
  { open, stopped }: RecordKeeper,
  signal: AbortSignal,
): Promise<undefined> {
  // Clocks differ; nothing stops before it has started.
  if (await open.stop(uid, Math.max(at, startedAt), signal)) stopped();
}
