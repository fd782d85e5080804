/** The ledger: everything that changes the scoreboard, in the order of commit. */
import type { Kysely, Transaction } from "kysely";
import type { LedgerRow, Tables } from "../database/schema.ts";

/**
 * Until the end of the transaction, other entries wait: so ids have the order of commits, and no gaps. Taken as late as
 * possible in a transaction, after the locks of players and teams.
 */
export async function lockLedger(transaction: Transaction<Tables>): Promise<void> {
  await transaction.updateTable("row_lock").set({ name: "ledger" }).where("name", "=", "ledger").execute();
}

/** Requires the lock. Returns the entry with its id. */
export async function appendToLedger(
  transaction: Transaction<Tables>,
  entry: Pick<LedgerRow, "at" | "kind" | "scorer_id"> & Partial<LedgerRow>,
): Promise<LedgerRow> {
  const { last } = await transaction
    .selectFrom("ledger")
    .select(({ fn }) => fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  const row = { player_id: null, challenge_name: null, points: null, detail: null, ...entry, id: (last ?? 0) + 1 };
  await transaction.insertInto("ledger").values(row).execute();
  return row;
}

/** After a player or team was created, renamed or deleted, or got another division or other roles. */
export async function recordScorer(transaction: Transaction<Tables>, id: string, at: number): Promise<void> {
  await lockLedger(transaction);
  await appendToLedger(transaction, { at, kind: "scorer", scorer_id: id });
}

/** In the order of commit, after the entry with the id `since`. */
export function readLedger(db: Kysely<Tables>, since = 0): Promise<LedgerRow[]> {
  return db.selectFrom("ledger").selectAll().where("id", ">", since).orderBy("id").execute();
}
