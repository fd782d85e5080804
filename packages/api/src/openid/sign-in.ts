/** What a sign-in at a provider does to the account: create it, rename it, replace the provider's roles. */
import type { Transaction } from "kysely";
import type { ApiContext } from "../context.ts";
import type { Tables } from "../database/schema.ts";
import {
  ensurePlayer,
  isBanned,
  joinRoles,
  lockPlayers,
  type Player,
  storeName,
  storeRoles,
} from "../players/store.ts";
import { requireOpen, requirePlace } from "../registration/registration.ts";
import { createSession, endSession, endSessions, type NewSession } from "../sessions/store.ts";
import type { ProviderIdentity } from "./provider.ts";
import { SignInError } from "./sign-in-error.ts";
import { federatedIdOf, findPlayerByIdentity, storeIdentity } from "./store.ts";

export interface IdentitySignIn {
  identity: ProviderIdentity;
  provider: string;
  userAgent: string | undefined;
  address: string | undefined;
  /** The session that the new one replaces in the browser. */
  before: { playerId: string; sessionId: string } | undefined;
}

/**
 * Where the roles of the provider have changed, every other session and the API key end. Throws a problem or SignInError,
 * and changes nothing, where the player is banned, or where the account is new and registration is closed to it.
 */
export async function signInIdentity(
  context: ApiContext,
  { identity, provider, userAgent, address, before }: IdentitySignIn,
): Promise<NewSession> {
  const now = context.clock.now();
  return context.replicas.transact(async (transaction, announce) => {
    // Roles and places are read before they are written.
    await lockPlayers(transaction);
    const known = await findPlayerByIdentity(transaction, identity);
    if (known && (await isBanned(transaction, known.id))) throw new SignInError("banned", "the player is banned");
    const player = known ?? (await createAccount(transaction, context, identity, now));
    await storeIdentity(transaction, identity, { playerId: player.id, now });
    const isRenamed = player.name !== identity.name;
    if (isRenamed) await storeName(transaction, player.id, { name: identity.name, now });
    const roles = [...player.grantedRoles, ...identity.roles];
    const hasNewRoles = joinRoles(player.providerRoles) !== joinRoles(identity.roles);
    if (hasNewRoles) {
      await storeRoles(transaction, player.id, { provider: identity.roles, now });
      await endSessions(transaction, player.id);
      announce({ kind: "revoked", playerId: player.id, what: "all" });
      announce({ kind: "ledger" });
    }
    if (before) {
      await endSession(transaction, before.playerId, before.sessionId);
      announce({ kind: "revoked", playerId: before.playerId, what: { session: before.sessionId } });
    }
    if (known === undefined || isRenamed) announce({ kind: "player", playerId: player.id });
    const current = { ...player, name: identity.name, roles, providerRoles: identity.roles };
    return createSession(transaction, current, { now, userAgent, address, provider });
  });
}

/** The rules of registration are for players; staff come and go as the provider says. */
async function createAccount(
  transaction: Transaction<Tables>,
  context: ApiContext,
  identity: ProviderIdentity,
  now: number,
): Promise<Player> {
  if (identity.roles.length === 0) {
    const { registration } = context.competition();
    requireOpen(registration, now);
    if (registration.mode === "code") {
      throw new SignInError("registration_code_required", "a new account needs the registration code");
    }
    await requirePlace(transaction, registration);
  }
  return ensurePlayer(transaction, {
    name: identity.name,
    federatedId: federatedIdOf(identity),
    roles: ["player"],
    createdAt: now,
  });
}
