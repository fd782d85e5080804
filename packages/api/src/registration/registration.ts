/** Who may register, and when. */
import { createHash, timingSafeEqual } from "node:crypto";
import { formatTime, parseTime } from "@berg/apimachinery";
import type { CompetitionSpec } from "@berg/resources";
import type { Transaction } from "kysely";
import type { ApiContext } from "../context.ts";
import type { Tables } from "../database/schema.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { checkAttributes, requireAttributes } from "../players/attributes.ts";
import { type Attributes, countPlaces, ensurePlayer, lockPlayers, type Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { addressToStore } from "../sessions/addresses.ts";
import { createSession, endSession, type NewSession } from "../sessions/store.ts";
import { requireMail } from "../sign-in/lost-links.ts";
import { createLink, linkOf } from "../sign-in/store.ts";

export interface RegistrationRequest {
  name: string;
  code: string;
  attributes: Attributes;
  email: string | undefined;
  userAgent: string | undefined;
  /** From where, for the limit on wrong codes. */
  address: string;
  /** The session that the new one replaces in the browser. */
  before: { playerId: string; sessionId: string } | undefined;
}

export interface Registered {
  player: Player;
  /** A personal link: the only way to sign in again. */
  link: string;
  session: NewSession;
}

/** Creates the player, the link and the session, or throws a problem and changes nothing. */
export async function register(
  context: ApiContext,
  limits: RateLimits,
  { name, code, attributes, email, userAgent, address, before }: RegistrationRequest,
): Promise<Registered> {
  const { replicas, clock, settings } = context;
  const { registration, playerAttributes } = context.competition();
  const now = clock.now();
  requireOpen(registration, now);
  if (registration.mode === "code") await requireCode(context, limits, code, address);
  checkAttributes(playerAttributes, attributes);
  requireAttributes(playerAttributes, attributes);
  if (email !== undefined) requireMail(context, "email");
  return replicas.transact(async (transaction, announce) => {
    await requirePlace(transaction, registration);
    const player = await ensurePlayer(transaction, { name, roles: ["player"], attributes, email, createdAt: now });
    announce({ kind: "player", playerId: player.id });
    const token = await createLink(transaction, player.id, "personal", now);
    if (before) {
      // The sockets of the replaced session belong to another account.
      await endSession(transaction, before.playerId, before.sessionId);
      announce({ kind: "revoked", playerId: before.playerId, what: { session: before.sessionId } });
    }
    const session = await createSession(transaction, player, {
      ...{ now, userAgent },
      address: addressToStore(settings, address),
    });
    return { player, link: linkOf(settings.publicUrl, token), session };
  });
}

/** Whether the time is right; the cap is another matter. */
export function isWithinWindow({ opensAt, closesAt }: CompetitionSpec["registration"], now: number): boolean {
  return (opensAt === undefined || parseTime(opensAt) <= now) && (closesAt === undefined || now < parseTime(closesAt));
}

/** Throws a problem where nobody can register now. */
export function requireOpen(registration: CompetitionSpec["registration"], now: number): void {
  const { mode, opensAt } = registration;
  if (mode === "closed") {
    throw new ProblemError("registration_closed", "Ask the organiser for a sign-in link.");
  }
  if (isWithinWindow(registration, now)) return;
  const isEarly = opensAt !== undefined && now < parseTime(opensAt);
  const detail = isEarly
    ? `Registration opens at ${formatTime(parseTime(opensAt))}.`
    : "Registration has ended. Ask the organiser for a sign-in link.";
  throw new ProblemError("registration_closed", detail);
}

async function requireCode(context: ApiContext, limits: RateLimits, code: string, address: string): Promise<void> {
  const field = "code";
  const expected = await context.registrationCode();
  if (expected === undefined) {
    context.log.warn({}, "nobody can register: the Secret with the registration code is missing or empty");
    throw new ProblemError("registration_closed", "The organiser has not set the registration code yet.", { field });
  }
  // Before the comparison: over the limit, a right code is answered as a wrong one, or guessing would go on.
  await limits.checkShared("registration-code", address);
  if (isSame(code.trim(), expected)) return;
  await limits.takeShared("registration-code", address);
  throw new ProblemError("registration_code_wrong", "Enter the code that the organiser gave you.", { field });
}

/** Of hashes, which have one length: the time tells neither the length nor the first characters. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** Throws a problem where every place is taken. Until the end of the transaction, others wait. */
export async function requirePlace(
  transaction: Transaction<Tables>,
  { maxPlayers }: CompetitionSpec["registration"],
): Promise<void> {
  if (maxPlayers === undefined) return;
  // Of two who want the last place, the second waits here, and then counts the first.
  await lockPlayers(transaction);
  if ((await countPlaces(transaction)) < maxPlayers) return;
  throw new ProblemError("registration_full", `All ${maxPlayers} places are taken. Ask the organiser for one.`);
}
