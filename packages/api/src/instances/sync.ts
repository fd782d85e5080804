/**
 * Keeps rows and ChallengeInstances in step: creates what was asked for, deletes what was stopped, stores how it went and
 * how it ended. Runs on the leader alone, for one owner at a time, and recomputes everything from the database and the API
 * server, so that the next reconcile completes what a crash between any two writes left unfinished.
 *
 * Our finalizer holds each ChallengeInstance until its end is stored. It is only on those that the API created. Those of
 * others get a row as well, so that their owners see them and their flags are known.
 */
import { apiVersionOf, isAlreadyExists, parseTime, type Stored } from "@berg/apimachinery";
import { DatabaseError } from "@berg/database";
import { type Client, type Clock, deleteChild, removeFinalizer } from "@berg/kube";
import {
  annotations,
  type Challenge,
  type ChallengeInstance,
  ChallengeInstances,
  fieldManagers,
  finalizers,
  isEnding,
  needsFlag,
} from "@berg/resources";
import type { Kysely } from "kysely";
import { instanceName, objectName } from "../context.ts";
import type { InstanceRow, Tables } from "../database/schema.ts";
import type { Timeline } from "../wire.ts";
import { flagHmac } from "./flags.ts";
import { idOf, isOf, orUndefined } from "./objects.ts";
import { endRow, findRow, insertRow, isFlagTaken, openRows, setReady, setState, setTimeline } from "./store.ts";
import { isComplete, readTimeline } from "./timeline.ts";

export interface SyncDeps {
  db: Kysely<Tables>;
  /** Writes only while this process leads. */
  client: Client;
  clock: Clock;
  /** Where ChallengeInstances and Challenges are. */
  namespace: string;
  /** HMAC key for flags. */
  flagKey: Buffer;
  /** From the caches. */
  findChallenge(name: string): Challenge | undefined;
  cachedObjects(ownerId: string): Stored<ChallengeInstance>[];
  /** What new instances get as `spec.timeout`. Undefined: what the Challenge or the controller says. */
  timeoutOf(challengeName: string): string | undefined;
  /** A row appeared or ended, which no change of an object tells. */
  onRowChange?(): void;
  /** The start has succeeded or failed. */
  onTimeline?(timeline: Timeline): void;
  /** An object was created or its deletion was asked for, so long after it was wanted. */
  onSynced?(change: "start" | "stop", lagMs: number): void;
}

export async function reconcileOwner(deps: SyncDeps, ownerId: string, signal: AbortSignal): Promise<void> {
  const { db, client, namespace } = deps;
  const cached = deps.cachedObjects(ownerId);
  // Read before the objects: an object of a row that was created then, and is missing now, is gone for good. A row that
  // was requested then may have been created by the next leader meanwhile.
  const rows = await openRows(db, ownerId);
  if (isSettled(rows, cached)) return;
  if (cached.length === 0 && isNewStart(rows) && (await createObject(deps, rows[0], signal))) return;
  const names = new Set([instanceName(ownerId), ...cached.map(({ metadata }) => metadata.name)]);
  for (const row of rows) names.add(objectName(row));
  const objects: Stored<ChallengeInstance>[] = [];
  for (const name of names) {
    // A quorum read: rows end because an object is gone, so it must be gone now and not only in a cache.
    const object = await client.get(ChallengeInstances, namespace, name, { signal }).catch(orUndefined);
    if (!object) continue;
    objects.push(object);
    await followObject(deps, object, signal);
  }
  for (const row of rows) {
    signal.throwIfAborted();
    if (objects.some((object) => isOf(object, row))) continue;
    if (row.state !== "requested") await end(deps, row, deps.clock.now(), reasonOf(row));
    // While the previous one is still there, its deletion brings us back.
    else if (!objects.some(({ metadata }) => metadata.name === objectName(row))) await createObject(deps, row, signal);
  }
}

