/**
 * The outbox: messages that are to leave this process, as rows. A row is inserted in the transaction of its cause, so that
 * it is sent if and only if the cause is stored. A claim is a conditional update: of any number of workers one gets the row,
 * on both databases. A claim ends by itself, so that another worker delivers what a killed one left.
 */
import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { OutboxTable, Tables } from "../database/schema.ts";

export type OutboxKind = OutboxTable["kind"];

export interface Claimed {
  id: string;
  kind: OutboxKind;
  body: unknown;
  createdAt: number;
  /** Deliveries that began, with this one. */
  attempts: number;
  claimId: string;
}

export async function enqueue(
  db: Kysely<Tables>,
  { kind, body, now }: { kind: OutboxKind; body: object; now: number },
): Promise<void> {
  await db
    .insertInto("outbox")
    .values({
      ...{ id: randomUUID(), kind, body: JSON.stringify(body), created_at: now, due_at: now, attempts: 0 },
      ...{ claim_id: null, failed_at: null, error: null },
    })
    .execute();
}

/** The message that has been due longest, for this worker alone until `until`. Undefined: none is due. */
export async function claimNext(
  db: Kysely<Tables>,
  { now, until }: { now: number; until: number },
): Promise<Claimed | undefined> {
  for (;;) {
    const row = await pending(db).selectAll().where("due_at", "<=", now).orderBy("due_at").limit(1).executeTakeFirst();
    if (!row) return undefined;
    const claimId = randomUUID();
    const attempts = row.attempts + 1;
    const { numUpdatedRows } = await db
      .updateTable("outbox")
      .set({ claim_id: claimId, attempts, due_at: until })
      .where("id", "=", row.id)
      // As it was read: otherwise another worker was faster.
      .where("attempts", "=", row.attempts)
      .where("due_at", "=", row.due_at)
      .where("failed_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    const { id, kind, body, created_at } = row;
    return { id, kind, body: JSON.parse(body ?? "null"), createdAt: created_at, attempts, claimId };
  }
}

/** After the delivery. */
export async function removeSent(db: Kysely<Tables>, { id, claimId }: Claimed): Promise<void> {
  await db.deleteFrom("outbox").where("id", "=", id).where("claim_id", "=", claimId).execute();
}

export async function retryLater(
  db: Kysely<Tables>,
  { id, claimId }: Claimed,
  { dueAt, error }: { dueAt: number; error: string },
): Promise<void> {
  await db
    .updateTable("outbox")
    .set({ due_at: dueAt, error })
    .where("id", "=", id)
    .where("claim_id", "=", claimId)
    .execute();
}

/** Erases the body. */
export async function markFailed(
  db: Kysely<Tables>,
  { id, claimId }: Claimed,
  { now, error }: { now: number; error: string },
): Promise<void> {
  await db
    .updateTable("outbox")
    .set({ body: null, failed_at: now, error })
    .where("id", "=", id)
    .where("claim_id", "=", claimId)
    .execute();
}

export async function countPending(db: Kysely<Tables>): Promise<number> {
  const { count } = await pending(db)
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Failed ones, and those that no worker takes since mail is no longer configured. */
export async function deleteOldMessages(db: Kysely<Tables>, before: number): Promise<void> {
  await db.deleteFrom("outbox").where("created_at", "<=", before).execute();
}

function pending(db: Kysely<Tables>) {
  return db.selectFrom("outbox").where("failed_at", "is", null);
}
