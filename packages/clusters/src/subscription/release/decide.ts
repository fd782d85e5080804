/** Whether an account goes back into the pool. Pure. */
import { type Account, isDirty, isInternal, isShared, tenantOf } from "../pool/account.ts";
import { reasons, texts } from "../vocabulary.ts";

export interface Leaving {
  /** As `status.binding` has it. */
  binding: { name: string; uid: string };
  tenant: string | undefined;
  /** As the server has it now. */
  account: Account | undefined;
  /** Whether another request, which stays, has it or has set it aside. */
  hasOtherRequest: boolean;
  hasShoot: boolean;
}

/** With why, for a condition. */
export type Release = { markDirty: boolean; reason: string; message: string };

export function decideRelease({ binding, tenant, account, hasOtherRequest, hasShoot }: Leaving): Release {
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
  const keep = (message: string): Release => ({ markDirty: false, reason: reasons.stillUsed, message });
  if (hasOtherRequest) return keep(texts.usedByRequest(name));
  if (hasShoot) return keep(texts.usedByShoot(name));
  return { markDirty: true, reason: reasons.markedDirty, message: texts.markedDirty(name) };
}
