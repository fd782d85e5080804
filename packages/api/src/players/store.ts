import { randomBytes, randomUUID } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { PlayerRow, Tables } from "../database/schema.ts";
import { recordScorer } from "../ledger/store.ts";
import { hashToken } from "../sessions/tokens.ts";

export const roles = ["player", "author", "support", "admin"] as const;
export type Role = (typeof roles)[number];

export type Attributes = Readonly<Record<string, string>>;

export interface Player {
  id: string;
  name: string;
  federatedId: string;
  /** All that the player has: granted here, and given by the identity provider. */
  roles: Role[];
  grantedRoles: Role[];
  providerRoles: Role[];
  apiKeyPlaceholder: string | null;
  attributes: Attributes;
  /** Only the player sees it. */
  email: string | null;
  createdAt: number;
}

/** What else stands in a path is no id; PostgreSQL refuses some of it, such as a NUL. */
export function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** Whose account Berg itself vouches for: they sign in with links, and may choose their name. */
const localPrefix = "local:";

export function isLocal({ federatedId }: Pick<Player, "federatedId">): boolean {
  return federatedId.startsWith(localPrefix);
}

/** Of an account that the command line names. */
export function federatedIdOfName(name: string): string {
  return `${localPrefix}${name.toLowerCase()}`;
}

export interface NewPlayer {
  name: string;
  roles: readonly Role[];
  attributes?: Attributes;
  email?: string | undefined;
  createdAt: number;
  /** Unset: an account of its own, whatever its name. */
  federatedId?: string;
}

