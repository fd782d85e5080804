/**
 * What organisers do with scorers: ban, hide, award points. Each is an entry of the ledger, from which the scoreboard is
 * computed, and of the audit log. A banned player cannot sign in either.
 */
import type { Transaction } from "kysely";
import { recordAudit } from "../audit/store.ts";
import type { ApiContext } from "../context.ts";
import type { LedgerKind, Tables } from "../database/schema.ts";
import { findPlayer } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { endSessions } from "../sessions/store.ts";
import { appendToLedger, lockLedger } from "../submissions/store.ts";
import { findTeam } from "../teams/store.ts";

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
  const { after, isNewBan } = await context.db.transaction().execute(async (transaction) => {
    await lockLedger(transaction);
    const target = await requireTarget(transaction, targetId);
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
    if (target.kind === "player") await setBanned(transaction, targetId, after.isBanned ? at : null);
    const action = `${target.kind}.moderate`;
    await recordAudit(transaction, { actorId, action, target: targetId, before, after: { ...after, reason }, at });
    return { after, isNewBan: target.kind === "player" && after.isBanned && !before.isBanned };
  });
  if (isNewBan) context.hub.disconnect(targetId);
  return after;
}

export interface Award {
  actorId: string;
  scorerId: string;
  points: number;
  reason: string;
}

export async function award(context: ApiContext, { actorId, scorerId, points, reason }: Award): Promise<void> {
  const at = context.clock.now();
  await context.db.transaction().execute(async (transaction) => {
    await lockLedger(transaction);
    const { kind } = await requireTarget(transaction, scorerId);
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

async function requireTarget(transaction: Transaction<Tables>, id: string): Promise<{ kind: "player" | "team" }> {
  if (await findPlayer(transaction, id)) return { kind: "player" };
  if (await findTeam(transaction, id)) return { kind: "team" };
  throw new ProblemError("not_found", `There is no player or team "${id}".`);
}

async function setBanned(transaction: Transaction<Tables>, id: string, at: number | null): Promise<void> {
  await transaction.updateTable("player").set({ banned_at: at }).where("id", "=", id).execute();
  if (at !== null) await endSessions(transaction, id);
}
