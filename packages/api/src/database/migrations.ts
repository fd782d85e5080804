/**
 * Every change of the tables, oldest first by name. A released migration is never edited. Each leaves the tables usable
 * for the version before it, which still runs during an upgrade.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { type Kysely, PostgresAdapter, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { compete } from "./compete-migration.ts";
import type { Tables } from "./schema.ts";

const play: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable("player")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("federated_id", "text", (column) => column.notNull().unique())
      .addColumn("roles", "text", (column) => column.notNull())
      .addColumn("api_key_hash", "text", (column) => column.unique())
      .addColumn("api_key_placeholder", "text")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("sign_in_link")
      .addColumn("token_hash", "text", (column) => column.primaryKey().notNull())
      .addColumn("player_id", "text", (column) => column.notNull().references("player.id").onDelete("cascade"))
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("used_at", "bigint")
      .execute();
    await db.schema.createIndex("sign_in_link_player").on("sign_in_link").column("player_id").execute();
    await db.schema
      .createTable("session")
      .addColumn("token_hash", "text", (column) => column.primaryKey().notNull())
      .addColumn("player_id", "text", (column) => column.notNull().references("player.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema.createIndex("session_player").on("session").column("player_id").execute();
    // No foreign key: an owner may be a team, or a UUID that exists in Kubernetes only.
    await db.schema
      .createTable("instances")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("owner_id", "text", (column) => column.notNull())
      .addColumn("started_by", "text", (column) => column.notNull())
      .addColumn("challenge_name", "varchar(64)", (column) => column.notNull())
      .addColumn("flag", "varchar(1024)")
      .addColumn("flag_hmac", "text")
      .addColumn("flag_reused", "integer", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("started_at", "bigint", (column) => column.notNull())
      .addColumn("ready_at", "bigint")
      .addColumn("stop_requested_at", "bigint")
      .addColumn("terminated_at", "bigint")
      .addColumn("termination_reason", "varchar(20)")
      .execute();
    // Of any number of starts at the same time, one wins.
    await db.schema
      .createIndex("instances_one_per_owner")
      .on("instances")
      .column("owner_id")
      .unique()
      .where(sql.ref("stop_requested_at"), "is", null)
      .where(sql.ref("terminated_at"), "is", null)
      .execute();
    await db.schema
      .createIndex("instances_open")
      .on("instances")
      .column("owner_id")
      .where(sql.ref("terminated_at"), "is", null)
      .execute();
    await db.schema.createIndex("instances_flag").on("instances").columns(["challenge_name", "flag_hmac"]).execute();
    await db.schema
      .createTable("secret")
      .addColumn("name", "text", (column) => column.primaryKey().notNull())
      .addColumn("value", "text", (column) => column.notNull())
      .execute();
    // Under the migration lock, so that all processes get the same one.
    const value = randomBytes(32).toString("hex");
    await db.insertInto("secret").values({ name: "flag-hmac", value }).execute();
  },
};

/** Instances that others created, why one is stopped, how its start went; the last Competition that was seen. */
const operate: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema.alterTable("instances").addColumn("object_name", "text").execute();
    await db.schema.alterTable("instances").addColumn("stop_reason", "varchar(20)").execute();
    await db.schema.alterTable("instances").addColumn("timeline", "text").execute();
    await db.schema
      .createTable("competition")
      .addColumn("name", "text", (column) => column.primaryKey().notNull())
      .addColumn("spec", "text", (column) => column.notNull())
      .addColumn("seen_at", "bigint", (column) => column.notNull())
      .execute();
  },
};

