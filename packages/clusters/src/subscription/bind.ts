/**
 * Gives a request its account. Between choosing and giving out, the choice is written down and comes back with everything
 * that was written before it, so that an account that another request is giving back at the same time is not handed out:
 *
 *     this request    set aside ──► seen again ──► nobody gives it back, and Gardener says it is fine ──► bound
 *     another one     giving back ──► seen again ──► nobody has set it aside ──► dirty
 *
 * Whichever was written first is seen by the other.
 */
import { keyOf, makeKey } from "@berg/apimachinery";
import { findCondition, type Result } from "@berg/kube";
import {
  type Account,
  type BindingReference,
  byType,
  isClaimLeft,
  isFree,
  isInternal,
  isWanted,
} from "./pool/account.ts";
import { isToBeHad, judge } from "./pool/judge.ts";
import { obtain } from "./pool/obtain.ts";
import { type Pool, pickDedicated, pickShared, type Step } from "./pool/pick.ts";
import { lineOf, type Wanted } from "./pool/wanted.ts";
import { isGivingBack } from "./requests.ts";
import type { Request } from "./status.ts";
import * as statuses from "./status.ts";
import { conditions, reasons } from "./vocabulary.ts";
import { claimerFor, nowOf, type Work, write } from "./work.ts";

/** A net below the watch on the pool. */
const lookAgainMs = 300_000;
/** Two requests to Gardener take less. */
const othersClaimMs = 1_000;

/** Has none yet, or set one aside. */
export async function bind(
  work: Work,
  request: Request,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const binding = request.status?.binding;
  if (!binding) return choose(work, request, wanted, signal);
  if (!work.requests.hasSeenAllBefore(request)) return undefined;
  if (work.requests.others(request, binding.uid).some(isGivingBack)) return undefined;
  const account = await work.accounts.get(binding.name, signal);
  if (!isToBeHad(account, binding, wanted)) return choose(work, request, wanted, signal, { live: true });
  // Before it is given out: once it is, nobody looks at its claim again until it goes.
  if (isClaimLeft(account) && !isInternal(account)) await work.accounts.passOn(account, request.metadata.uid, signal);
  await write(work, request, statuses.bound(request, wanted, account, nowOf(work)), signal);
  return undefined;
}

async function choose(
  work: Work,
  request: Request,
  wanted: Wanted,
  signal: AbortSignal,
  { live } = { live: false },
): Promise<Result | undefined> {
  if (!work.turns.take(lineOf(wanted), keyOf(request))) return undefined;
  const pool = poolFromCopy(work, wanted);
  const known = live ? undefined : pick(work, pool, request, wanted);
  // What the copy offers is asked for again before it is given out, and so costs no list here.
  if (known?.do === "use") return reserve(work, request, wanted, known.account, signal);
  if (request.status?.phase === "Exhausted") {
    const free = pool.accounts.filter(isFree).length;
    const isFutile = known?.do === "none" || (known?.do === "claim" && !work.requests.mayTry(request, wanted, free));
    if (isFutile) return wait(work, request, wanted, signal);
  }
  const { accounts } = work;
  const { usersOf } = pool;
  const obtained = await obtain({ accounts, wanted, usersOf, claimer: claimerFor(work, request, wanted) }, signal);
  if (obtained === "busy") return { requeueAfterMs: othersClaimMs };
  if (obtained === "none") return wait(work, request, wanted, signal);
  return reserve(work, request, wanted, obtained, signal);
}

function poolFromCopy({ garden, requests }: Work, wanted: Wanted): Pool {
  return {
    accounts: garden.bindings.byIndex(byType, wanted.hyperscalerType).filter((account) => isWanted(account, wanted)),
    usersOf: (account) => requests.usersOf(account),
  };
}

function pick(work: Work, pool: Pool, request: Request, wanted: Wanted): Step {
  const claimer = claimerFor(work, request, wanted);
  return claimer ? pickDedicated(pool, claimer) : pickShared(pool);
}

async function reserve(work: Work, request: Request, wanted: Wanted, account: Account, signal: AbortSignal) {
  const status = statuses.reserved(request, wanted, account, work.garden.poolKind, nowOf(work));
  await write(work, request, status, signal);
  return undefined;
}

async function wait(work: Work, request: Request, wanted: Wanted, signal: AbortSignal): Promise<Result> {
  await write(work, request, statuses.exhausted(request, wanted, nowOf(work)), signal);
  return { requeueAfterMs: lookAgainMs };
}

/** It is bound, and stays so. Whether the account still is what it was is asked of Gardener only where the copy says no. */
export async function keep(
  work: Work,
  request: Request,
  binding: BindingReference,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<undefined> {
  const { garden, accounts } = work;
  const { name } = binding;
  let verdict = judge(garden.bindings.get(makeKey(garden.namespace, name)), binding, wanted.tenant);
  const isKnown = findCondition(request.status?.conditions, conditions.bound)?.reason === reasons.bindingLost;
  if (verdict.is === "lost" && !isKnown) verdict = judge(await accounts.get(name, signal), binding, wanted.tenant);
  await write(work, request, statuses.after(request, name, verdict, nowOf(work)), signal);
}
