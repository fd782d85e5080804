import { type Logger, silentLogger } from "@berg/kube";
import { type Dialect, Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { type DatabaseAddress, readDatabaseAddress } from "./address.ts";
import { DatabaseError } from "./database-error.ts";
import { translateErrors } from "./driver-errors.ts";
import { type Component, migrate, noLock } from "./migrate.ts";
import { migrationLock, newPool, type PoolOptions, postgresDialect } from "./postgres.ts";
import { type SqliteOptions, sqliteDialect } from "./sqlite.ts";

export interface DatabaseOptions extends SqliteOptions {
  /** The URL of a PostgreSQL database or the path of a SQLite file, as in DATABASE_URL; or a parsed address. */
  database: string | DatabaseAddress;
  /** The owner of the tables. */
  component: Component;
  /** Every migration of this component, by name. They run in the order of their names. */
  migrations: Readonly<Record<string, Migration>>;
  /** Of PostgreSQL. */
  pool?: PoolOptions;
  /** Queries that take longer are logged, without their values. Never by default. */
  slowQueryMs?: number;
  log?: Logger;
}

/** Connections of the pool now. */
export interface PoolUsage {
  readonly inUse: number;
  /** Queries and transactions that wait for one. */
  readonly waiting: number;
}

export interface Database<Tables> extends AsyncDisposable {
  /**
   * Runs queries and transactions. Failures of the database are DatabaseErrors; an aborted signal rejects with its
   * reason; an error thrown in a transaction callback rolls back and is rethrown unchanged.
   */
  readonly db: Kysely<Tables>;
  readonly address: DatabaseAddress;
  /** Undefined on SQLite. */
  poolUsage(): PoolUsage | undefined;
}

/**
 * Connects, applies missing migrations and returns the handle; throws a DatabaseError if any of this fails, and a
 * RangeError if the address is malformed.
 *
 *     await using database = await openDatabase<Tables>({ database: ".berg/api.db", component: "api", migrations });
 *     const teams = await database.db.selectFrom("team").selectAll().execute({ signal });
 */
export async function openDatabase<Tables>(options: DatabaseOptions): Promise<Database<Tables>> {
  const address = typeof options.database === "string" ? readDatabaseAddress(options.database) : options.database;
  const { log = silentLogger } = options;
  if (address.kind === "sqlite") {
    const db = await migrated<Tables>(address, options, sqliteDialect(address.path, options));
    return handleOf(db, address, () => undefined);
  }
  // On connections of their own: a migration may take longer than any query of the component.
  await (await migrated(address, options, postgresDialect(newPool(address.url, log)))).destroy();
  const pool = newPool(address.url, log, options.pool);
  const db = newKysely<Tables>(address, postgresDialect(pool), options);
  return handleOf(db, address, () => ({ inUse: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }));
}

async function migrated<Tables>(
  address: DatabaseAddress,
  options: DatabaseOptions,
  dialect: Dialect,
): Promise<Kysely<Tables>> {
  const { component, migrations } = options;
  // If Kysely fails to create its migration table, it queries again in the aborted transaction and throws the error of
  // that query. The first failed query has the actual reason.
  let firstError: unknown;
  const db = newKysely<Tables>(address, dialect, options, (error) => {
    firstError ??= error;
  });
  try {
    const lock = address.kind === "postgres" ? migrationLock(component) : noLock;
    await migrate(db, { component, migrations, lock });
    return db;
  } catch (error) {
    await db.destroy().catch(() => {});
    throw new DatabaseError("open", address.shown, firstError ?? error);
  }
}

const longestSql = 2_000;

function newKysely<Tables>(
  address: DatabaseAddress,
  dialect: Dialect,
  { slowQueryMs = Number.POSITIVE_INFINITY, log = silentLogger }: DatabaseOptions,
  onError: (error: unknown) => void = () => {},
): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: translateErrors(dialect, address.shown),
    log(event) {
      if (event.level === "error") onError(event.error);
      if (event.queryDurationMillis < slowQueryMs) return;
      // With placeholders: values may be tokens, flags or names.
      const sql = event.query.sql.slice(0, longestSql);
      log.warn({ sql, durationMs: Math.round(event.queryDurationMillis) }, "slow query");
    },
  });
}

function handleOf<Tables>(
  db: Kysely<Tables>,
  address: DatabaseAddress,
  poolUsage: () => PoolUsage | undefined,
): Database<Tables> {
  return { db, address, poolUsage, [Symbol.asyncDispose]: () => db.destroy() };
}