/**
 * Whether row and object agree, so that there is nothing to write. The cache suffices for that: where the object has
 * changed since, or is gone, the watch event of it asks for the next reconcile.
 */
function isSettled(rows: readonly InstanceRow[], objects: readonly Stored<ChallengeInstance>[]): boolean {
  const [row, object] = [rows[0], objects[0]];
  if (!row || !object || rows.length > 1 || objects.length > 1 || !isOf(object, row)) return false;
  const { phase, readyAt } = object.status ?? {};
  return (
    row.state === "created" &&
    row.stop_requested_at === null &&
    object.metadata.deletionTimestamp === undefined &&
    phase !== "Terminated" &&
    (readyAt === undefined || row.ready_at !== null) &&
    !isTimelineDue(row, phase)
  );
}

/** Most starts: nothing else is there, so that the create itself tells whether the name is free. */
function isNewStart(rows: readonly InstanceRow[]): rows is readonly [InstanceRow] {
  const [row] = rows;
  return rows.length === 1 && row?.state === "requested" && row.stop_requested_at === null;
}

async function end(deps: SyncDeps, { id }: InstanceRow, at: number, reason: string): Promise<void> {
  if (await endRow(deps.db, id, { at, reason })) deps.onRowChange?.();
}

async function followObject(deps: SyncDeps, object: Stored<ChallengeInstance>, signal: AbortSignal): Promise<void> {
  const { db, client, clock } = deps;
  const isOurs = object.metadata.finalizers?.includes(finalizers.api) === true;
  const row = (await findRowOf(deps, object)) ?? (isOurs ? undefined : await insertForeign(deps, object));
  if (!row && !isOurs) return;
  const { status = {} } = object;
  if (row?.state === "requested") await setState(db, row.id, "requested", "created");
  if (row && row.ready_at === null && status.readyAt !== undefined) {
    await setReady(db, row.id, parseTime(status.readyAt));
  }
  if (row && isTimelineDue(row, status.phase)) {
    const timeline = await readTimeline(client, row, object, signal);
    if (await setTimeline(db, row, timeline)) deps.onTimeline?.(timeline);
  }
  if (isUnwanted(row, isOurs) && object.metadata.deletionTimestamp === undefined) {
    await requestEnd(deps, object, row, signal);
  }
  if (status.phase !== "Terminated" && !isAbandoned(object)) return;
  if (row) {
    const at = status.terminatedAt === undefined ? clock.now() : parseTime(status.terminatedAt);
    await end(deps, row, at, status.terminationReason ?? reasonOf(row));
  }
  if (!isOurs) return;
  const { namespace = "", name, uid } = object.metadata;
  const latest = await client.get(ChallengeInstances, namespace, name, { signal }).catch(orUndefined);
  if (latest?.metadata.uid !== uid) return;
  await removeFinalizer(client, ChallengeInstances, latest, finalizers.api, { signal });
}

async function findRowOf({ db }: SyncDeps, object: ChallengeInstance): Promise<InstanceRow | undefined> {
  const id = idOf(object);
  return id === undefined ? undefined : findRow(db, id);
}

/** None where the owner has an instance of the API's: then only organisers see the other one. */
async function insertForeign(deps: SyncDeps, object: Stored<ChallengeInstance>): Promise<InstanceRow | undefined> {
  const { db, flagKey, findChallenge, clock, namespace } = deps;
  const { spec, status = {}, metadata } = object;
  if (status.instanceId === undefined || isEnding(object)) return undefined;
  const { name, namespace: challengeNamespace } = spec.challengeRef;
  const challenge = challengeNamespace && challengeNamespace !== namespace ? undefined : findChallenge(name);
  const isDynamic = challenge !== undefined && needsFlag(challenge) && spec.flag !== undefined && spec.flag !== "";
  const flag_hmac = isDynamic ? flagHmac(flagKey, spec.flag ?? "") : null;
  const row: InstanceRow = {
    id: status.instanceId,
    owner_id: spec.ownerId,
    started_by: spec.ownerId,
    challenge_name: name,
    flag: isDynamic ? (spec.flag ?? null) : null,
    flag_hmac,
    flag_reused: flag_hmac !== null && (await isFlagTaken(db, name, flag_hmac)) ? 1 : 0,
    state: "created",
    started_at: status.startedAt === undefined ? clock.now() : parseTime(status.startedAt),
    ready_at: null,
    stop_requested_at: null,
    terminated_at: null,
    termination_reason: null,
    object_name: metadata.name,
    stop_reason: null,
    timeline: null,
  };
  // The second try is for a flag that another instance got at the same moment.
  for (const flag_reused of row.flag_hmac === null ? [0] : [row.flag_reused, 1]) {
    try {
      const inserted = { ...row, flag_reused };
      await insertRow(db, inserted);
      deps.onRowChange?.();
      return inserted;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.isUniqueViolation)) throw error;
    }
  }
  return undefined;
}

