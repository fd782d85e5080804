/** What organisers do with accounts: over HTTP (admin-routes.ts), and on the command line (admin-socket/). */
import type { Clock } from "@berg/kube";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { ProblemError } from "../problems.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { endSessions } from "../sessions/store.ts";
import { createLink, type LinkKind, linkOf } from "../sign-in/store.ts";
import {
  countAdmins,
  ensurePlayer,
  federatedIdOfName,
  findPlayer,
  findPlayerByFederatedId,
  findPlayersByName,
  joinRoles,
  lockPlayers,
  type Player,
  type Role,
  storeRoles,
} from "./store.ts";

export interface AccountDeps {
  db: Kysely<Tables>;
  clock: Clock;
  publicUrl: string;
  replicas: Replicas;
}

/** With a personal link. */
export async function createAccount(
  { replicas, clock, publicUrl }: AccountDeps,
  { name, roles }: { name: string; roles: readonly Role[] },
): Promise<{ player: Player; link: string }> {
  const now = clock.now();
  return replicas.transact(async (transaction, announce) => {
    const player = await ensurePlayer(transaction, { name, roles: ["player", ...roles], createdAt: now });
    announce({ kind: "player", playerId: player.id });
    return { player, link: linkOf(publicUrl, await createLink(transaction, player.id, "personal", now)) };
  });
}

/**
 * A new link. A personal one replaces the one before, which may have become known to others: so all sessions end, except
 * the one with the id `keepSession`. A one-time link ends no session.
 */
export async function replaceLink(
  { replicas, clock, publicUrl }: AccountDeps,
  playerId: string,
  kind: LinkKind,
  keepSession?: string,
): Promise<string> {
  const token = await replicas.transact(async (transaction, announce) => {
    if (kind === "personal") {
      await endSessions(transaction, playerId, keepSession);
      announce({ kind: "revoked", playerId, what: { sessions: "all", except: keepSession } });
    }
    return createLink(transaction, playerId, kind, clock.now());
  });
  return linkOf(publicUrl, token);
}

/**
 * Replaces the roles that are granted here. Where they change, sessions, sockets and the API key end at once. A role that
 * only the identity provider gives is not granted by naming it, so that it still ends where the provider takes it back.
 */
export async function setRoles(
  { replicas, clock }: AccountDeps,
  playerId: string,
  roles: readonly Role[],
): Promise<Player> {
  return replicas.transact(async (transaction, announce) => {
    // Two admins who take the role from each other at the same time would leave none.
    await lockPlayers(transaction);
    const before = await findPlayer(transaction, playerId);
    if (!before) throw new ProblemError("not_found", `There is no player "${playerId}".`);
    const kept = before.providerRoles.find((role) => !roles.includes(role));
    if (kept) {
      const detail = `The role ${kept} comes from the sign-in provider. Remove it there: it ends with the next sign-in.`;
      throw new ProblemError("invalid_request", detail, { field: "roles" });
    }
    const isOfProvider = (role: Role) => before.providerRoles.includes(role) && !before.grantedRoles.includes(role);
    const granted: Role[] = ["player", ...roles.filter((role) => !isOfProvider(role))];
    if (joinRoles(before.grantedRoles) === joinRoles(granted)) return before;
    const losesAdmin = before.roles.includes("admin") && !roles.includes("admin");
    if (losesAdmin && (await countAdmins(transaction)) === 1) {
      throw new ProblemError("last_admin", "Give another player the role admin first.", { field: "roles" });
    }
    await storeRoles(transaction, playerId, { granted, now: clock.now() });
    await endSessions(transaction, playerId);
    announce({ kind: "revoked", playerId, what: "all" });
    announce({ kind: "ledger" });
    return (await findPlayer(transaction, playerId)) ?? before;
  });
}

/**
 * The account that the command line names: by its id, or by the name under which the command line created it. Not by the
 * name that a player chose: whoever registers as "Admin" must not be given the link of an admin.
 */
export async function findAccount({ db }: AccountDeps, name: string): Promise<Player | undefined> {
  const id = name.toLowerCase();
  return (await findPlayer(db, id)) ?? (await findPlayerByFederatedId(db, federatedIdOfName(name)));
}

/** A link for the account that the command line names. It is created if there is none, and gets the roles it lacks. */
export async function linkForName(
  deps: AccountDeps,
  { name, roles, kind }: { name: string; roles: readonly Role[]; kind: LinkKind },
): Promise<string> {
  const found = await findAccount(deps, name);
  if (found) {
    const isMissing = roles.some((role) => !found.roles.includes(role));
    if (isMissing) await setRoles(deps, found.id, [...found.roles, ...roles]);
    return replaceLink(deps, found.id, kind);
  }
  if (roles.length === 0) await refuseNamesake(deps, name);
  const player = await deps.replicas.transact(async (transaction, announce) => {
    const created = await ensurePlayer(transaction, {
      name,
      federatedId: federatedIdOfName(name),
      roles: ["player", ...roles],
      createdAt: deps.clock.now(),
    });
    announce({ kind: "player", playerId: created.id });
    return created;
  });
  return replaceLink(deps, player.id, kind);
}

/** Throws a problem with the ids of players who call themselves so. */
export async function refuseNamesake({ db }: AccountDeps, name: string): Promise<void> {
  const same = await findPlayersByName(db, name);
  if (same.length === 0) return;
  const ids = same.map(({ id }) => id).join(", ");
  throw new ProblemError("invalid_request", `Players call themselves "${name}". Name one by its id: ${ids}.`, {
    field: "name",
  });
}
