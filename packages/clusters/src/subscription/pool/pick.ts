/**
 * Which account a request gets: the next step towards it, from what the pool looks like. Pure.
 *
 * At most one account for each tenant and type, though several processes may claim at once, and no server can be asked to
 * change two objects together. So a claim is made in two writes:
 *
 *     claim     tenantName, and which process claims: pending
 *     confirm   pending off; only where the tenant had nothing else at a look after the claim
 *
 * Of two that claim at once the later one sees the earlier, or both see each other. Whoever sees another takes its own claim
 * back; so there are never two that stand. Nobody uses an account whose claim is pending, so it can be taken back safely.
 */
import { parseTime } from "@berg/apimachinery";
import { type Account, claimedAt, claimedBy, isDirty, isFree, isShared, pendingOf, tenantOf } from "./account.ts";

export interface Pool {
  /** Those that would do, whoever has them. */
  accounts: readonly Account[];
  /** How many clusters run on it, or soon will. */
  usersOf(account: Account): number;
}

export interface Claimer {
  tenant: string;
  /** UID of the request. */
  request: string;
  /** No two processes have the same. */
  process: string;
  /** How many clusters an account may have before another one is claimed; undefined: one account for good. */
  limit: number | undefined;
  now: number;
}

export type Step =
  | { do: "use" | "claim" | "confirm" | "undo" | "takeOver"; account: Account }
  /** Another process is claiming for this tenant. */
  | { do: "wait" }
  | { do: "none" };

/** A claim is pending for as long as two requests to Gardener take. */
const longestClaimMs = 10_000;

export function pickDedicated(pool: Pool, claimer: Claimer): Step {
  const own = pool.accounts.filter((account) => isOwn(account, claimer.tenant)).sort(byName);
  const pending = own.filter((account) => pendingOf(account) !== undefined);
  const mine = pending.filter((account) => pendingOf(account) === claimer.process);
  const others = pending.filter((account) => !mine.includes(account));
  const usable = roomiest(
    pool,
    own.filter((account) => !pending.includes(account)),
    claimer.limit,
  );

  const first = mine[0];
  if (first) {
    if (usable || others.length > 0) return { do: "undo", account: first };
    return mine[1] ? { do: "undo", account: mine[1] } : { do: "confirm", account: first };
  }
  if (usable) return { do: "use", account: usable };
  const left = others.find((account) => isLeft(account, claimer));
  if (left) return { do: "takeOver", account: left };
  if (others.length > 0) return { do: "wait" };
  const free = pool.accounts.filter(isFree).sort(byName)[0];
  return free ? { do: "claim", account: free } : { do: "none" };
}

/** The least used, and of those the first by name. */
export function pickShared(pool: Pool): Step {
  const [account] = pool.accounts
    .filter(isShared)
    .map((one) => ({ one, users: pool.usersOf(one) }))
    .sort((a, b) => a.users - b.users || byName(a.one, b.one));
  return account ? { do: "use", account: account.one } : { do: "none" };
}

export function isOwn(account: Account, tenant: string): boolean {
  return tenantOf(account) === tenant && !isShared(account) && !isDirty(account);
}

/** With a limit the fullest that has room, so that others run empty and can be given back. */
function roomiest(pool: Pool, standing: readonly Account[], limit: number | undefined): Account | undefined {
  if (limit === undefined) return standing[0];
  return standing
    .map((account) => ({ account, users: pool.usersOf(account) }))
    .filter(({ users }) => users < limit)
    .sort((a, b) => b.users - a.users || byName(a.account, b.account))[0]?.account;
}

/** By a process that was killed between its two writes: for this very request, or so long ago that it cannot be at work. */
function isLeft(account: Account, { request, now }: Claimer): boolean {
  if (claimedBy(account) === request) return true;
  try {
    return Math.abs(now - parseTime(claimedAt(account) ?? "")) > longestClaimMs;
  } catch {
    return true;
  }
}

function byName(a: Account, b: Account): number {
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;
}
