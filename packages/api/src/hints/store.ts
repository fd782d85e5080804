/** Unlocked hints are entries of the ledger: what they cost is part of the score. */
import type { Kysely } from "kysely";
import type { ApiContext } from "../context.ts";
import type { Tables } from "../database/schema.ts";
import { appendToLedger, lockLedger } from "../ledger/store.ts";

/** Names of the hints of a challenge that the scorer has unlocked. */
export async function unlockedHints(db: Kysely<Tables>, scorerId: string, challenge: string): Promise<string[]> {
  const rows = await db
    .selectFrom("ledger")
    .select("detail")
    .where("kind", "=", "hint")
    .where("scorer_id", "=", scorerId)
    .where("challenge_name", "=", challenge)
    .execute();
  return rows.flatMap(({ detail }) => detail ?? []);
}

export interface Unlock {
  scorerId: string;
  playerId: string;
  challenge: string;
  hint: string;
  cost: number;
}

/** Once for each scorer, however many members ask at the same time. */
export async function unlockHint({ replicas, clock, board }: ApiContext, unlock: Unlock): Promise<void> {
  const { scorerId, playerId, challenge, hint, cost } = unlock;
  await replicas.transact(async (transaction) => {
    await lockLedger(transaction);
    if ((await unlockedHints(transaction, scorerId, challenge)).includes(hint)) return;
    await appendToLedger(transaction, {
      ...{ at: clock.now(), kind: "hint", scorer_id: scorerId, player_id: playerId },
      ...{ challenge_name: challenge, points: cost, detail: hint },
    });
  });
  board.follow();
  replicas.hint({ kind: "ledger" });
}
