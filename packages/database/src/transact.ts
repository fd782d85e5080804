import type { Kysely, Transaction } from "kysely";
import { DatabaseError } from "./database-error.ts";

const mostTries = 5;

/**
 * Runs the callback in a transaction, and again where the database rolled it back because of others: a deadlock, or
 * tables that a newer version has just changed. So the callback changes nothing but the database.
 *
 *     const player = await transact(db, (transaction) => register(transaction, name));
 */
export async function transact<Tables, T>(
  db: Kysely<Tables>,
  run: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (!(error instanceof DatabaseError && error.isRetryable) || tries === mostTries) throw error;
    }
  }
}
