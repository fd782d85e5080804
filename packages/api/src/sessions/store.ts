/** Sessions: a random token in a cookie, its hash in the database, so that each can be listed and ended. */
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { isStaff, type Player, playerOf } from "../players/store.ts";
import { hashToken, newToken } from "./tokens.ts";

const hour = 3_600_000;
/** Staff can do more harm with a session that is left open. */
const lifetimeMs = { player: 7 * 24 * hour, staff: 12 * hour };

export interface NewSession {
  token: string;
  expiresAt: number;
}

export async function createSession(db: Kysely<Tables>, player: Player, now: number): Promise<NewSession> {
  const token = newToken();
  const expiresAt = now + (isStaff(player) ? lifetimeMs.staff : lifetimeMs.player);
  await db.deleteFrom("session").where("player_id", "=", player.id).where("expires_at", "<=", now).execute();
  await db
    .insertInto("session")
    .values({ token_hash: hashToken(token), player_id: player.id, created_at: now, expires_at: expiresAt })
    .execute();
  return { token, expiresAt };
}

export interface Session {
  player: Player;
  expiresAt: number;
}

/** Whose session the token is, while it lasts. */
export async function findSession(db: Kysely<Tables>, token: string, now: number): Promise<Session | undefined> {
  const row = await db
    .selectFrom("session")
    .innerJoin("player", "player.id", "session.player_id")
    .selectAll("player")
    .select("session.expires_at")
    .where("session.token_hash", "=", hashToken(token))
    .where("session.expires_at", ">", now)
    .executeTakeFirst();
  return row && { player: playerOf(row), expiresAt: row.expires_at };
}

export async function endSession(db: Kysely<Tables>, token: string): Promise<void> {
  await db.deleteFrom("session").where("token_hash", "=", hashToken(token)).execute();
}
