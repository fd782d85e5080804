/** Kysely on PostgreSQL through `pg`, so that a lost connection costs the call that was under way and no more. */
import { Socket } from "node:net";
import type { Logger } from "@berg/kube";
import { type Dialect, PostgresAdapter, PostgresDialect, sql, type Transaction } from "kysely";
import pg from "pg";
import type { Tables } from "./schema.ts";

/** In ms. Everything that is asked here takes a few of them. */
interface PostgresLimits {
  readonly connect: number;
  /** For the server. */
  readonly statement: number;
  /** To wait for others who migrate. */
  readonly lock: number;
  /** After it a server is given up that is gone without a word; the network itself takes a quarter of an hour. */
  readonly silence: number;
}

export const postgresLimits: PostgresLimits = { connect: 10_000, statement: 30_000, lock: 45_000, silence: 60_000 };

const mostConnections = 5;

// Any number will do that nobody else locks; these are the letters "berg" and "runt".
const lockKeys = [0x62657267, 0x72756e74] as const;

export function postgresDialect(url: string, log: Logger, limits: PostgresLimits = postgresLimits): Dialect {
  const pool = newPool(url, log, limits);
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/**
 * Waits for others who migrate, but not for ever. The lock ends with the transaction. Kysely's own belongs to the
 * connection: after a failed migration it would stay locked in the pool, and it waits for an hour.
 */
export async function lockMigrations(transaction: Transaction<Tables>, waitMs = postgresLimits.lock): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`.execute(
    transaction,
  );
  await sql`select pg_advisory_xact_lock(${sql.lit(lockKeys[0])}, ${sql.lit(lockKeys[1])})`.execute(transaction);
}

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

function newPool(url: string, log: Logger, limits: PostgresLimits): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "berg",
    max: mostConnections,
    connectionTimeoutMillis: limits.connect,
    statement_timeout: limits.statement,
    // `pg` can give up a query, but then leaves its connection to the next one, which waits behind it.
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(limits.silence, () => socket.destroy(new Error("the server does not answer")));
    },
    types: { getTypeParser },
  });
  // Without these a connection that breaks while nobody uses it, or between two statements, ends the process.
  pool.on("error", ({ message }) => log.warn({ error: message }, "a connection to the database was lost"));
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Whole numbers as numbers: ours are times and counts, which fit. `pg` gives 64-bit ones as text. */
const getTypeParser: typeof pg.types.getTypeParser = ((id: number, format?: "text" | "binary") =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser;
