/** Whether an account is still what a request has it for. Pure. */
import { texts } from "../vocabulary.ts";
import {
  type Account,
  type BindingReference,
  isDirty,
  isInternal,
  isShared,
  isWanted,
  pendingOf,
  tenantOf,
} from "./account.ts";
import type { Wanted } from "./wanted.ts";

export type Verdict = { is: "fine" | "dirty" | "internal" } | { is: "lost"; why: string };

export function judge(
  account: Account | undefined,
  binding: Pick<BindingReference, "uid">,
  tenant: string | undefined,
): Verdict {
  if (!account) return { is: "lost", why: texts.lostGone };
  if (account.metadata.uid !== binding.uid) return { is: "lost", why: texts.lostAnother };
  if (tenant === undefined) {
    if (!isShared(account)) return { is: "lost", why: texts.lostShared };
  } else if (tenantOf(account) !== tenant) return { is: "lost", why: texts.lostTenant(tenant) };
  if (isDirty(account)) return { is: "dirty" };
  return { is: isInternal(account) ? "internal" : "fine" };
}

/** Whether one that was set aside may be given out. Nobody depends on it yet: where in doubt, another one is looked for. */
export function isToBeHad(
  account: Account | undefined,
  binding: Pick<BindingReference, "uid">,
  wanted: Wanted,
): account is Account {
  const { is } = judge(account, binding, wanted.tenant);
  if (account === undefined || is === "lost" || is === "dirty") return false;
  return isWanted(account, wanted) && pendingOf(account) === undefined;
}
