/** Queries on the rows of instances. A partial unique index allows one row an owner that is neither stopped nor ended. */
import type { TerminationReason } from "@berg/resources";
import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { InstanceRow, InstanceState, Tables } from "../database/schema.ts";
import type { instanceSorts, Timeline } from "../wire.ts";

/** Oldest first. Each page and each reconcile asks for it, so that it is compiled once for each handle. */
export async function openRows(db: Kysely<Tables>, ownerId: string): Promise<InstanceRow[]> {
  let compiled = openRowsQueries.get(db);
  if (!compiled) {
    compiled = db
      .selectFrom("instances")
      .selectAll()
      .where("owner_id", "=", ownerId)
      .where("terminated_at", "is", null)
      .orderBy("id")
      .compile();
    openRowsQueries.set(db, compiled);
  }
  return (await db.executeQuery<InstanceRow>({ ...compiled, parameters: [ownerId] })).rows;
}

const openRowsQueries = new WeakMap<Kysely<Tables>, CompiledQuery<InstanceRow>>();

/**
 * What the owner sees as the current instance: the newest that has not ended. One that is not stopped is the newest, also
 * where the clock of the replica that started it was behind.
 */
export async function currentRow(db: Kysely<Tables>, ownerId: string): Promise<InstanceRow | undefined> {
  const rows = await openRows(db, ownerId);
  return rows.find(({ stop_requested_at }) => stop_requested_at === null) ?? rows.at(-1);
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

interface RowsQuery {
  state: "open" | "ended" | "all";
  search: string;
  challenge: string;
  sort: (typeof instanceSorts)[number];
  order: "asc" | "desc";
  page: number;
  pageSize: number;
}

const sortColumns = {
  startedAt: "instances.started_at",
  timeout: "instances.terminated_at",
  owner: "player.name",
  challenge: "instances.challenge_name",
  phase: "instances.state",
} as const satisfies Record<RowsQuery["sort"], string>;

/** One page of rows, and how many there are in all. */
export async function pageOfRows(
  db: Kysely<Tables>,
  { state, search, challenge, sort, order, page, pageSize }: RowsQuery,
): Promise<{ rows: InstanceRow[]; total: number }> {
  let found = db.selectFrom("instances").leftJoin("player", "player.id", "instances.owner_id");
  if (state === "ended") found = found.where("instances.terminated_at", "is not", null);
  if (state === "open") found = found.where("instances.terminated_at", "is", null);
  if (challenge !== "") found = found.where("instances.challenge_name", "=", challenge);
  if (search !== "") {
    const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    const columns = ["player.name", "instances.challenge_name", "instances.id", "instances.owner_id"] as const;
    found = found.where((is) =>
      is.or(columns.map((column) => sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`)),
    );
  }
  const { total } = await found.select((is) => is.fn.countAll<number | string>().as("total")).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll("instances")
    .orderBy(sortColumns[sort], order)
    .orderBy("instances.id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { rows, total: Number(total) };
}

/** Rows that wait for the leader: their object is to be created or deleted. By an index, for reading it every second. */
export function pendingRows(db: Kysely<Tables>): Promise<Pick<InstanceRow, "id" | "owner_id" | "state">[]> {
  return db
    .selectFrom("instances")
    .select(["id", "owner_id", "state"])
    .where(sql<boolean>`state in ('requested', 'stopping')`)
    .execute();
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
export async function requestStop(
  db: Kysely<Tables>,
  id: string,
  now: number,
  reason: TerminationReason | null = null,
): Promise<void> {
  await db
    .updateTable("instances")
    .set({ state: "stopping", stop_requested_at: now, stop_reason: reason })
    .where("id", "=", id)
    .where("stop_requested_at", "is", null)
    .where("terminated_at", "is", null)
    .execute();
}

// What follows is what the leader writes. Each changes a row only from the state that it was decided on, so that the late
// write of a process that leads no more changes nothing.

/** Whether this call did it. */
export async function setState(
  db: Kysely<Tables>,
  id: string,
  from: InstanceState,
  to: InstanceState,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("instances")
    .set({ state: to })
    .where("id", "=", id)
    .where("state", "=", from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether this call did it. */
export async function setReady(db: Kysely<Tables>, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("instances")
    .set({ ready_at: at })
    .where("id", "=", id)
    .where("ready_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** In place of the timeline that was read; whether this call did it. */
export async function setTimeline(
  db: Kysely<Tables>,
  { id, timeline: before }: Pick<InstanceRow, "id" | "timeline">,
  timeline: Timeline,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("instances")
    .set({ timeline: JSON.stringify(timeline) })
    .where("id", "=", id)
    .where("timeline", before === null ? "is" : "=", before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface End {
  at: number;
  reason: string;
}

/** Whether this call did it. */
export async function endRow(db: Kysely<Tables>, id: string, { at, reason }: End): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("instances")
    .set({ state: "ended", terminated_at: at, termination_reason: reason })
    .where("id", "=", id)
    .where("terminated_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
