/**
 * Brings the tables up to date, whoever else does so at the same time. All of it is one transaction under one lock: a
 * process that dies in the middle leaves the tables as they were and the lock free, and one that starts while they are
 * up to date takes no lock at all, so it never waits for one that does.
 */
import type { Kysely, Transaction } from "kysely";
import { Migrator } from "kysely/migration";
import { migrations } from "./migrations.ts";
import type { Tables } from "./schema.ts";

/** Of the migrator's own tables: others of Berg may keep theirs in the same database. */
const names = { migrationTableName: "runtime_migration", migrationLockTableName: "runtime_migration_lock" };

/** Taken at the start of the transaction and held to its end; whoever comes second waits in here. */
export type MigrationLock = (transaction: Transaction<Tables>) => Promise<void>;

export async function migrate(db: Kysely<Tables>, lock: MigrationLock, to = migrations): Promise<void> {
  const migratorOf = (on: Kysely<Tables>) =>
    new Migrator({ db: on, provider: { getMigrations: async () => ({ ...to }) }, ...names });
  // Tables that a newer version has brought further are fine, too: it left them usable for this one.
  const known = await migratorOf(db).getMigrations();
  if (known.every(({ executedAt }) => executedAt !== undefined)) return;
  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    const { error } = await migratorOf(transaction).migrateToLatest();
    if (error !== undefined) throw error;
  });
}
