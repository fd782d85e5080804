/**
 * Keeps rows and ChallengeInstances in step: creates what was asked for, deletes what was stopped, stores how it ended.
 * Runs on the leader alone, for one owner at a time, and recomputes everything from the database and the API server, so
 * that a crash between any two writes is made good by the next reconcile.
 *
 * Our finalizer holds each ChallengeInstance until its end is stored. It is only on those that the API created.
 */
import { apiVersionOf, isAlreadyExists, parseTime, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, deleteChild, removeFinalizer } from "@berg/kube";
import { annotations, type ChallengeInstance, ChallengeInstances, fieldManagers, finalizers } from "@berg/resources";
import type { Kysely } from "kysely";
import { instanceName } from "../context.ts";
import type { InstanceRow, Tables } from "../database/schema.ts";
import { isOf, orUndefined } from "./commands.ts";
import { endRow, findRow, openRows, setReady, setState } from "./store.ts";

export interface SyncDeps {
  db: Kysely<Tables>;
  /** Writes only while this process leads. */
  client: Client;
  clock: Clock;
  /** Where ChallengeInstances and Challenges are. */
  namespace: string;
}

export async function reconcileOwner(deps: SyncDeps, ownerId: string, signal: AbortSignal): Promise<void> {
  const { db, client, namespace } = deps;
  const name = instanceName(ownerId);
  // A quorum read: rows end because an object is gone, so it must be gone now and not only in a cache.
  const object = await client.get(ChallengeInstances, namespace, name, { signal }).catch(orUndefined);
  if (object) await followObject(deps, object, signal);
  for (const row of await openRows(db, ownerId)) {
    // A process that has lost its lease must not end what the next leader has created meanwhile.
    signal.throwIfAborted();
    if (object && isOf(object, row)) continue;
    if (row.state !== "requested") await endRow(db, row.id, { at: deps.clock.now(), reason: reasonOf(row) });
    else if (row.stop_requested_at !== null) await endRow(db, row.id, { at: deps.clock.now(), reason: "UserRequest" });
    // While the previous one is still there, its deletion brings us back.
    else if (!object) await createObject(deps, row, signal);
  }
}

async function followObject(deps: SyncDeps, object: Stored<ChallengeInstance>, signal: AbortSignal): Promise<void> {
  const { db, client, clock } = deps;
  const id = object.metadata.annotations?.[annotations.instanceId];
  const row = id === undefined ? undefined : await findRow(db, id);
  // An object that the API did not create is not changed.
  const isOurs = object.metadata.finalizers?.includes(finalizers.api) === true;
  if (!row && !isOurs) return;
  const { status = {} } = object;
  if (row?.state === "requested") await setState(db, row.id, "requested", "created");
  if (row && status.readyAt !== undefined) await setReady(db, row.id, parseTime(status.readyAt));
  const isUnwanted = !row || row.stop_requested_at !== null || row.terminated_at !== null;
  if (isUnwanted && object.metadata.deletionTimestamp === undefined) {
    await deleteChild(client, ChallengeInstances, object, { signal });
  }
  if (status.phase !== "Terminated" && !isAbandoned(object)) return;
  if (row) {
    const at = status.terminatedAt === undefined ? clock.now() : parseTime(status.terminatedAt);
    await endRow(db, row.id, { at, reason: status.terminationReason ?? reasonOf(row) });
  }
  const latest = await client
    .get(ChallengeInstances, object.metadata.namespace ?? "", object.metadata.name, { signal })
    .catch(orUndefined);
  if (latest?.metadata.uid !== object.metadata.uid) return;
  await removeFinalizer(client, ChallengeInstances, latest, finalizers.api, { signal });
}

/** It is being deleted, and no other finalizer holds it: the controller never saw it, or is done with it. */
function isAbandoned({ metadata }: ChallengeInstance): boolean {
  const others = metadata.finalizers?.filter((one) => one !== finalizers.api) ?? [];
  return metadata.deletionTimestamp !== undefined && others.length === 0;
}

async function createObject({ db, client, namespace }: SyncDeps, row: InstanceRow, signal: AbortSignal): Promise<void> {
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
      renewals: 0,
      restarts: 0,
    },
  };
  try {
    await client.create(ChallengeInstances, manifest, { fieldManager: fieldManagers.api, signal });
  } catch (error) {
    // The one that exists is looked at by the next reconcile, which its watch event asks for.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  await setState(db, row.id, "requested", "created");
}

function reasonOf({ stop_requested_at }: InstanceRow): string {
  return stop_requested_at === null ? "Failure" : "UserRequest";
}
