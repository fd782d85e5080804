/** The tables of the competition: teams, submissions, the ledger of everything that changes the scoreboard, incidents. */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { Tables } from "./schema.ts";

export const compete: Migration = {
  async up(db: Kysely<Tables>) {
    const { schema } = db;
    await schema
      .createTable("team")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("name_key", "text", (column) => column.notNull().unique())
      .addColumn("join_token", "text", (column) => column.notNull().unique())
      .addColumn("captain_id", "text", (column) => column.notNull())
      .addColumn("division", "text")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("deleted_at", "bigint")
      .addColumn("banned_at", "bigint")
      .execute();
    await schema
      .createTable("team_member")
      .addColumn("team_id", "text", (column) => column.notNull().references("team.id"))
      .addColumn("player_id", "text", (column) => column.notNull().references("player.id"))
      .addColumn("joined_at", "bigint", (column) => column.notNull())
      .addColumn("left_at", "bigint")
      .execute();
    // A player is in one team at a time, however many joins arrive at once.
    await schema
      .createIndex("team_member_present")
      .on("team_member")
      .column("player_id")
      .unique()
      .where(sql.ref("left_at"), "is", null)
      .execute();
    await schema.createIndex("team_member_team").on("team_member").column("team_id").execute();
    await schema
      .createTable("submission")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("player_id", "text", (column) => column.notNull().references("player.id"))
      .addColumn("scorer_id", "text", (column) => column.notNull())
      .addColumn("challenge_name", "varchar(253)", (column) => column.notNull())
      .addColumn("verdict", "text", (column) => column.notNull())
      .addColumn("value", "text", (column) => column.notNull())
      .addColumn("value_hmac", "text", (column) => column.notNull())
      .addColumn("instance_id", "text")
      .addColumn("address", "text")
      .execute();
    await schema.createIndex("submission_verdict").on("submission").columns(["verdict", "id"]).execute();
    await schema.createIndex("submission_player").on("submission").columns(["player_id", "id"]).execute();
    await schema
      .createTable("ledger")
      .addColumn("id", "bigint", (column) => column.primaryKey().notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("scorer_id", "text", (column) => column.notNull())
      .addColumn("player_id", "text")
      .addColumn("challenge_name", "varchar(253)")
      .addColumn("points", "integer")
      .addColumn("detail", "text")
      .execute();
    // Of any number of correct submissions at once, one is the solve.
    await schema
      .createIndex("ledger_one_solve")
      .on("ledger")
      .columns(["scorer_id", "challenge_name"])
      .unique()
      .where(sql.ref("kind"), "=", sql.lit("solve"))
      .execute();
    await schema
      .createTable("incident")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("submission_id", "text", (column) => column.notNull().references("submission.id"))
      .addColumn("instance_id", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("note", "text", (column) => column.notNull())
      .addColumn("decided_by", "text")
      .addColumn("decided_at", "bigint")
      .execute();
    await schema
      .createIndex("incident_submission")
      .on("incident")
      .columns(["submission_id", "instance_id"])
      .unique()
      .execute();
    await schema
      .createTable("announcement")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("title", "text", (column) => column.notNull())
      .addColumn("content", "text", (column) => column.notNull())
      .addColumn("created_by", "text", (column) => column.notNull())
      .addColumn("deleted_at", "bigint")
      .execute();
    await schema
      .createTable("audit")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("actor_id", "text", (column) => column.notNull())
      .addColumn("action", "text", (column) => column.notNull())
      .addColumn("target", "text", (column) => column.notNull())
      .addColumn("before", "text")
      .addColumn("after", "text")
      .execute();
    await schema.alterTable("player").addColumn("banned_at", "bigint").execute();
    await db.insertInto("row_lock").values({ name: "ledger" }).execute();
  },
};