/** Without a row nothing would ever stop an object that the API created. */
function isUnwanted(row: InstanceRow | undefined, isOurs: boolean): boolean {
  if (!row) return isOurs;
  return row.stop_requested_at !== null || (isOurs && row.terminated_at !== null);
}

/** The reason is written first: the controller reads it when it sees the deletion. */
async function requestEnd(
  { client, clock, onSynced }: SyncDeps,
  object: Stored<ChallengeInstance>,
  row: InstanceRow | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name, uid } = object.metadata;
  if (row?.stop_reason && object.spec.terminationReason === undefined) {
    const body = { metadata: { uid }, spec: { terminationReason: row.stop_reason } };
    const options = { fieldManager: fieldManagers.api, signal };
    await client.patch(ChallengeInstances, namespace, name, { type: "merge", body }, options);
  }
  await deleteChild(client, ChallengeInstances, object, { signal });
  if (row?.stop_requested_at) onSynced?.("stop", clock.now() - row.stop_requested_at);
}

/** A start that failed and then succeeded, after a restart or a change, is stored again. */
function isTimelineDue({ timeline }: InstanceRow, phase: string | undefined): boolean {
  if (phase === "Running") return !isComplete(timeline);
  return phase === "Failed" && timeline === null;
}

/** It is being deleted, and no other finalizer holds it: the controller never saw it, or is done with it. */
function isAbandoned({ metadata }: ChallengeInstance): boolean {
  const others = metadata.finalizers?.filter((one) => one !== finalizers.api) ?? [];
  return metadata.deletionTimestamp !== undefined && others.length === 0;
}

/** Returns whether it was created: false where an object with its name exists. */
async function createObject(deps: SyncDeps, row: InstanceRow, signal: AbortSignal): Promise<boolean> {
  const { db, client, namespace } = deps;
  const timeout = deps.timeoutOf(row.challenge_name);
  const manifest = {
    apiVersion: apiVersionOf(ChallengeInstances),
    kind: ChallengeInstances.kind,
    metadata: {
      namespace,
      name: instanceName(row.owner_id),
      annotations: { [annotations.instanceId]: row.id },
      finalizers: [finalizers.api],
    },
    spec: {
      challengeRef: { name: row.challenge_name, namespace },
      ownerId: row.owner_id,
      ...(row.flag !== null && { flag: row.flag }),
      ...(timeout !== undefined && { timeout }),
      renewals: 0,
      restarts: 0,
    },
  };
  try {
    await client.create(ChallengeInstances, manifest, { fieldManager: fieldManagers.api, signal });
  } catch (error) {
    // The next reconcile follows the one that exists; its watch event asks for it.
    if (isAlreadyExists(error)) return false;
    throw error;
  }
  await setState(db, row.id, "requested", "created");
  deps.onSynced?.("start", deps.clock.now() - row.started_at);
  return true;
}

function reasonOf({ stop_requested_at, stop_reason }: InstanceRow): string {
  return stop_requested_at === null ? "Failure" : (stop_reason ?? "UserRequest");
}
