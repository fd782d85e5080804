/**
 * Kysely on Node's own SQLite. Kysely's SQLite dialect wants a better-sqlite3; this is the little in which the two
 * differ, and what it takes for several processes to share one file.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";

// Everything here is one short statement, so a wait this long means that something is wrong. Nothing else of this
// process runs meanwhile.
const busyMs = 5_000;

export function sqliteDialect(path: string): Dialect {
  const config = { database: async () => openFile(path) };
  const dialect = new SqliteDialect(config);
  return {
    createDriver: () => new EagerDriver(config),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/**
 * Transactions take the write lock at their start. One that has read already and only then wants it is refused at once,
 * without any wait, when another process was quicker.
 */
class EagerDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

/** SQLite undoes changes of tables like any other; Kysely assumes that it does not. The transaction is the lock. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function openFile(path: string): SqliteDatabase {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true });
  try {
    // Readers and the writer do not wait for each other. A power cut may lose the last moments: they are seen again.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    close: () => db.close(),
    prepare(sql) {
      const statement = db.prepare(sql);
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => statement.run(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}
