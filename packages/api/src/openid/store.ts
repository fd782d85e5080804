/** Sign-ins that are under way at a provider, and the identities that have signed in. */
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { type Player, playerOf } from "../players/store.ts";
import { hashToken, newToken } from "../sessions/tokens.ts";
import type { Challenge, ProviderIdentity } from "./provider.ts";

/** How long somebody may take to sign in at the provider. */
export const pendingMs = 10 * 60_000;

/** `browserToken` is in a cookie of the browser, so that nobody else can finish the sign-in. */
export async function createPending(
  db: Kysely<Tables>,
  {
    provider,
    browserToken,
    returnPath,
    now,
  }: { provider: string; browserToken: string; returnPath: string; now: number },
): Promise<Challenge> {
  const challenge = { state: newToken(), nonce: newToken(), codeVerifier: newToken() };
  await db.deleteFrom("pending_sign_in").where("expires_at", "<=", now).execute();
  await db
    .insertInto("pending_sign_in")
    .values({
      state_hash: hashToken(challenge.state),
      browser_hash: hashToken(browserToken),
      provider,
      nonce: challenge.nonce,
      code_verifier: challenge.codeVerifier,
      return_path: returnPath,
      expires_at: now + pendingMs,
    })
    .execute();
  return challenge;
}

/** Removes it, so that an answer of the provider counts once. Undefined where it is unknown or another browser's. */
export async function takePending(
  db: Kysely<Tables>,
  { provider, browserToken, state, now }: { provider: string; browserToken: string; state: string; now: number },
): Promise<{ challenge: Challenge; returnPath: string } | undefined> {
  const row = await db
    .deleteFrom("pending_sign_in")
    .where("state_hash", "=", hashToken(state))
    .where("browser_hash", "=", hashToken(browserToken))
    .where("provider", "=", provider)
    .returningAll()
    .executeTakeFirst();
  if (!row || row.expires_at <= now) return undefined;
  const challenge = { state, nonce: row.nonce, codeVerifier: row.code_verifier };
  return { challenge, returnPath: row.return_path };
}

type Identity = Pick<ProviderIdentity, "issuer" | "subject">;

export async function findPlayerByIdentity(
  db: Kysely<Tables>,
  { issuer, subject }: Identity,
): Promise<Player | undefined> {
  const row = await db
    .selectFrom("identity")
    .innerJoin("player", "player.id", "identity.player_id")
    .selectAll("player")
    .where("identity.issuer", "=", issuer)
    .where("identity.subject", "=", subject)
    .where("player.deleted_at", "is", null)
    .executeTakeFirst();
  return row && playerOf(row);
}

/** The version before this one leaves the row of an account that it deletes: such a row goes to the new account. */
export async function storeIdentity(
  db: Kysely<Tables>,
  { issuer, subject }: Identity,
  { playerId, now }: { playerId: string; now: number },
): Promise<void> {
  const changes = { player_id: playerId, signed_in_at: now };
  await db
    .insertInto("identity")
    .values({ issuer, subject, ...changes })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doUpdateSet(changes))
    .execute();
}

/** As `player.federated_id` and `spec.owners` of Challenges have it. */
export function federatedIdOf({ issuer, subject }: Identity): string {
  return `${issuer}#${subject}`;
}
