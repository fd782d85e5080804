/** Kysely on PostgreSQL through `pg`, such that a lost connection fails the queries in flight and nothing else. */
import { Socket } from "node:net";
import { type Logger, systemClock } from "@berg/kube";
import { type Dialect, PostgresAdapter, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Component, MigrationLock } from "./migrate.ts";
import { NamedStatements } from "./named-statements.ts";

/** In milliseconds. Queries take a few of them. */
export interface PostgresTimeouts {
  /** For a connection: to be made, or to become free in the pool. */
  readonly connect: number;
  /** Enforced by the server. */
  readonly statement: number;
  /** Enforced by the server, which ends the connection: a frozen process must not hold its locks. */
  readonly idleInTransaction: number;
  /** The wait for another process that migrates. */
  readonly migrationLock: number;
  /** Without any bytes from the server, a connection is closed. TCP alone takes 15 minutes to notice a lost server. */
  readonly socket: number;
}

export const postgresTimeouts: PostgresTimeouts = {
  connect: 10_000,
  statement: 30_000,
  idleInTransaction: 60_000,
  migrationLock: 45_000,
  socket: 60_000,
};

/** For work that somebody waits for: it fails while they still do, and can be tried again. */
export const requestTimeouts: PostgresTimeouts = {
  ...postgresTimeouts,
  connect: 3_000,
  statement: 5_000,
  idleInTransaction: 10_000,
  socket: 8_000,
};

export interface PoolOptions {
  /** Connections at most. */
  readonly size?: number;
  readonly timeouts?: PostgresTimeouts;
}

const defaultSize = 5;

/** Advisory locks have two 32-bit keys. The first is "berg" in ASCII, the second one per component: "runt", "api\0". */
const lockNamespace = 0x62657267;
const lockKeys: Record<Component, number> = { runtime: 0x72756e74, api: 0x61706900 };

export function postgresDialect(pool: pg.Pool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/** Connections are made when they are needed. Kysely ends the pool with its driver. */
export function newPool(url: string, log: Logger, options: PoolOptions = {}): pg.Pool {
  const { size = defaultSize, timeouts = postgresTimeouts } = options;
  const pool = new pg.Pool({
    ...connectionOptions(url, timeouts.socket),
    max: size,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
    // Not pg's query_timeout: it abandons the query but keeps the connection, and the next query waits behind it.
    types: { getTypeParser },
  });
  const statements = new NamedStatements();
  // Without these listeners, a connection that breaks while idle or between two statements ends the process.
  pool.on("error", ({ message }) => log.warn({ error: message }, "a connection to the database was lost"));
  const closeIdle = idleCloser(pool);
  pool.on("connect", (client) => {
    client.on("error", () => {});
    statements.prepareOn(client, (error) => {
      if (!isOfReadOnlyServer(error)) return;
      // The pool removes a connection that ends.
      void (client as pg.PoolClient & pg.Client).end();
      closeIdle();
    });
  });
  return pool;
}

/** No more often: while the server stays read-only, each failed write would open all connections again. */
const closeIdleMs = 1_000;

/** The idle connections go to the same server as the one that failed: without this, a write would fail on each of them. */
function idleCloser(pool: pg.Pool): () => void {
  let closedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (systemClock.monotonic() - closedAt < closeIdleMs) return;
    closedAt = systemClock.monotonic();
    const close = (client: pg.PoolClient) => client.release(true);
    for (let left = pool.idleCount; left > 0; left--) pool.connect().then(close, () => {});
  };
}

export function connectionOptions(url: string, socketTimeoutMs: number): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "berg",
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(socketTimeoutMs, () => {
        socket.destroy(Object.assign(new Error("the server does not answer"), { code: "ETIMEDOUT" }));
      });
    },
  };
}

/**
 * A lock that ends with the transaction and is waited for with a timeout. Kysely's own lock belongs to the connection:
 * after a failed migration it would stay locked in the pool, and other processes would wait for an hour.
 */
export function migrationLock(component: Component, waitMs = postgresTimeouts.migrationLock): MigrationLock {
  return async (transaction) => {
    await sql`select set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    );
    const [first, second] = [sql.lit(lockNamespace), sql.lit(lockKeys[component])];
    await sql`select pg_advisory_xact_lock(${first}, ${second})`.execute(transaction);
  };
}

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** After a failover the old server may still answer, but only reads: the next connection finds the new one. */
function isOfReadOnlyServer(error: unknown): boolean {
  return (error as { code?: unknown }).code === "25006";
}

/** Reads 64-bit integers as numbers: ours are times and counts, which fit. `pg` returns them as strings. */
const getTypeParser: typeof pg.types.getTypeParser = ((id: number, format?: "text" | "binary") =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser;
