/** Queries on the rows of instances. A partial unique index allows one row an owner that is neither stopped nor ended. */
import type { Kysely } from "kysely";
import type { InstanceRow, InstanceState, Tables } from "../database/schema.ts";

/** Oldest first. */
export function openRows(db: Kysely<Tables>, ownerId: string): Promise<InstanceRow[]> {
  return db
    .selectFrom("instances")
    .selectAll()
    .where("owner_id", "=", ownerId)
    .where("terminated_at", "is", null)
    .orderBy("id")
    .execute();
}

/** What the owner sees as the current instance: the newest that has not ended. */
export async function currentRow(db: Kysely<Tables>, ownerId: string): Promise<InstanceRow | undefined> {
  return (await openRows(db, ownerId)).at(-1);
}

/** Of all owners, newest first. */
export function allOpenRows(db: Kysely<Tables>): Promise<InstanceRow[]> {
  return db.selectFrom("instances").selectAll().where("terminated_at", "is", null).orderBy("id", "desc").execute();
}

/** Newest first; of one owner, or of all. */
export function endedRows(db: Kysely<Tables>, ownerId: string | undefined): Promise<InstanceRow[]> {
  const ended = db.selectFrom("instances").selectAll().where("terminated_at", "is not", null).orderBy("id", "desc");
  return (ownerId === undefined ? ended : ended.where("owner_id", "=", ownerId)).execute();
}

/** Owners with instances that have not ended, for the reconcile at the start. */
export async function ownersWithOpenRows(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom("instances")
    .select("owner_id")
    .distinct()
    .where("terminated_at", "is", null)
    .execute();
  return rows.map(({ owner_id }) => owner_id);
}

export function findRow(db: Kysely<Tables>, id: string): Promise<InstanceRow | undefined> {
  return db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function isFlagTaken(db: Kysely<Tables>, challengeName: string, hmac: string): Promise<boolean> {
  const row = await db
    .selectFrom("instances")
    .select("id")
    .where("challenge_name", "=", challengeName)
    .where("flag_hmac", "=", hmac)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertRow(db: Kysely<Tables>, row: InstanceRow): Promise<void> {
  await db.insertInto("instances").values(row).execute();
}

/** Makes room for the next instance of the owner at once; the reconcile deletes the ChallengeInstance. */
export async function requestStop(db: Kysely<Tables>, id: string, now: number): Promise<void> {
  await db
    .updateTable("instances")
    .set({ state: "stopping", stop_requested_at: now })
    .where("id", "=", id)
    .where("stop_requested_at", "is", null)
    .where("terminated_at", "is", null)
    .execute();
}

export async function setState(db: Kysely<Tables>, id: string, from: InstanceState, to: InstanceState): Promise<void> {
  await db.updateTable("instances").set({ state: to }).where("id", "=", id).where("state", "=", from).execute();
}

export async function setReady(db: Kysely<Tables>, id: string, at: number): Promise<void> {
  await db.updateTable("instances").set({ ready_at: at }).where("id", "=", id).where("ready_at", "is", null).execute();
}

export interface End {
  at: number;
  reason: string;
}

export async function endRow(db: Kysely<Tables>, id: string, { at, reason }: End): Promise<void> {
  await db
    .updateTable("instances")
    .set({ state: "ended", terminated_at: at, termination_reason: reason })
    .where("id", "=", id)
    .where("terminated_at", "is", null)
    .execute();
}
