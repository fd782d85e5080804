/**
 * RuntimeRecords in a database, PostgreSQL or SQLite, with the same tables and queries. Each call is one statement, so
 * no call is ever half done, and any number of processes may make calls concurrently.
 */
import { type Database, type DatabaseOptions, openDatabase } from "@berg/database";
import { type Kysely, sql } from "kysely";
import type { Life, RuntimeRecord, RuntimeRecords } from "../runtime-records.ts";
import { migrations } from "./migrations.ts";
import { recordsOf, rowOf } from "./rows.ts";
import type { Tables } from "./schema.ts";

export type DatabaseRecordsOptions = Pick<DatabaseOptions, "database" | "log">;

/**
 *     await using records = await openDatabaseRecords({ database: process.env.DATABASE_URL ?? ".berg/records.db" });
 */
export async function openDatabaseRecords(options: DatabaseRecordsOptions): Promise<RuntimeRecords> {
  return new DatabaseRecords(await openDatabase<Tables>({ ...options, component: "runtime", migrations }));
}

class DatabaseRecords implements RuntimeRecords {
  readonly #database: Database<Tables>;
  readonly #db: Kysely<Tables>;

  constructor(database: Database<Tables>) {
    this.#database = database;
    this.#db = database.db;
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
          // Skips the write if nothing changes.
          .where(
            sql<boolean>`(runtime_record.status, runtime_record.reserved_until) is distinct from (excluded.status, excluded.reserved_until)`,
          ),
      );
    await query.execute({ signal });
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
    await query.execute({ signal });
  }

  async stop(uid: string, at: number, signal?: AbortSignal): Promise<boolean> {
    const query = this.#db
      .updateTable("runtime_record")
      .set({ status: "STOPPED", stopped_at: at, reserved_until: null })
      .where("uid", "=", uid)
      .where("stopped_at", "is", null);
    const { numUpdatedRows } = await query.executeTakeFirst({ signal });
    return numUpdatedRows > 0n;
  }

  async get(uid: string, signal?: AbortSignal): Promise<RuntimeRecord | undefined> {
    const query = this.#joined().where("runtime_record.uid", "=", uid);
    return recordsOf(await query.execute({ signal }))[0];
  }

  async open(signal?: AbortSignal): Promise<RuntimeRecord[]> {
    const query = this.#joined().where("runtime_record.stopped_at", "is", null);
    return recordsOf(await query.execute({ signal }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
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
}
