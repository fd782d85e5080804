/**
 * Every change that the tables have seen, oldest first by name. What was released is never edited: it has run elsewhere.
 * A migration must leave the tables usable for the version before it, which still runs while an upgrade is under way.
 */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { Tables } from "./schema.ts";

const runtimeRecords: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable("runtime_record")
      .addColumn("uid", "text", (column) => column.primaryKey().notNull())
      .addColumn("instance_namespace", "text", (column) => column.notNull())
      .addColumn("instance_name", "text", (column) => column.notNull())
      .addColumn("namespace", "text", (column) => column.notNull())
      .addColumn("owner_id", "text", (column) => column.notNull())
      .addColumn("challenge", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("started_at", "bigint", (column) => column.notNull())
      .addColumn("stopped_at", "bigint")
      .addColumn("reserved_until", "bigint")
      .execute();
    await db.schema
      .createTable("runtime_pod")
      .addColumn("record_uid", "text", (column) =>
        column.notNull().references("runtime_record.uid").onDelete("cascade"),
      )
      .addColumn("container", "text", (column) => column.notNull())
      .addColumn("pod_uid", "text", (column) => column.notNull())
      .addColumn("restarts", "bigint", (column) => column.notNull())
      .addColumn("replaced", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("runtime_pod_key", ["record_uid", "container"])
      .execute();
    // The open ones are few among all that ever were, and are asked for often.
    await db.schema
      .createIndex("runtime_record_open")
      .on("runtime_record")
      .column("started_at")
      .where(sql.ref("stopped_at"), "is", null)
      .execute();
  },
};

export const migrations: Readonly<Record<string, Migration>> = {
  "2026-11-runtime-records": runtimeRecords,
};
