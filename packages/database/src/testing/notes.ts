/** Tables of two components, for tests. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { openDatabase } from "../database.ts";
import type { SqliteOptions } from "../sqlite.ts";

export interface NoteTables {
  note: { id: string; text: string; size: number };
}

export const noteMigrations: Readonly<Record<string, Migration>> = { "0001-notes": createTable("note") };

export interface TeamTables {
  team: { id: string; text: string; size: number };
}

export const teamMigrations: Readonly<Record<string, Migration>> = { "0001-teams": createTable("team") };

export const openNotes = (database: string, options: SqliteOptions = {}) =>
  openDatabase<NoteTables>({ database, component: "runtime", migrations: noteMigrations, ...options });

export const openTeams = (database: string) =>
  openDatabase<TeamTables>({ database, component: "api", migrations: teamMigrations });

export async function addNote(db: Kysely<NoteTables>, id: string, text = `text of ${id}`): Promise<void> {
  await db.insertInto("note").values({ id, text, size: text.length }).execute();
}

export async function noteIds(db: Kysely<NoteTables>): Promise<string[]> {
  return (await db.selectFrom("note").select("id").orderBy("id").execute()).map(({ id }) => id);
}

function createTable(name: string): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable(name)
        .addColumn("id", "text", (column) => column.primaryKey().notNull())
        .addColumn("text", "text", (column) => column.notNull().unique())
        .addColumn("size", "bigint", (column) => column.notNull())
        .execute();
    },
  };
}
