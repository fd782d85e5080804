/**
 * Records in a database, PostgreSQL or SQLite: the same tables and the same queries. Each call is one statement, so that
 * no call is ever half done, and any number of processes may make them at once.
 */
import { type Logger, silentLogger } from "@berg/kube";
import { type Dialect, Kysely, sql } from "kysely";
import type { Life, RuntimeRecord, RuntimeRecords } from "../runtime-records.ts";
import { type DatabaseAddress, readDatabaseAddress } from "./address.ts";
import { DatabaseError } from "./database-error.ts";
import { migrate } from "./migrate.ts";
import { lockMigrations, postgresDialect } from "./postgres.ts";
import { recordsOf, rowOf } from "./rows.ts";
import type { Tables } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";

export interface DatabaseRecordsOptions {
  /** The URL of a PostgreSQL database, as DATABASE_URL has it, or the path of a SQLite file. */
  database: string;
  log?: Logger;
}

/**
 *     await using records = await openDatabaseRecords({ database: process.env.DATABASE_URL ?? ".berg/records.db" });
 */
export async function openDatabaseRecords(options: DatabaseRecordsOptions): Promise<RuntimeRecords> {
  const address = readDatabaseAddress(options.database);
  // Where Kysely cannot make a table it looks once more, in a transaction that is lost by then: the first error tells.
  let first: unknown;
  let db: Kysely<Tables> | undefined;
  try {
    const dialect = dialectOf(address, options.log ?? silentLogger);
    db = new Kysely<Tables>({
      dialect,
      log(event) {
        if (event.level === "error") first ??= event.error;
      },
    });
    // A transaction of SQLite is a lock itself.
    await migrate(db, address.kind === "postgres" ? (transaction) => lockMigrations(transaction) : async () => {});
    return new DatabaseRecords(db, address);
  } catch (error) {
    await db?.destroy().catch(() => {});
    throw new DatabaseError("open", address.shown, first ?? error);
  }
}

function dialectOf(address: DatabaseAddress, log: Logger): Dialect {
  return address.kind === "postgres" ? postgresDialect(address.url, log) : sqliteDialect(address.path);
}

class DatabaseRecords implements RuntimeRecords {
  readonly #db: Kysely<Tables>;
  readonly #address: DatabaseAddress;

  constructor(db: Kysely<Tables>, address: DatabaseAddress) {
    this.#db = db;
    this.#address = address;
  }

  async live(life: Life, signal?: AbortSignal): Promise<boolean> {
    const query = this.#db
      .insertInto("runtime_record")
      .values(rowOf(life))
      .onConflict((conflict) =>
        conflict
          .column("uid")
          .doUpdateSet({
            status: sql.ref("excluded.status"),
            stopped_at: null,
            reserved_until: sql.ref("excluded.reserved_until"),
          })
          // What is as it should be is not written again.
          .where(
            sql<boolean>`(runtime_record.status, runtime_record.reserved_until) is distinct from (excluded.status, excluded.reserved_until)`,
          ),
      );
    await this.#saying("write to", signal, () => query.execute({ signal }));
    return true;
  }

  async pod(
    uid: string,
    container: string,
    seen: { uid: string; restarts: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const query = this.#db
      .insertInto("runtime_pod")
      .columns(["record_uid", "container", "pod_uid", "restarts", "replaced"])
      .expression((from) =>
        from
          .selectFrom("runtime_record")
          .where("uid", "=", uid)
          .where("stopped_at", "is", null)
          .select([
            "uid",
            sql<string>`cast(${container} as text)`.as("container"),
            sql<string>`cast(${seen.uid} as text)`.as("pod_uid"),
            sql<number>`cast(${seen.restarts} as bigint)`.as("restarts"),
            sql<number>`cast(0 as bigint)`.as("replaced"),
          ]),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["record_uid", "container"])
          .doUpdateSet({
            pod_uid: sql.ref("excluded.pod_uid"),
            restarts: sql.ref("excluded.restarts"),
            replaced: sql`runtime_pod.replaced + case when runtime_pod.pod_uid = excluded.pod_uid then 0 else 1 end`,
          })
          .where(
            sql<boolean>`(runtime_pod.pod_uid, runtime_pod.restarts) is distinct from (excluded.pod_uid, excluded.restarts)`,
          ),
      );
    await this.#saying("write to", signal, () => query.execute({ signal }));
  }

  async stop(uid: string, at: number, signal?: AbortSignal): Promise<boolean> {
    const query = this.#db
      .updateTable("runtime_record")
      .set({ status: "STOPPED", stopped_at: at, reserved_until: null })
      .where("uid", "=", uid)
      .where("stopped_at", "is", null);
    const { numUpdatedRows } = await this.#saying("write to", signal, () => query.executeTakeFirst({ signal }));
    return numUpdatedRows > 0n;
  }

  async get(uid: string, signal?: AbortSignal): Promise<RuntimeRecord | undefined> {
    const query = this.#joined().where("runtime_record.uid", "=", uid);
    return recordsOf(await this.#saying("read", signal, () => query.execute({ signal })))[0];
  }

  async open(signal?: AbortSignal): Promise<RuntimeRecord[]> {
    const query = this.#joined().where("runtime_record.stopped_at", "is", null);
    return recordsOf(await this.#saying("read", signal, () => query.execute({ signal })));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db.destroy();
  }

  #joined() {
    return this.#db
      .selectFrom("runtime_record")
      .leftJoin("runtime_pod", "runtime_pod.record_uid", "runtime_record.uid")
      .selectAll("runtime_record")
      .select(["runtime_pod.container", "runtime_pod.pod_uid", "runtime_pod.restarts", "runtime_pod.replaced"])
      .orderBy("runtime_record.started_at")
      .orderBy("runtime_record.uid");
  }

  async #saying<T>(doing: string, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      // Who gave up is told so in the own words.
      signal?.throwIfAborted();
      throw new DatabaseError(doing, this.#address.shown, error);
    }
  }
}
