/**
 * Who is in which team. A solve belongs to the team in which it was made, so a member who leaves takes nothing along. The
 * captain manages the team; when the captain leaves, the member who has been there longest follows.
 */
import { randomUUID } from "node:crypto";
import { parseTime } from "@berg/apimachinery";
import { DatabaseError } from "@berg/database";
import type { CompetitionSpec } from "@berg/resources";
import type { Kysely, Transaction } from "kysely";
import { isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { Tables } from "../database/schema.ts";
import type { Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import {
  deleteTeam,
  findTeam,
  findTeamByToken,
  insertMember,
  insertTeam,
  lockTeam,
  newJoinToken,
  removeMember,
  renameTeam,
  type Team,
  teamOfPlayer,
  updateTeam,
} from "./store.ts";

export async function createTeam(
  context: ApiContext,
  player: Player,
  { name, division }: { name: string; division: string | null },
): Promise<Team> {
  const { db, clock, replicas } = context;
  const rules = requireTeams(context);
  checkDivision(rules, division);
  const id = randomUUID();
  const now = clock.now();
  const write = replicas.transact(async (transaction, announce) => {
    await requireNoTeam(transaction, player);
    announce({ kind: "team", teamId: id });
    await insertTeam(transaction, { id, name, captainId: player.id, division, now });
    await insertMember(transaction, id, player.id, now);
    return expectTeam(transaction, id);
  });
  return write.catch(async (error) => {
    if (!isUniqueViolation(error)) throw error;
    // The name is taken, or another request of the player was quicker.
    await requireNoTeam(db, player);
    throw nameTaken(name);
  });
}

export async function joinTeam(context: ApiContext, player: Player, joinToken: string): Promise<Team> {
  const { clock, replicas } = context;
  const { teams } = requireTeams(context);
  requireNotOver(context, player);
  const write = replicas.transact(async (transaction, announce) => {
    await requireNoTeam(transaction, player);
    const found = await findTeamByToken(transaction, joinToken);
    const team = found && (await lockTeam(transaction, found.id));
    // Replaced or deleted while we waited for the lock.
    if (team?.joinToken !== joinToken) {
      const detail = "Ask a member of the team for the present join link.";
      throw new ProblemError("join_token_wrong", detail, { field: "joinToken" });
    }
    if (teams.maxSize !== undefined && team.players.length >= teams.maxSize) {
      throw new ProblemError("team_full", `"${team.name}" has ${teams.maxSize} members, which is the limit.`);
    }
    announce({ kind: "team", teamId: team.id });
    await insertMember(transaction, team.id, player.id, clock.now());
    return expectTeam(transaction, team.id);
  });
  return write.catch((error) => {
    if (!isUniqueViolation(error)) throw error;
    throw new ProblemError("already_in_team", "You have just joined a team.");
  });
}

export async function leaveTeam(context: ApiContext, player: Player): Promise<void> {
  requireTeams(context);
  requireNotOver(context, player);
  await context.replicas.transact(async (transaction, announce) => {
    const team = await requireTeamOf(transaction, player.id);
    announce({ kind: "team", teamId: team.id });
    await depart(transaction, team, player.id, context.clock.now());
  });
}

/** For a deleted account too: rules on times do not hold it back. */
export async function departIfMember(context: ApiContext, playerId: string): Promise<void> {
  await context.replicas.transact(async (transaction, announce) => {
    const team = await teamOfPlayer(transaction, playerId);
    const locked = team && (await lockTeam(transaction, team.id));
    if (!locked) return;
    announce({ kind: "team", teamId: locked.id });
    await depart(transaction, locked, playerId, context.clock.now());
  });
}

/** The join link is replaced: the member who was removed knows the one before. */
export async function removeFromTeam(context: ApiContext, captain: Player, playerId: string): Promise<Team> {
  requireTeams(context);
  requireNotOver(context, captain);
  return context.replicas.transact(async (transaction, announce) => {
    const team = await requireCaptain(transaction, captain);
    announce({ kind: "team", teamId: team.id });
    if (playerId === captain.id) {
      throw new ProblemError("invalid_request", "Leave the team instead, or make another member captain.");
    }
    requireMember(team, playerId);
    await removeMember(transaction, team.id, playerId, context.clock.now());
    await updateTeam(transaction, team.id, { join_token: newJoinToken() });
    return expectTeam(transaction, team.id);
  });
}

export async function replaceJoinToken(context: ApiContext, captain: Player): Promise<Team> {
  requireTeams(context);
  return context.replicas.transact(async (transaction) => {
    const team = await requireCaptain(transaction, captain);
    await updateTeam(transaction, team.id, { join_token: newJoinToken() });
    return expectTeam(transaction, team.id);
  });
}

export async function transferTeam(context: ApiContext, captain: Player, playerId: string): Promise<Team> {
  requireTeams(context);
  return context.replicas.transact(async (transaction, announce) => {
    const team = await requireCaptain(transaction, captain);
    announce({ kind: "team", teamId: team.id });
    requireMember(team, playerId);
    await updateTeam(transaction, team.id, { captain_id: playerId });
    return expectTeam(transaction, team.id);
  });
}

export async function changeTeam(
  context: ApiContext,
  captain: Player,
  { name, division }: { name?: string | undefined; division?: string | null | undefined },
): Promise<Team> {
  const rules = requireTeams(context);
  checkDivision(rules, division ?? null);
  const write = context.replicas.transact(async (transaction, announce) => {
    const team = await requireCaptain(transaction, captain);
    announce({ kind: "team", teamId: team.id });
    await renameTeam(transaction, team.id, {
      name: name ?? team.name,
      division: division === undefined ? team.division : division,
      now: context.clock.now(),
    });
    return expectTeam(transaction, team.id);
  });
  return write.catch((error) => {
    if (!isUniqueViolation(error)) throw error;
    throw nameTaken(name ?? "");
  });
}

export async function currentTeam(context: ApiContext, player: Player): Promise<Team> {
  requireTeams(context);
  const team = await teamOfPlayer(context.db, player.id);
  if (!team) throw noTeam();
  return team;
}

async function depart(transaction: Transaction<Tables>, team: Team, playerId: string, now: number): Promise<void> {
  await removeMember(transaction, team.id, playerId, now);
  const [next] = team.players.filter((id) => id !== playerId);
  if (next === undefined) await deleteTeam(transaction, team.id, now);
  else if (team.captainId === playerId) await updateTeam(transaction, team.id, { captain_id: next });
}

function requireTeams({ competition }: ApiContext): CompetitionSpec {
  const rules = competition();
  if (rules.teams.enabled) return rules;
  throw new ProblemError("teams_off", "In this competition everybody plays alone.");
}

function requireNotOver({ competition, clock }: ApiContext, player: Player): void {
  const { end } = competition();
  if (end === undefined || clock.now() < parseTime(end) || isAdmin(player)) return;
  throw new ProblemError("competition_over", "Teams stay as they were at the end.");
}

function checkDivision({ divisions }: CompetitionSpec, division: string | null): void {
  if (division === null || divisions.some(({ name }) => name === division)) return;
  const known = divisions.map(({ name }) => name).join(", ") || "none";
  throw new ProblemError("invalid_request", `There is no division "${division}". There are: ${known}.`, {
    field: "division",
  });
}

async function requireNoTeam(db: Kysely<Tables>, player: Player): Promise<void> {
  const team = await teamOfPlayer(db, player.id);
  if (team) throw new ProblemError("already_in_team", `You are in "${team.name}". Leave it first.`);
}

/** Locked. */
async function requireTeamOf(transaction: Transaction<Tables>, playerId: string): Promise<Team> {
  const team = await teamOfPlayer(transaction, playerId);
  const locked = team && (await lockTeam(transaction, team.id));
  if (!locked?.players.includes(playerId)) throw noTeam();
  return locked;
}

async function requireCaptain(transaction: Transaction<Tables>, player: Player): Promise<Team> {
  const team = await requireTeamOf(transaction, player.id);
  if (team.captainId === player.id) return team;
  throw new ProblemError("captain_required", "Ask the captain of your team to do it.");
}

function requireMember(team: Team, playerId: string): void {
  if (team.players.includes(playerId)) return;
  throw new ProblemError("invalid_request", `"${playerId}" is not a member of your team.`, { field: "playerId" });
}

async function expectTeam(db: Kysely<Tables>, id: string): Promise<Team> {
  const team = await findTeam(db, id);
  if (!team) throw new Error(`the team ${id} is gone within its transaction`);
  return team;
}

function noTeam(): ProblemError {
  return new ProblemError("team_required", "Create a team, or join one with its join link.");
}

/** Unique indexes decide between requests at the same time: one name, one present team a player. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.isUniqueViolation;
}

function nameTaken(name: string): ProblemError {
  const detail = `"${name}" is the name of another team, or looks like it. Choose another one.`;
  return new ProblemError("team_taken", detail, { field: "name" });
}
