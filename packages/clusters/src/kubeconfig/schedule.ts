/**
 * When a kubeconfig is replaced, and when the one before it is made useless. Pure; times in ms.
 *
 *     issued ──────────────────────── 72–80 % ──────────── 100 %
 *                                     the next is made     its own end; its anchor goes 60 s later
 */
import { createHash } from "node:crypto";

/** Of its life, when the next one is made: at the latest. */
const rotateAt = 0.8;
/** How much of that some are earlier than others, so that those which were issued together do not stay together. */
const jitter = 0.1;
/** Nobody holds one with less than this left of its life. */
const leastLeft = 0.1;
/** After a restart, what is overdue is done within this time, and not at once: Gardener answers a few a second. */
const spreadMs = 60_000;
/** What was changed, or taken away, once more is put right after this time, then after twice of it, … */
const againMs = { first: 10_000, longest: 600_000 };
/** After its end a token is of no use to anybody; clocks differ by less. */
export const afterExpiryMs = 60_000;
/** What can be asked for at most, and what a target may add to it. */
export const longestLifeMs = 86_400_000 + afterExpiryMs;
/** One that ends sooner is not handed out. */
export const leastLifeMs = 60_000;
/** A target whose clock differs by more is taken at its word for how long a token lives, not for when. */
const toleratedSkewMs = 30_000;

export interface Life {
  issuedAt: number;
  expiresAt: number;
}

/** Always the same number in [0, 1) for the same text: a restart changes no schedule. */
function shareOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}

export function rotationDue({ issuedAt, expiresAt }: Life, who: string): number {
  return issuedAt + (expiresAt - issuedAt) * rotateAt * (1 - jitter * shareOf(who));
}

/**
 * When a new one is made since somebody has changed what it is for, or has taken its copy away. At once; but whoever does so
 * over and over does not make us issue without end. `former`: how many are out that were replaced, and have not come to
 * their end.
 */
export function againDue({ issuedAt }: Life, former: number): number {
  if (former === 0) return 0;
  return issuedAt + Math.min(againMs.longest, againMs.first * 2 ** (former - 1));
}

/** When to do what is due, in a process that started at `startedAt`. */
export function spread(due: number, { issuedAt, expiresAt }: Life, who: string, startedAt: number): number {
  const turn = startedAt + spreadMs * shareOf(`${who} overdue`);
  const latest = expiresAt - (expiresAt - issuedAt) * leastLeft;
  return Math.max(due, Math.min(turn, latest));
}

/**
 * The life of a new token by our own clock. `its` is by the clock of the target; where that is not ours, the token lives
 * as long, from now. No longer than was asked for, whatever the target says: what never expires is never replaced.
 */
export function lifeByOurClock(its: Life, now: number, askedMs: number): Life {
  const isOurs = Math.abs(its.issuedAt - now) <= toleratedSkewMs;
  const { issuedAt, expiresAt } = isOurs ? its : { issuedAt: now, expiresAt: now + (its.expiresAt - its.issuedAt) };
  return { issuedAt, expiresAt: Math.min(expiresAt, now + askedMs + afterExpiryMs) };
}

/** Issued in the future: our clock was set back since, and nothing can be told from these times. */
export function isAhead({ issuedAt }: Life, now: number): boolean {
  return issuedAt > now + toleratedSkewMs;
}
