import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { hashToken } from "../sessions/tokens.ts";

export const roles = ["player", "author", "support", "admin"] as const;
export type Role = (typeof roles)[number];

export interface Player {
  id: string;
  name: string;
  federatedId: string;
  roles: Role[];
  apiKeyPlaceholder: string | null;
}

export interface NewPlayer extends Omit<Player, "apiKeyPlaceholder"> {
  createdAt: number;
}

/** Creates the player unless one with that `federatedId` exists, and returns the one that does. */
export async function ensurePlayer(db: Kysely<Tables>, player: NewPlayer): Promise<Player> {
  await db
    .insertInto("player")
    .values({
      id: player.id,
      name: player.name,
      federated_id: player.federatedId,
      roles: player.roles.join(","),
      api_key_hash: null,
      api_key_placeholder: null,
      created_at: player.createdAt,
    })
    .onConflict((conflict) => conflict.column("federated_id").doNothing())
    .execute();
  const row = await db
    .selectFrom("player")
    .selectAll()
    .where("federated_id", "=", player.federatedId)
    .executeTakeFirstOrThrow();
  return playerOf(row);
}

/** By name. */
export async function listPlayers(db: Kysely<Tables>): Promise<Player[]> {
  return (await db.selectFrom("player").selectAll().orderBy("name").orderBy("id").execute()).map(playerOf);
}

export async function findPlayer(db: Kysely<Tables>, id: string): Promise<Player | undefined> {
  const row = await db.selectFrom("player").selectAll().where("id", "=", id).executeTakeFirst();
  return row && playerOf(row);
}

export async function findPlayersByIds(db: Kysely<Tables>, ids: readonly string[]): Promise<Player[]> {
  if (ids.length === 0) return [];
  return (await db.selectFrom("player").selectAll().where("id", "in", ids).execute()).map(playerOf);
}

export async function findPlayerByKey(db: Kysely<Tables>, key: string): Promise<Player | undefined> {
  const row = await db.selectFrom("player").selectAll().where("api_key_hash", "=", hashToken(key)).executeTakeFirst();
  return row && playerOf(row);
}

/** Replaces the API key, and returns the new one: it is shown once, and only its hash is kept. */
export async function resetApiKey(db: Kysely<Tables>, id: string): Promise<string> {
  const key = randomBytes(32).toString("hex");
  const placeholder = `${key.slice(0, 4)}${"*".repeat(10)}`;
  await db
    .updateTable("player")
    .set({ api_key_hash: hashToken(key), api_key_placeholder: placeholder })
    .where("id", "=", id)
    .execute();
  return key;
}

export function playerOf(row: Omit<Tables["player"], "api_key_hash" | "created_at">): Player {
  const known = row.roles.split(",").filter((role): role is Role => (roles as readonly string[]).includes(role));
  return {
    id: row.id,
    name: row.name,
    federatedId: row.federated_id,
    roles: known,
    apiKeyPlaceholder: row.api_key_placeholder,
  };
}

export function isStaff({ roles }: Pick<Player, "roles">): boolean {
  return roles.some((role) => role !== "player");
}
