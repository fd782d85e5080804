/** Whether an account goes back into the pool. Pure. */
import { type Account, claimedBy, isClaimLeft, isDirty, isInternal, isShared, tenantOf } from "../pool/account.ts";
import { reasons, texts } from "../vocabulary.ts";

export interface Leaving {
  /** UID of the request that goes. */
  request: string;
  /** As `status.binding` has it. */
  binding: { name: string; uid: string };
  tenant: string | undefined;
  /** As the server has it now. */
  account: Account | undefined;
  /** Other requests that have it or have set it aside. */
  others: readonly { uid: string; stays: boolean }[];
  hasShoot: boolean;
  /** Whether a request of this UID is one of ours. */
  isOurs(request: string): boolean;
}

/** With why, for a condition. */
export interface Release {
  markDirty: boolean;
  /** UID of the request that the claim is passed on to. */
  heir?: string;
  /** Whether the claim is left to whichever request has the account next. */
  leaveClaim?: boolean;
  reason: string;
  message: string;
}

export function decideRelease({ request, binding, tenant, account, others, hasShoot, isOurs }: Leaving): Release {
  const { name, uid } = binding;
  const leave = (why: string): Release => ({
    markDirty: false,
    reason: reasons.notOurs,
    message: texts.notOurs(name, why),
  });
  if (!account) return leave(texts.lostGone);
  if (account.metadata.uid !== uid) return leave(texts.lostAnother);
  if (tenant === undefined || isShared(account)) return leave(texts.isShared);
  if (tenantOf(account) !== tenant) return leave(texts.lostTenant(tenant));
  if (isDirty(account)) return leave(texts.isDirty);
  if (isInternal(account)) return leave(texts.isInternal);
  // Who goes last must find a claim of ours. Each that goes sees to it, also for a claimer that goes at the same time: that
  // one may be about to pass the claim on to this one, and the two writes meet.
  const claimer = claimedBy(account);
  const isLoose = claimer === request || others.some(({ uid, stays }) => uid === claimer && !stays);
  const keep = (message: string): Release => ({ markDirty: false, reason: reasons.stillUsed, message });
  const staying = others.find(({ stays }) => stays);
  if (staying) return { ...keep(texts.usedByRequest(name)), ...(isLoose && { heir: staying.uid }) };
  if (hasShoot) return { ...keep(texts.usedByShoot(name)), leaveClaim: isLoose && !isClaimLeft(account) };
  // One that others gave to the tenant is theirs to give back. They may have promised it to a cluster that has no Shoot
  // yet, which nobody sees from here, and whatever runs on a dirty account is wiped. Left alone it stays the tenant's.
  const isClaimOurs = isClaimLeft(account) || (claimer !== undefined && isOurs(claimer));
  if (!isClaimOurs) return leave(texts.claimedByOthers);
  return { markDirty: true, reason: reasons.markedDirty, message: texts.markedDirty(name) };
}
