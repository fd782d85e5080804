/** Queries on teams and their members. */
import { randomBytes } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { Tables, TeamRow } from "../database/schema.ts";
import { recordScorer } from "../ledger/store.ts";
import { isId } from "../players/store.ts";

export interface Team {
  id: string;
  name: string;
  captainId: string;
  division: string | null;
  joinToken: string;
  /** Its members cannot submit flags. */
  isBanned: boolean;
  /** Present members, in the order in which they joined. */
  players: string[];
}

/** As the original writes it: 32 random bytes in uppercase hexadecimal digits. */
export function newJoinToken(): string {
  return randomBytes(32).toString("hex").toUpperCase();
}

/** Names with the same key look alike. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

export async function listTeams(db: Kysely<Tables>): Promise<Team[]> {
  const rows = await db.selectFrom("team").selectAll().where("deleted_at", "is", null).orderBy("name").execute();
  const members = await presentMembers(db).execute();
  const byTeam = Map.groupBy(members, ({ team_id }) => team_id);
  return rows.map((row) => teamOf(row, byTeam.get(row.id) ?? []));
}

export async function findTeam(db: Kysely<Tables>, id: string): Promise<Team | undefined> {
  if (!isId(id)) return undefined;
  const row = await db
    .selectFrom("team")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row && teamOf(row, await presentMembers(db).where("team_id", "=", id).execute());
}

/** The team in which the player is now. */
export async function teamOfPlayer(db: Kysely<Tables>, playerId: string): Promise<Team | undefined> {
  const member = await presentMembers(db).where("player_id", "=", playerId).executeTakeFirst();
  return member && findTeam(db, member.team_id);
}

export async function findTeamByToken(db: Kysely<Tables>, token: string): Promise<Team | undefined> {
  const row = await db.selectFrom("team").select("id").where("join_token", "=", token).executeTakeFirst();
  return row && findTeam(db, row.id);
}

/** Until the end of the transaction, other changes of the team wait: its size and its captain are rules over rows. */
export async function lockTeam(transaction: Transaction<Tables>, id: string): Promise<Team | undefined> {
  await transaction
    .updateTable("team")
    .set(({ ref }) => ({ name: ref("name") }))
    .where("id", "=", id)
    .execute();
  return findTeam(transaction, id);
}

export async function insertTeam(
  transaction: Transaction<Tables>,
  team: { id: string; name: string; captainId: string; division: string | null; now: number },
): Promise<void> {
  await transaction
    .insertInto("team")
    .values({
      id: team.id,
      name: team.name,
      name_key: nameKey(team.name),
      join_token: newJoinToken(),
      captain_id: team.captainId,
      division: team.division,
      created_at: team.now,
      deleted_at: null,
    })
    .execute();
  await recordScorer(transaction, team.id, team.now);
}

export async function updateTeam(
  db: Kysely<Tables>,
  id: string,
  changed: { captain_id?: string; join_token?: string; banned_at?: number | null },
): Promise<void> {
  await db.updateTable("team").set(changed).where("id", "=", id).execute();
}

/** What the scoreboard shows of a team. */
export async function renameTeam(
  transaction: Transaction<Tables>,
  id: string,
  { name, division, now }: { name: string; division: string | null; now: number },
): Promise<void> {
  const changed = { name, name_key: nameKey(name), division };
  await transaction.updateTable("team").set(changed).where("id", "=", id).execute();
  await recordScorer(transaction, id, now);
}

/** Frees the name and the join link. */
export async function deleteTeam(transaction: Transaction<Tables>, id: string, now: number): Promise<void> {
  await transaction
    .updateTable("team")
    .set({ name_key: `deleted:${id}`, join_token: `deleted:${id}`, deleted_at: now })
    .where("id", "=", id)
    .execute();
  await recordScorer(transaction, id, now);
}

export async function insertMember(db: Kysely<Tables>, teamId: string, playerId: string, now: number): Promise<void> {
  await db
    .insertInto("team_member")
    .values({ team_id: teamId, player_id: playerId, joined_at: now, left_at: null })
    .execute();
}

export async function removeMember(db: Kysely<Tables>, teamId: string, playerId: string, now: number): Promise<void> {
  await db
    .updateTable("team_member")
    .set({ left_at: now })
    .where("team_id", "=", teamId)
    .where("player_id", "=", playerId)
    .where("left_at", "is", null)
    .execute();
}

function presentMembers(db: Kysely<Tables>) {
  return db
    .selectFrom("team_member")
    .select(["team_id", "player_id"])
    .where("left_at", "is", null)
    .orderBy("joined_at")
    .orderBy("player_id");
}

function teamOf(row: TeamRow, members: readonly { player_id: string }[]): Team {
  return {
    id: row.id,
    name: row.name,
    captainId: row.captain_id,
    division: row.division,
    joinToken: row.join_token,
    isBanned: row.banned_at !== null,
    players: members.map(({ player_id }) => player_id),
  };
}
