/** New personal links of many accounts at once, as a table for a spreadsheet. */
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { ProblemError } from "../problems.ts";
import { createLinks, linkOf } from "../sign-in/store.ts";
import type { AccountDeps } from "./accounts.ts";
import { findPlayersByIds, isId, isLocal, isStaff, listPlayers, type Player } from "./store.ts";

/** Rows of one statement: PostgreSQL and SQLite limit the number of values. */
const chunk = 500;

/**
 * Replaces the personal links and ends the sessions of the accounts, all or none. `all` means every account that signs in
 * with a link, except those of staff: a file with links of admins must be asked for by their ids.
 */
export async function replaceLinksAsCsv(
  { replicas, clock, publicUrl }: AccountDeps,
  playerIds: readonly string[] | "all",
): Promise<string> {
  const { accounts, tokens } = await replicas.transact(async (transaction, announce) => {
    const accounts = await findAccounts(transaction, playerIds);
    const tokens = new Map<string, string>();
    for (let start = 0; start < accounts.length; start += chunk) {
      const ids = accounts.slice(start, start + chunk).map(({ id }) => id);
      await transaction.deleteFrom("session").where("player_id", "in", ids).execute();
      const created = await createLinks(transaction, ids, "personal", clock.now());
      for (const [id, token] of created) tokens.set(id, token);
    }
    for (const { id } of accounts) announce({ kind: "revoked", playerId: id, what: { sessions: "all" } });
    return { accounts, tokens };
  });
  const rows = accounts.map(({ id, name }) => [name, id, linkOf(publicUrl, tokens.get(id) ?? "")]);
  return [["name", "id", "link"], ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

async function findAccounts(db: Kysely<Tables>, playerIds: readonly string[] | "all"): Promise<Player[]> {
  if (playerIds === "all") return (await listPlayers(db)).filter((player) => isLocal(player) && !isStaff(player));
  const ids = [...new Set(playerIds)];
  const found = new Map<string, Player>();
  for (let start = 0; start < ids.length; start += chunk) {
    const some = ids.slice(start, start + chunk).filter(isId);
    for (const player of await findPlayersByIds(db, some)) if (isLocal(player)) found.set(player.id, player);
  }
  return ids.map((id) => {
    const player = found.get(id);
    if (player) return player;
    const detail = `There is no player "${id}" who signs in with a link. No link was replaced.`;
    throw new ProblemError("not_found", detail, { field: "playerIds" });
  });
}

/** Quoted. A spreadsheet runs what starts like a formula, also after white space: an apostrophe makes it text. */
export function csvField(text: string): string {
  const isFormula = /^\s*[=+\-@\t\r＝＋－＠]/u.test(text);
  return `"${isFormula ? "'" : ""}${text.replaceAll('"', '""')}"`;
}
