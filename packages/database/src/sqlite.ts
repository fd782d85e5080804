/**
 * Kysely on Node's own SQLite (`node:sqlite`). Kysely's SQLite dialect expects better-sqlite3; this file adapts the
 * differences, and lets several processes, and several handles of one process, share one file:
 *
 * - Kysely serialises queries and transactions of one handle, since a handle has one connection.
 * - Writes of several handles of one process wait for each other without blocking the process (`WriteLock`). As with one
 *   handle, a transaction callback must write through its transaction only: a write through another handle would wait
 *   for the transaction for ever.
 * - Writes of other processes are waited for by SQLite itself, up to `busyTimeoutMs`. The process is blocked meanwhile.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";
import { isReadQuery } from "./driver-errors.ts";

export interface SqliteOptions {
  /**
   * Whether a commit waits until the disk has it. With "normal", the default, a power failure may undo the last commits
   * but never corrupts the file; a crash of the process loses nothing. Ignored by PostgreSQL.
   */
  synchronous?: "normal" | "full";
}

/** Transactions are short. If one holds the file for longer, something is wrong. */
const busyTimeoutMs = 5_000;
/** Prepared statements that are kept; the API has fewer queries. */
const mostStatements = 500;

export function sqliteDialect(path: string, { synchronous = "normal" }: SqliteOptions = {}): Dialect {
  const file = new SqliteFile(path, synchronous);
  const dialect = new SqliteDialect({ database: file });
  return {
    createDriver: () => new ImmediateDriver(file),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => new TransactionalDdlAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/**
 * Takes the write lock at the start of a transaction. If a transaction reads first and then upgrades to the write lock,
 * SQLite fails it at once, without any wait, when another process has written in between.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #file: SqliteFile;
  #connection: WriteLockingConnection | undefined;

  constructor(file: SqliteFile) {
    super({ database: async () => file.open() });
    this.#file = file;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= new WriteLockingConnection(await super.acquireConnection(), new WriteLock(this.#file.lockKey));
    return this.#connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#connection?.lock.acquire();
    try {
      await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    } catch (error) {
      this.#connection?.lock.release();
      throw error;
    }
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    // If the commit fails, Kysely rolls back.
    this.#connection?.lock.release();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      // SQLite rolls back by itself on some errors, such as a full disk. A second rollback would hide that error.
      if (this.#file.isTransaction) await super.rollbackTransaction(connection);
    } finally {
      this.#connection?.lock.release();
    }
  }
}

class WriteLockingConnection implements DatabaseConnection {
  readonly lock: WriteLock;
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection, lock: WriteLock) {
    this.#connection = connection;
    this.lock = lock;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.lock.isHeld || isReadQuery(query)) return this.#connection.executeQuery(query);
    await this.lock.acquire();
    try {
      return await this.#connection.executeQuery(query);
    } finally {
      this.lock.release();
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}

/**
 * Orders the writes of several handles of this process to one file. Without it, a handle that writes during the
 * transaction of another one would block the process in SQLite's busy wait, so the transaction could not end either.
 */
class WriteLock {
  static readonly #last = new Map<unknown, Promise<void>>();
  readonly #key: unknown;
  #release: (() => void) | undefined;

  constructor(key: unknown) {
    this.#key = key;
  }

  get isHeld(): boolean {
    return this.#release !== undefined;
  }

  async acquire(): Promise<void> {
    const previous = WriteLock.#last.get(this.#key);
    const { promise, resolve } = Promise.withResolvers<void>();
    WriteLock.#last.set(this.#key, promise);
    await previous;
    this.#release = () => {
      if (WriteLock.#last.get(this.#key) === promise) WriteLock.#last.delete(this.#key);
      resolve();
    };
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/** SQLite rolls back changes to tables like any other change; Kysely assumes that it does not. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A `node:sqlite` database with the interface of better-sqlite3 that Kysely uses. */
class SqliteFile implements SqliteDatabase {
  readonly #path: string;
  readonly #synchronous: "normal" | "full";
  #db: DatabaseSync | undefined;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(path: string, synchronous: "normal" | "full") {
    this.#path = path;
    this.#synchronous = synchronous;
  }

  open(): this {
    if (!this.#isInMemory) mkdirSync(dirname(this.#path), { recursive: true });
    const db = new DatabaseSync(this.#path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    try {
      // With a write-ahead log, readers and the writer do not wait for each other.
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${this.#synchronous}`);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return this;
  }

  /** Equal for all handles of one file. */
  get lockKey(): unknown {
    return this.#isInMemory ? this : realpathSync(this.#path);
  }

  get isTransaction(): boolean {
    return this.#db?.isTransaction ?? false;
  }

  /** Kysely prepares each query anew, which takes SQLite longer than most of our queries. */
  prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement) return statement;
    statement = this.#prepare(sql);
    // Only statements that read or write rows are used again and again; lists of values give each length its own text.
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  #prepare(sql: string): SqliteStatement {
    if (!this.#db) throw new Error("the database is not open");
    const statement = this.#db.prepare(sql);
    const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    };
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
  }

  get #isInMemory(): boolean {
    return this.#path === ":memory:";
  }
}