/** Creates the player unless one with that `federatedId` exists, and returns the one that does. */
export async function ensurePlayer(transaction: Transaction<Tables>, player: NewPlayer): Promise<Player> {
  const id = randomUUID();
  const federatedId = player.federatedId ?? `${localPrefix}${id}`;
  await transaction
    .insertInto("player")
    .values({
      id,
      name: player.name,
      federated_id: federatedId,
      roles: joinRoles(player.roles),
      api_key_hash: null,
      api_key_placeholder: null,
      attributes: JSON.stringify(player.attributes ?? {}),
      email: player.email ?? null,
      created_at: player.createdAt,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.column("federated_id").doNothing())
    .execute();
  const row = await transaction
    .selectFrom("player")
    .selectAll()
    .where("federated_id", "=", federatedId)
    .executeTakeFirstOrThrow();
  if (row.id === id) await recordScorer(transaction, id, player.createdAt);
  return playerOf(row);
}

/** By name. */
export async function listPlayers(db: Kysely<Tables>): Promise<Player[]> {
  return (await present(db).orderBy("name").orderBy("id").execute()).map(playerOf);
}

export async function findPlayer(db: Kysely<Tables>, id: string): Promise<Player | undefined> {
  if (!isId(id)) return undefined;
  const row = await present(db).where("id", "=", id).executeTakeFirst();
  return row && playerOf(row);
}

export async function findPlayersByIds(db: Kysely<Tables>, ids: readonly string[]): Promise<Player[]> {
  if (ids.length === 0) return [];
  return (await db.selectFrom("player").selectAll().where("id", "in", ids).execute()).map(playerOf);
}

export async function findPlayersByName(db: Kysely<Tables>, name: string): Promise<Player[]> {
  return (await present(db).where("name", "=", name).orderBy("id").limit(10).execute()).map(playerOf);
}

export async function findPlayerByFederatedId(db: Kysely<Tables>, federatedId: string): Promise<Player | undefined> {
  const row = await present(db).where("federated_id", "=", federatedId).executeTakeFirst();
  return row && playerOf(row);
}

/** Accounts with this address that sign in with links, newest first. Others sign in where their provider asks more of them. */
export async function findLocalPlayersByEmail(db: Kysely<Tables>, email: string, most: number): Promise<Player[]> {
  const rows = await present(db)
    .where("email", "=", email)
    .where("federated_id", "like", `${localPrefix}%`)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(most)
    .execute();
  return rows.map(playerOf);
}

/** Whose key it is, with the roles that a request with it has. */
export async function findPlayerByKey(db: Kysely<Tables>, key: string): Promise<Player | undefined> {
  const row = await present(db)
    .where("api_key_hash", "=", hashToken(key))
    .where("banned_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const player = playerOf(row);
  const scopes = splitRoles(row.api_key_scopes);
  return { ...player, roles: player.roles.filter((role) => role === "player" || scopes.includes(role)) };
}

export interface PlayerPage {
  items: Player[];
  total: number;
}

/** Newest first; `search` is a part of the name, or an id. */
export async function searchPlayers(
  db: Kysely<Tables>,
  { search, page, pageSize }: { search: string; page: number; pageSize: number },
): Promise<PlayerPage> {
  const pattern = `%${search.replace(/[!%_]/g, "!$&")}%`;
  const matching = db
    .selectFrom("player")
    .where("deleted_at", "is", null)
    .where((is) =>
      is.or([
        sql<boolean>`lower(name) like lower(${pattern}) escape '!'`,
        is("id", "=", search.toLowerCase()),
        is("federated_id", "=", search),
      ]),
    );
  const { total } = await matching.select((count) => count.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { items: rows.map(playerOf), total };
}

/** Replaces the API key, and returns the new one: it is shown once, and only its hash is kept. */
export async function resetApiKey(db: Kysely<Tables>, id: string, scopes: readonly Role[]): Promise<string> {
  const key = randomBytes(32).toString("hex");
  const placeholder = `${key.slice(0, 4)}${"*".repeat(10)}`;
  await db
    .updateTable("player")
    .set({ api_key_hash: hashToken(key), api_key_placeholder: placeholder, api_key_scopes: joinRoles(scopes) })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .execute();
  return key;
}

const noKey = { api_key_hash: null, api_key_placeholder: null, api_key_scopes: "" };

export interface PlayerChange {
  name?: string | undefined;
  attributes: Attributes;
  email?: string | null | undefined;
  now: number;
}

/** Returns the changed player; undefined where there is none. Attributes are added to those that are stored. */
export async function updatePlayer(
  transaction: Transaction<Tables>,
  id: string,
  { name, attributes, email, now }: PlayerChange,
): Promise<Player | undefined> {
  await lockPlayers(transaction);
  const player = await findPlayer(transaction, id);
  if (!player) return undefined;
  const changed = {
    ...player,
    name: name ?? player.name,
    attributes: { ...player.attributes, ...attributes },
    email: email === undefined ? player.email : email,
  };
  await transaction
    .updateTable("player")
    .set({ name: changed.name, attributes: JSON.stringify(changed.attributes), email: changed.email })
    .where("id", "=", id)
    .execute();
  if (changed.name !== player.name) await recordScorer(transaction, id, now);
  return changed;
}

export async function storeName(
  transaction: Transaction<Tables>,
  id: string,
  { name, now }: { name: string; now: number },
): Promise<void> {
  await transaction.updateTable("player").set({ name }).where("id", "=", id).execute();
  await recordScorer(transaction, id, now);
}

/** A ban also removes the API key; sessions are ended by the caller. */
export async function storeBan(db: Kysely<Tables>, id: string, bannedAt: number | null): Promise<void> {
  const changed = { banned_at: bannedAt, ...(bannedAt !== null && noKey) };
  await db.updateTable("player").set(changed).where("id", "=", id).execute();
}

export async function isBanned(db: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await db.selectFrom("player").select("banned_at").where("id", "=", id).executeTakeFirst();
  return row !== undefined && row.banned_at !== null;
}

/** Replaces those that are named. Also removes the API key, whose scopes were of the roles before. */
export async function storeRoles(
  transaction: Transaction<Tables>,
  id: string,
  { granted, provider, now }: { granted?: readonly Role[]; provider?: readonly Role[]; now: number },
): Promise<void> {
  const changed = {
    ...(granted && { roles: joinRoles(granted) }),
    ...(provider && { provider_roles: joinRoles(provider) }),
  };
  await transaction
    .updateTable("player")
    .set({ ...changed, ...noKey })
    .where("id", "=", id)
    .execute();
  await recordScorer(transaction, id, now);
}

/** Removes what names the person or signs in; whether this call did it. The row stays. */
export async function anonymisePlayer(transaction: Transaction<Tables>, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("player")
    .set({
      name: "Deleted player",
      federated_id: `deleted:${id}`,
      roles: "",
      provider_roles: "",
      attributes: "{}",
      email: null,
      deleted_at: now,
      ...noKey,
    })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await transaction.deleteFrom("session").where("player_id", "=", id).execute();
  await transaction.deleteFrom("sign_in_link").where("player_id", "=", id).execute();
  await transaction.deleteFrom("identity").where("player_id", "=", id).execute();
  if (numUpdatedRows > 0n) await recordScorer(transaction, id, now);
  return numUpdatedRows > 0n;
}

/** How many have a place: those without a role of the staff. */
export async function countPlaces(db: Kysely<Tables>): Promise<number> {
  const { count } = await db
    .selectFrom("player")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("deleted_at", "is", null)
    .where("roles", "=", "player")
    .where("provider_roles", "=", "")
    .executeTakeFirstOrThrow();
  return count;
}

export async function countAdmins(db: Kysely<Tables>): Promise<number> {
  const rows = await present(db)
    .where((is) => is.or([is("roles", "like", "%admin%"), is("provider_roles", "like", "%admin%")]))
    .execute();
  return rows.length;
}

/** Until the end of the transaction, others wait here: for rules on the number of players, which no index can check. */
export async function lockPlayers(transaction: Transaction<Tables>): Promise<void> {
  await transaction.updateTable("row_lock").set({ name: "players" }).where("name", "=", "players").execute();
}

export function playerOf(row: Omit<PlayerRow, "api_key_hash" | "api_key_scopes" | "deleted_at" | "banned_at">): Player {
  return {
    id: row.id,
    name: row.name,
    federatedId: row.federated_id,
    roles: splitRoles(`${row.roles},${row.provider_roles}`),
    grantedRoles: splitRoles(row.roles),
    providerRoles: splitRoles(row.provider_roles),
    apiKeyPlaceholder: row.api_key_placeholder,
    attributes: JSON.parse(row.attributes) as Attributes,
    email: row.email,
    createdAt: row.created_at,
  };
}

export function isStaff({ roles }: Pick<Player, "roles">): boolean {
  return roles.some((role) => role !== "player");
}

/** Each once, in their own order. */
export function joinRoles(some: readonly Role[]): string {
  return roles.filter((role) => some.includes(role)).join(",");
}

export function splitRoles(text: string): Role[] {
  const names = text.split(",");
  return roles.filter((role) => names.includes(role));
}

function present(db: Kysely<Tables>) {
  return db.selectFrom("player").selectAll().where("deleted_at", "is", null);
}
