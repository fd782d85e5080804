/** Sessions: a random token in a cookie, its hash in the database, so that each can be listed and ended. */
import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { isId, isStaff, type Player, playerOf } from "../players/store.ts";
import { hashToken, newToken } from "./tokens.ts";

const hour = 3_600_000;
/** Staff can do more harm with a session that is left open. */
const lifetimeMs = { player: 7 * 24 * hour, staff: 12 * hour };
const longestUserAgent = 256;

export interface NewSession {
  id: string;
  token: string;
  expiresAt: number;
}

/** Where a session begins: shown to the player, who may find a stranger among the sessions. */
interface SessionOrigin {
  now: number;
  userAgent?: string | undefined;
  address?: string | undefined;
  /** Name of the identity provider; undefined: with a link. */
  provider?: string | undefined;
}

export async function createSession(
  db: Kysely<Tables>,
  player: Player,
  { now, userAgent = "", address, provider }: SessionOrigin,
): Promise<NewSession> {
  const token = newToken();
  const id = randomUUID();
  const expiresAt = now + (isStaff(player) ? lifetimeMs.staff : lifetimeMs.player);
  await db.deleteFrom("session").where("player_id", "=", player.id).where("expires_at", "<=", now).execute();
  await db
    .insertInto("session")
    .values({
      token_hash: hashToken(token),
      id,
      player_id: player.id,
      created_at: now,
      expires_at: expiresAt,
      user_agent: userAgent.replace(/\p{C}/gu, "").slice(0, longestUserAgent),
      address: address ?? null,
      provider: provider ?? null,
    })
    .execute();
  return { id, token, expiresAt };
}

export interface Session {
  id: string;
  player: Player;
  expiresAt: number;
}

/** Whose session the token is, while it lasts. */
export async function findSession(db: Kysely<Tables>, token: string, now: number): Promise<Session | undefined> {
  const hash = hashToken(token);
  const row = await db
    .selectFrom("session")
    .innerJoin("player", "player.id", "session.player_id")
    .selectAll("player")
    .select(["session.expires_at", "session.id as session_id"])
    .where("session.token_hash", "=", hash)
    .where("session.expires_at", ">", now)
    .where("player.deleted_at", "is", null)
    .where("player.banned_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  return { id: row.session_id ?? (await giveId(db, hash)), player: playerOf(row), expiresAt: row.expires_at };
}

/** The identity provider of a session; undefined where it began with a link. */
export async function findSessionProvider(db: Kysely<Tables>, id: string): Promise<string | undefined> {
  const row = await db.selectFrom("session").select("provider").where("id", "=", id).executeTakeFirst();
  return row?.provider ?? undefined;
}

export interface ListedSession {
  id: string;
  createdAt: number;
  expiresAt: number;
  userAgent: string;
  /** Null: it is not stored, or no longer. */
  address: string | null;
}

/** Those of one player that last, newest first. */
export async function listSessions(db: Kysely<Tables>, playerId: string, now: number): Promise<ListedSession[]> {
  const rows = await db
    .selectFrom("session")
    .selectAll()
    .where("player_id", "=", playerId)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .orderBy("token_hash")
    .execute();
  return Promise.all(
    rows.map(async ({ id, token_hash, created_at, expires_at, user_agent, address }) => ({
      id: id ?? (await giveId(db, token_hash)),
      createdAt: created_at,
      expiresAt: expires_at,
      ...{ userAgent: user_agent, address },
    })),
  );
}

/** Whether there was such a session of the player. */
export async function endSession(db: Kysely<Tables>, playerId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const { numDeletedRows } = await db
    .deleteFrom("session")
    .where("player_id", "=", playerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** All of the player's, except the one with the id `keep`. */
export async function endSessions(db: Kysely<Tables>, playerId: string, keep?: string): Promise<void> {
  const own = db.deleteFrom("session").where("player_id", "=", playerId);
  const ended = keep === undefined ? own : own.where((is) => is.or([is("id", "is", null), is("id", "!=", keep)]));
  await ended.execute();
}

/** The version before this one inserts sessions without an id. Of two at the same time, one gives it. */
async function giveId(db: Kysely<Tables>, hash: string): Promise<string> {
  await db
    .updateTable("session")
    .set({ id: randomUUID() })
    .where("token_hash", "=", hash)
    .where("id", "is", null)
    .execute();
  const row = await db.selectFrom("session").select("id").where("token_hash", "=", hash).executeTakeFirst();
  // Ended meanwhile: an id that no other session has.
  return row?.id ?? randomUUID();
}