const accounts: Migration = {
  async up(db: Kysely<Tables>) {
    const { schema } = db;
    // Nullable: the version before this one inserts sessions without it. They get one when they are read.
    await schema.alterTable("session").addColumn("id", "text").execute();
    await schema
      .alterTable("session")
      .addColumn("user_agent", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    for (const { token_hash } of await db.selectFrom("session").select("token_hash").execute()) {
      await db.updateTable("session").set({ id: randomUUID() }).where("token_hash", "=", token_hash).execute();
    }
    await schema.createIndex("session_id").on("session").column("id").unique().execute();
    await schema
      .alterTable("player")
      .addColumn("attributes", "text", (column) => column.notNull().defaultTo("{}"))
      .execute();
    await schema
      .alterTable("player")
      .addColumn("api_key_scopes", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await schema.alterTable("player").addColumn("deleted_at", "bigint").execute();
    await schema
      .createTable("row_lock")
      .addColumn("name", "text", (column) => column.primaryKey().notNull())
      .execute();
    await db.insertInto("row_lock").values({ name: "players" }).execute();
  },
};

const handouts: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable("handout_downloads")
      .addColumn("player_id", "text", (column) => column.references("player.id").onDelete("set null"))
      .addColumn("challenge_name", "varchar(253)", (column) => column.notNull())
      .addColumn("file_name", "text", (column) => column.notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema.createIndex("handout_downloads_player").on("handout_downloads").column("player_id").execute();
    await db.schema
      .createIndex("handout_downloads_challenge")
      .on("handout_downloads")
      .columns(["challenge_name", "at"])
      .execute();
  },
};

/** Mail: messages to send, where to send lost links; where sessions come from. */
const outbox: Migration = {
  async up(db: Kysely<Tables>) {
    const { schema } = db;
    await schema.alterTable("player").addColumn("email", "text").execute();
    await schema.createIndex("player_email").on("player").column("email").execute();
    await schema.alterTable("session").addColumn("address", "text").execute();
    await schema
      .createTable("outbox")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("body", "text")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("due_at", "bigint", (column) => column.notNull())
      .addColumn("claim_id", "text")
      .addColumn("failed_at", "bigint")
      .addColumn("error", "text")
      .execute();
    await schema
      .createIndex("outbox_pending")
      .on("outbox")
      .column("due_at")
      .where(sql.ref("failed_at"), "is", null)
      .execute();
  },
};

/** Sign-in with OpenID Connect. Roles of a provider have a column of their own: the version before reads those of admins. */
const openid: Migration = {
  async up(db: Kysely<Tables>) {
    const { schema } = db;
    await schema
      .alterTable("player")
      .addColumn("provider_roles", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await schema.alterTable("session").addColumn("provider", "text").execute();
    await schema
      .createTable("identity")
      .addColumn("issuer", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("player_id", "text", (column) => column.notNull().references("player.id").onDelete("cascade"))
      .addColumn("signed_in_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("identity_key", ["issuer", "subject"])
      .execute();
    await schema.createIndex("identity_player").on("identity").column("player_id").execute();
    await schema
      .createTable("pending_sign_in")
      .addColumn("state_hash", "text", (column) => column.primaryKey().notNull())
      .addColumn("browser_hash", "text", (column) => column.notNull())
      .addColumn("provider", "text", (column) => column.notNull())
      .addColumn("nonce", "text", (column) => column.notNull())
      .addColumn("code_verifier", "text", (column) => column.notNull())
      .addColumn("return_path", "text", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("pending_sign_in_expiry").on("pending_sign_in").column("expires_at").execute();
  },
};

const replicas: Migration = {
  async up(db: Kysely<Tables>) {
    const { schema } = db;
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    const events = schema.createTable("replica_event");
    await (isPostgres
      ? events.addColumn("id", "bigserial", (column) => column.primaryKey())
      : events.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    )
      .addColumn("event", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute();
    // Unlogged: a row for every start must not wait for the disk, and may be lost in a crash.
    const unlogged = sql.raw(isPostgres ? "unlogged" : "");
    await sql`create ${unlogged} table rate_limit (key text not null primary key, full_at bigint not null)`.execute(db);
    // What the leader has to act on, read every second.
    await sql`create index instances_pending on instances (id) where state in ('requested', 'stopping')`.execute(db);
    // Two starts at the same time must not draw the same flag. Where they did, the later one counts as reused.
    await sql`update instances set flag_reused = 1 where flag_reused = 0 and exists (
      select 1 from instances as earlier where earlier.challenge_name = instances.challenge_name
      and earlier.flag_hmac = instances.flag_hmac and earlier.flag_reused = 0 and earlier.id < instances.id)`.execute(
      db,
    );
    await sql`create unique index instances_flag_once on instances (challenge_name, flag_hmac)
      where flag_reused = 0`.execute(db);
  },
};

export const migrations: Readonly<Record<string, Migration>> = {
  "2026-11-play": play,
  "2026-11b-accounts": accounts,
  "2026-11c-handouts": handouts,
  "2026-11d-operate": operate,
  "2026-11e-openid": openid,
  "2026-11f-outbox": outbox,
  "2026-11g-replicas": replicas,
  "2026-11h-compete": compete,
};
