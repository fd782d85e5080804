import { type Logger, silentLogger } from "@berg/kube";
import { type Dialect, Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { type DatabaseAddress, readDatabaseAddress } from "./address.ts";
import { DatabaseError } from "./database-error.ts";
import { translateErrors } from "./driver-errors.ts";
import { type Component, migrate, noLock } from "./migrate.ts";
import { migrationLock, postgresDialect } from "./postgres.ts";
import { type SqliteOptions, sqliteDialect } from "./sqlite.ts";

export interface DatabaseOptions extends SqliteOptions {
  /** The URL of a PostgreSQL database or the path of a SQLite file, as in DATABASE_URL; or a parsed address. */
  database: string | DatabaseAddress;
  /** The owner of the tables. */
  component: Component;
  /** Every migration of this component, by name. They run in the order of their names. */
  migrations: Readonly<Record<string, Migration>>;
  log?: Logger;
}

export interface Database<Tables> extends AsyncDisposable {
  /**
   * Runs queries and transactions. Failures of the database are DatabaseErrors; an aborted signal rejects with its
   * reason; an error thrown in a transaction callback rolls back and is rethrown unchanged.
   */
  readonly db: Kysely<Tables>;
  readonly address: DatabaseAddress;
}

/**
 * Connects, applies missing migrations and returns the handle; throws a DatabaseError if any of this fails, and a
 * RangeError if the address is malformed.
 *
 *     await using database = await openDatabase<Tables>({ database: ".berg/api.db", component: "api", migrations });
 *     const teams = await database.db.selectFrom("team").selectAll().execute({ signal });
 */
export async function openDatabase<Tables>(options: DatabaseOptions): Promise<Database<Tables>> {
  const { component, migrations } = options;
  const address = typeof options.database === "string" ? readDatabaseAddress(options.database) : options.database;
  // If Kysely fails to create its migration table, it queries again in the aborted transaction and throws the error of
  // that query. The first failed query has the actual reason.
  let firstError: unknown;
  let db: Kysely<Tables> | undefined;
  try {
    db = new Kysely<Tables>({
      dialect: translateErrors(dialectFor(address, options), address.shown),
      log(event) {
        if (event.level === "error") firstError ??= event.error;
      },
    });
    const lock = address.kind === "postgres" ? migrationLock(component) : noLock;
    await migrate(db, { component, migrations, lock });
    const handle = db;
    return { db: handle, address, [Symbol.asyncDispose]: () => handle.destroy() };
  } catch (error) {
    await db?.destroy().catch(() => {});
    throw new DatabaseError("open", address.shown, firstError ?? error);
  }
}

function dialectFor(address: DatabaseAddress, { log = silentLogger, ...options }: DatabaseOptions): Dialect {
  return address.kind === "postgres" ? postgresDialect(address.url, log) : sqliteDialect(address.path, options);
}
