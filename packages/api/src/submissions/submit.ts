/**
 * A player submits a flag. Checks come in the order of the original, except the limit, which comes last: a right flag of
 * somebody who has solved the challenge already, or who is too early, costs nothing.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import { requirePrerequisites } from "../challenges/prerequisites.ts";
import { findChallenge } from "../challenges/routes.ts";
import { hasStarted, isAdmin, isPaused } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { LedgerRow, SubmissionRow, Verdict } from "../database/schema.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { flagHmac } from "../instances/flags.ts";
import { appendToLedger, lockLedger } from "../ledger/store.ts";
import type { Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { addressToStore } from "../sessions/addresses.ts";
import { teamOfPlayer } from "../teams/store.ts";
import { type Comparison, compareFlag, type Submitter } from "./compare.ts";
import { findFlagMatches, hasSolved, insertIncident, insertSubmission, newId } from "./store.ts";

const longestFlag = 1024;

export interface SubmitRequest {
  player: Player;
  challenge: string;
  flag: string;
  address: string;
}

/** Undefined: the flag is right, and does not count, since the competition is over. */
export type Solved = LedgerRow | undefined;

/** Throws a problem unless the flag is right. */
export async function submitFlag(context: ApiContext, limits: RateLimits, request: SubmitRequest): Promise<Solved> {
  const { player } = request;
  const challenge = requireChallenge(context, request);
  const flag = requireFlag(request.flag);
  const isPractice = requireTime(context, player);
  requireOpen(context, challenge, player);
  const submitter = await submitterOf(context, player);
  const { name } = challenge.metadata;
  await requirePrerequisites(context, challenge, player);
  if (!isPractice && (await hasSolved(context.db, submitter.scorerId, name))) throw alreadySolved(name);
  const { burst, intervalSeconds } = context.competition().submissions;
  await limits.takeShared({ name: "submit", burst, perSecond: 1 / intervalSeconds }, `${submitter.scorerId} ${name}`);
  const value_hmac = flagHmac(context.flagKey, flag);
  const matches = await findFlagMatches(context.db, name, value_hmac);
  const comparison = compareFlag(challenge, flag, matches, submitter);
  const row = rowOf(context, { request, submitter, name, flag, value_hmac, comparison, isPractice });
  if (row.verdict === "correct") {
    const solve = await storeSolve(context, row);
    context.board.follow();
    context.replicas.hint({ kind: "ledger" });
    return solve;
  }
  await storeOther(context, row, comparison);
  if (row.verdict === "practice-correct") return undefined;
  throw new ProblemError("flag_wrong", "This is not the flag. Check it for typing errors.", { field: "flag" });
}

/** For whom a player scores. Throws a problem where that is nobody. */
export async function submitterOf({ db, competition }: ApiContext, { id }: Player): Promise<Submitter> {
  if (!competition().teams.enabled) return { playerId: id, scorerId: id, members: [id] };
  const team = await teamOfPlayer(db, id);
  if (!team) throw new ProblemError("team_required", "Create a team, or join one with its join link.");
  if (team.isBanned) throw new ProblemError("banned", `The organiser has banned the team "${team.name}".`);
  return { playerId: id, scorerId: team.id, members: team.players };
}

/** One that is unknown and one that is hidden are answered alike. */
function requireChallenge(context: ApiContext, { player, challenge }: SubmitRequest): Stored<Challenge> {
  const field = "challenge";
  if (challenge === "") throw new ProblemError("invalid_request", "Name the challenge.", { field });
  const found = findChallenge(context, challenge, player);
  if (!found) throw new ProblemError("challenge_unknown", `There is no challenge "${challenge}".`, { field });
  return found;
}

function requireOpen({ clock }: ApiContext, { metadata, spec }: Stored<Challenge>, player: Player): void {
  if (spec.closesAt === undefined || clock.now() < parseTime(spec.closesAt) || isAdmin(player)) return;
  throw new ProblemError("challenge_closed", `"${metadata.name}" takes no flags since ${spec.closesAt}.`, {
    field: "challenge",
  });
}

function requireFlag(given: string): string {
  const field = "flag";
  if (given.trim() === "") throw new ProblemError("invalid_request", "Enter the flag.", { field });
  if (given.length <= longestFlag) return given.trim();
  throw new ProblemError("invalid_request", `A flag has up to ${longestFlag} characters; this has ${given.length}.`, {
    field,
  });
}

/** Returns whether the competition is over and what is submitted does not count. */
export function requireTime({ competition, clock }: ApiContext, player: Player): boolean {
  const rules = competition();
  const now = clock.now();
  if (!hasStarted(rules, now) && !isAdmin(player)) {
    throw new ProblemError("not_started", `Flags can be submitted from ${rules.start} on.`);
  }
  if (isPaused(rules, now) && !isAdmin(player)) {
    throw new ProblemError("competition_paused", "Keep the flag; it can be submitted after the pause.");
  }
  if (rules.end === undefined || now < parseTime(rules.end)) return false;
  if (rules.afterEnd === "practice") return true;
  throw new ProblemError("competition_over", "Flags are no longer accepted.");
}

interface Compared {
  request: SubmitRequest;
  submitter: Submitter;
  name: string;
  flag: string;
  value_hmac: string;
  comparison: Comparison;
  isPractice: boolean;
}

function rowOf({ clock, settings }: ApiContext, compared: Compared): SubmissionRow {
  const { request, submitter, name, flag, value_hmac, comparison, isPractice } = compared;
  const now = clock.now();
  return {
    id: newId(now),
    at: now,
    player_id: submitter.playerId,
    scorer_id: submitter.scorerId,
    challenge_name: name,
    verdict: verdictOf(comparison, isPractice),
    value: comparison.verdict === "wrong" ? flag : "",
    value_hmac,
    instance_id: comparison.verdict === "correct" ? comparison.instanceId : null,
    address: addressToStore(settings, request.address) ?? null,
  };
}

function verdictOf({ verdict }: Comparison, isPractice: boolean): Verdict {
  if (!isPractice) return verdict;
  return verdict === "correct" ? "practice-correct" : "practice-wrong";
}

async function storeSolve({ db }: ApiContext, row: SubmissionRow): Promise<LedgerRow> {
  return db.transaction().execute(async (transaction) => {
    await lockLedger(transaction);
    if (await hasSolved(transaction, row.scorer_id, row.challenge_name)) throw alreadySolved(row.challenge_name);
    await insertSubmission(transaction, row);
    return appendToLedger(transaction, {
      at: row.at,
      kind: "solve",
      scorer_id: row.scorer_id,
      player_id: row.player_id,
      challenge_name: row.challenge_name,
    });
  });
}

async function storeOther({ db }: ApiContext, row: SubmissionRow, comparison: Comparison): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await insertSubmission(transaction, row);
    if (row.verdict !== "foreign" || comparison.verdict !== "foreign") return;
    for (const instanceId of comparison.instanceIds) {
      await insertIncident(transaction, { submissionId: row.id, instanceId, now: row.at });
    }
  });
}

function alreadySolved(name: string): ProblemError {
  return new ProblemError("already_solved", `"${name}" is solved already.`, { field: "challenge" });
}
