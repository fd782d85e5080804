/**
 * Sign-in links: who has the token may sign in as the player. One-time links end with their use or after 15 minutes;
 * a personal link signs in until it is replaced, and each player has at most one.
 */
import type { Kysely } from "kysely";
import type { SignInLinkTable, Tables } from "../database/schema.ts";
import { type Player, playerOf } from "../players/store.ts";
import { hashToken, newToken } from "../sessions/tokens.ts";

export const oneTimeMs = 15 * 60_000;

export type LinkKind = SignInLinkTable["kind"];

/** Returns the token. An earlier link of the same kind ends; sessions go on. */
export async function createLink(db: Kysely<Tables>, playerId: string, kind: LinkKind, now: number): Promise<string> {
  const [[, token]] = (await createLinks(db, [playerId], kind, now)) as [[string, string]];
  return token;
}

/** For several players, each once. Returns their ids and tokens. */
export async function createLinks(
  db: Kysely<Tables>,
  playerIds: readonly string[],
  kind: LinkKind,
  now: number,
): Promise<[playerId: string, token: string][]> {
  const links = playerIds.map((id): [string, string] => [id, newToken()]);
  await db.deleteFrom("sign_in_link").where("player_id", "in", playerIds).where("kind", "=", kind).execute();
  const expires_at = kind === "one-time" ? now + oneTimeMs : null;
  const rows = links.map(([player_id, token]) => ({
    ...{ token_hash: hashToken(token), player_id, kind, created_at: now, expires_at, used_at: null },
  }));
  await db.insertInto("sign_in_link").values(rows).execute();
  return links;
}

/** The token is in the fragment, which browsers do not send: it is in no access log. */
export function linkOf(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#${token}`;
}

/** Whom the link signs in, if it is valid. Consumes nothing. */
export async function findLink(db: Kysely<Tables>, token: string, now: number): Promise<Player | undefined> {
  const row = await db
    .selectFrom("sign_in_link")
    .innerJoin("player", "player.id", "sign_in_link.player_id")
    .selectAll("player")
    .where("sign_in_link.token_hash", "=", hashToken(token))
    .where("player.deleted_at", "is", null)
    .where((is) => is.or([is("sign_in_link.expires_at", "is", null), is("sign_in_link.expires_at", ">", now)]))
    .where((is) => is.or([is("sign_in_link.kind", "=", "personal"), is("sign_in_link.used_at", "is", null)]))
    .executeTakeFirst();
  return row && playerOf(row);
}

/** Whether this call is the one that used it: of two at the same time, one may sign in with a one-time link. */
export async function consumeLink(db: Kysely<Tables>, token: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("sign_in_link")
    .set({ used_at: now })
    .where("token_hash", "=", hashToken(token))
    .where((is) => is.or([is("kind", "=", "personal"), is("used_at", "is", null)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
