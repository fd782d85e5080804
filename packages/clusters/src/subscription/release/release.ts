/** Gives the account of a request that is deleted back into the pool, where nothing uses it, and lets the request go. */
import { keyOf } from "@berg/apimachinery";
import { findCondition, removeFinalizer } from "@berg/kube";
import { SubscriptionRequests } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import { finalizers } from "../../vocabulary.ts";
import { type BindingReference, claimedBy, pendingOf, referenceTo } from "../pool/account.ts";
import { takeBack } from "../pool/obtain.ts";
import { isOwn } from "../pool/pick.ts";
import { lineOf, type Wanted } from "../pool/wanted.ts";
import type { Request } from "../status.ts";
import * as statuses from "../status.ts";
import { conditions, reasons, texts } from "../vocabulary.ts";
import { nowOf, type Work, write } from "../work.ts";
import { decideRelease, type Release } from "./decide.ts";

/** `wanted` is undefined where the request never made sense, and so never had an account. */
export async function release(
  work: Work,
  request: Request,
  wanted: Wanted | undefined,
  signal: AbortSignal,
): Promise<void> {
  const binding = request.status?.binding;
  if (wanted && binding) return giveBack(work, request, binding, wanted, signal);
  if (wanted?.tenant !== undefined) {
    // Or a request that looks for an account just now would be given what is taken back.
    if (!work.turns.take(lineOf(wanted), keyOf(request))) return;
    const left = await leftClaim(work, request, wanted.tenant, wanted, signal);
    if (left) return announce(work, { ...request, status: { ...request.status, binding: left } }, left, signal);
  }
  await letGo(work, request, reasons.nothingToRelease, texts.nothingToRelease, signal);
}

/** What was claimed for it before the process was killed that would have written it down. */
async function leftClaim(
  { accounts, garden }: Work,
  request: Request,
  tenant: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<BindingReference | undefined> {
  const listed = await accounts.list(wanted, signal);
  const claimed = listed.filter((account) => isOwn(account, tenant) && claimedBy(account) === request.metadata.uid);
  for (const account of claimed) if (pendingOf(account) !== undefined) await takeBack(accounts, account, signal);
  const standing = claimed.find((account) => pendingOf(account) === undefined);
  return standing && referenceTo(standing, garden.poolKind);
}

async function giveBack(
  work: Work,
  request: Request,
  binding: BindingReference,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const { requests, accounts } = work;
  const shoot = requests.ownShoot(request, requests.shootsOn(binding.name));
  if (shoot) return waitFor(shoot, work, request, signal);
  if (wanted.tenant !== undefined) {
    if (reasonOf(request) !== reasons.givingBack) return announce(work, request, binding, signal);
    if (!requests.hasSeenAllBefore(request)) return;
  }
  const others = requests
    .others(request, binding.uid)
    .map(({ metadata }) => ({ uid: metadata.uid, stays: !metadata.deletionTimestamp }));
  const hasShoot = requests.shootsOn(binding.name).length > 0;
  const account = await accounts.get(binding.name, signal);
  const { uid } = request.metadata;
  const { tenant } = wanted;
  const isOurs = (claimer: string) => requests.has(claimer);
  const decide = (hasShoot: boolean): Release =>
    decideRelease({ request: uid, binding, tenant, account, others, hasShoot, isOurs });
  let decision = decide(hasShoot);
  if (decision.markDirty && account) {
    // The copy may be behind, and whoever cleans it wipes what runs there.
    const shoots = await accounts.shootsOn(binding.name, signal);
    const late = requests.ownShoot(request, shoots);
    if (late) return waitFor(late, work, request, signal);
    decision = decide(shoots.length > 0);
    if (decision.markDirty) await accounts.markDirty(account, signal);
  }
  if (decision.heir !== undefined && account) await accounts.passOn(account, decision.heir, signal);
  if (decision.leaveClaim && account) await accounts.leave(account, signal);
  await letGo(work, request, decision.reason, decision.message, signal);
}

function waitFor({ metadata }: Shoot, work: Work, request: Request, signal: AbortSignal): Promise<void> {
  return say(work, request, reasons.shootStillThere, texts.shootStillThere(metadata.name), signal);
}

function announce(work: Work, request: Request, { name }: BindingReference, signal: AbortSignal): Promise<void> {
  return say(work, request, reasons.givingBack, texts.givingBack(name), signal);
}

async function say(work: Work, request: Request, reason: string, message: string, signal: AbortSignal): Promise<void> {
  await write(work, request, statuses.releasing(request, reason, message, nowOf(work)), signal);
}

async function letGo(
  work: Work,
  request: Request,
  reason: string,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  const { client, requests } = work;
  const last = await write(work, request, statuses.released(request, reason, message, nowOf(work)), signal);
  await removeFinalizer(client, SubscriptionRequests, last, finalizers.subscription, { signal });
  requests.gone(request.metadata.uid);
}

function reasonOf({ status }: Request): string | undefined {
  return findCondition(status?.conditions, conditions.released)?.reason;
}
