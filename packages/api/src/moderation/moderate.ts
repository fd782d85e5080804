/**
 * What organisers do with scorers: ban, hide, award points. Each is an entry of the ledger, from which the scoreboard is
 * computed, and of the audit log. A banned player cannot sign in either.
 */
import type { Transaction } from "kysely";
import { recordAudit } from "../audit/store.ts";
import type { ApiContext } from "../context.ts";
import type { LedgerKind, Tables } from "../database/schema.ts";
import { appendToLedger, lockLedger } from "../ledger/store.ts";
import { findPlayer, lockPlayers, storeBan } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { endSessions } from "../sessions/store.ts";
import { findTeam, lockTeam, updateTeam } from "../teams/store.ts";

export interface Moderation {
  actorId: string;
  /** A player or a team. */
  targetId: string;
  isBanned?: boolean | undefined;
  isHidden?: boolean | undefined;
  reason: string;
}

export interface ScorerState {
  isBanned: boolean;
  isHidden: boolean;
}

/** Returns the state after it. What is so already is not written again. */
export async function moderate(context: ApiContext, request: Moderation): Promise<ScorerState> {
  const { actorId, targetId, reason } = request;
  const at = context.clock.now();
  return context.replicas.transact(async (transaction, announce) => {
    const target = await requireTarget(transaction, targetId);
    await lockLedger(transaction);
    if (target.kind === "player" && request.isBanned && targetId === actorId) {
      throw new ProblemError("invalid_request", "You cannot ban yourself.", { field: "isBanned" });
    }
    const before = await stateOf(transaction, targetId);
    const after = {
      isBanned: request.isBanned ?? before.isBanned,
      isHidden: request.isHidden ?? before.isHidden,
    };
    const append = (kind: LedgerKind) =>
      appendToLedger(transaction, { at, kind, scorer_id: targetId, detail: reason || null });
    if (after.isBanned !== before.isBanned) await append(after.isBanned ? "ban" : "unban");
    if (after.isHidden !== before.isHidden) await append(after.isHidden ? "hide" : "unhide");
    if (after.isBanned !== before.isBanned) {
      const bannedAt = after.isBanned ? at : null;
      if (target.kind === "team") await updateTeam(transaction, targetId, { banned_at: bannedAt });
      else await storeBan(transaction, targetId, bannedAt);
      if (target.kind === "player" && after.isBanned) {
        await endSessions(transaction, targetId);
        announce({ kind: "revoked", playerId: targetId, what: "all" });
      }
    }
    announce({ kind: "ledger" });
    const action = `${target.kind}.moderate`;
    await recordAudit(transaction, { actorId, action, target: targetId, before, after: { ...after, reason }, at });
    return after;
  });
}

export interface Award {
  actorId: string;
  scorerId: string;
  points: number;
  reason: string;
}

export async function award(context: ApiContext, { actorId, scorerId, points, reason }: Award): Promise<void> {
  const at = context.clock.now();
  await context.replicas.transact(async (transaction, announce) => {
    const { kind } = await requireTarget(transaction, scorerId);
    await lockLedger(transaction);
    announce({ kind: "ledger" });
    const isTeams = context.competition().teams.enabled;
    if ((kind === "team") !== isTeams) {
      const detail = isTeams ? "In this competition teams score: name a team." : "There are no teams: name a player.";
      throw new ProblemError("invalid_request", detail, { field: "scorerId" });
    }
    await appendToLedger(transaction, { at, kind: "award", scorer_id: scorerId, points, detail: reason });
    const after = { points, reason };
    await recordAudit(transaction, { actorId, action: `${kind}.award`, target: scorerId, after, at });
  });
}

/** By the latest entries of the ledger. */
async function stateOf(transaction: Transaction<Tables>, scorerId: string): Promise<ScorerState> {
  const latest = async (...kinds: LedgerKind[]) =>
    (
      await transaction
        .selectFrom("ledger")
        .select("kind")
        .where("scorer_id", "=", scorerId)
        .where("kind", "in", kinds)
        .orderBy("id", "desc")
        .executeTakeFirst()
    )?.kind;
  return {
    isBanned: (await latest("ban", "unban")) === "ban",
    isHidden: (await latest("hide", "unhide")) === "hide",
  };
}

/** Locked: whose state is read and written must not change in between. */
async function requireTarget(transaction: Transaction<Tables>, id: string): Promise<{ kind: "player" | "team" }> {
  if (await findPlayer(transaction, id)) {
    await lockPlayers(transaction);
    return { kind: "player" };
  }
  if ((await findTeam(transaction, id)) && (await lockTeam(transaction, id))) return { kind: "team" };
  throw new ProblemError("not_found", `There is no player or team "${id}".`);
}
