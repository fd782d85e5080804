/**
 * Applies the missing migrations of a component, safely while other processes do the same. All migrations run in one
 * transaction under one lock: a process that dies halfway leaves the tables unchanged and the lock free. A process that
 * finds nothing to apply takes no lock, so it never waits for one that migrates.
 */
import type { Kysely, Transaction } from "kysely";
import { type Migration, Migrator } from "kysely/migration";

/**
 * The parts of Berg that own tables. The name is the prefix of the migrator's own tables (`runtime_migration`,
 * `runtime_migration_lock`), so a released name must never change.
 */
export type Component = "runtime" | "api";

/** Runs first in the transaction; waits until no other process migrates this component, and holds until the end. */
export type MigrationLock = (transaction: Transaction<unknown>) => Promise<void>;

/** For SQLite: its transactions hold the write lock from the start. */
export const noLock: MigrationLock = async () => {};

export interface MigrateOptions {
  component: Component;
  migrations: Readonly<Record<string, Migration>>;
  lock: MigrationLock;
}

export async function migrate<Tables>(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  const { component, migrations, lock } = options;
  const newMigrator = <T>(on: Kysely<T>) =>
    new Migrator({
      db: on,
      provider: { getMigrations: async () => ({ ...migrations }) },
      migrationTableName: `${component}_migration`,
      migrationLockTableName: `${component}_migration_lock`,
    });
  // Migrations of a newer version may be applied already. They leave the tables usable for this version.
  const known = await newMigrator(db).getMigrations();
  if (known.every(({ executedAt }) => executedAt !== undefined)) return;
  await db.transaction().execute(async (transaction) => {
    await lock(transaction as unknown as Transaction<unknown>);
    const { error } = await newMigrator(transaction).migrateToLatest();
    if (error !== undefined) throw error;
  });
}
