/** The status that a SubscriptionRequest has in each state. Pure. */
import type { Condition, Stored } from "@berg/apimachinery";
import { setCondition } from "@berg/kube";
import type { SubscriptionRequest, SubscriptionRequestStatus } from "@berg/resources";
import type { PoolKind } from "../gardener/garden.ts";
import { type Account, isInternal, referenceTo, secretOf } from "./pool/account.ts";
import type { Verdict } from "./pool/judge.ts";
import { describeWanted, type Wanted } from "./pool/wanted.ts";
import { reasons, texts, conditions as types } from "./vocabulary.ts";

export type Request = Stored<SubscriptionRequest>;
type Status = SubscriptionRequestStatus;
type Finding = [type: string, status: Condition["status"], reason: string, message: string];

export function invalid(request: Request, problem: string, now: string): Status {
  return next(request, now, { phase: "Failed" }, [
    [types.selectorValid, "False", reasons.invalidSelector, problem],
    [types.bound, "False", reasons.invalidSelector, problem],
  ]);
}

export function exhausted(request: Request, wanted: Wanted, now: string): Status {
  const { binding: _, ...others } = request.status ?? {};
  const why = texts.exhausted(describeWanted(wanted));
  return next({ ...request, status: others }, now, { phase: "Exhausted", ...partOf(wanted) }, [
    valid(wanted),
    [types.bound, "False", reasons.exhausted, why],
    [types.poolAvailable, "False", reasons.exhausted, why],
  ]);
}

/** Set aside, so that whoever would give it back sees it; not given out yet. */
export function reserved(request: Request, wanted: Wanted, account: Account, kind: PoolKind, now: string): Status {
  const binding = referenceTo(account, kind);
  return next(request, now, { phase: "Pending", ...partOf(wanted), binding }, [
    valid(wanted),
    [types.bound, "False", reasons.reserved, texts.reserved(binding.name)],
    [types.poolAvailable, "True", reasons.available, texts.available],
  ]);
}

export function bound(request: Request, wanted: Wanted, account: Account, now: string): Status {
  const given = { phase: "Bound", ...secretOf(account), boundAt: now } as const;
  return next(request, now, given, [
    valid(wanted),
    has(account.metadata.name, { is: isInternal(account) ? "internal" : "fine" }),
    [types.poolAvailable, "True", reasons.available, texts.available],
  ]);
}

/** It was bound, and this is what has become of the account since. Only where it is lost anything is taken from anybody. */
export function after(request: Request, account: string, verdict: Verdict, now: string): Status {
  return next(request, now, { phase: verdict.is === "lost" ? "Failed" : "Bound" }, [has(account, verdict)]);
}

function has(account: string, verdict: Verdict): Finding {
  switch (verdict.is) {
    case "lost":
      return [types.bound, "False", reasons.bindingLost, texts.bindingLost(account, verdict.why)];
    case "dirty":
      return [types.bound, "True", reasons.boundToDirty, texts.boundToDirty(account)];
    case "internal":
      return [types.bound, "True", reasons.boundToInternal, texts.boundToInternal(account)];
    case "fine":
      return [types.bound, "True", reasons.bound, texts.bound(account)];
  }
}

export function releasing(request: Request, reason: string, message: string, now: string): Status {
  return next(request, now, { phase: "Releasing" }, [[types.released, "False", reason, message]]);
}

export function released(request: Request, reason: string, message: string, now: string): Status {
  return next(request, now, { phase: "Releasing" }, [[types.released, "True", reason, message]]);
}

/** Gardener stands in the way. What was known before still holds. */
export function inTrouble(
  request: Request,
  wanted: Wanted,
  { reason, message }: { reason: string; message: string },
  now: string,
): Status {
  if (request.metadata.deletionTimestamp)
    return next(request, now, { phase: "Releasing" }, [[types.released, "Unknown", reason, message]]);
  // Whoever has an account goes on with it.
  if (request.status?.boundAt !== undefined) return request.status;
  return next(request, now, { phase: "Pending", ...partOf(wanted) }, [
    valid(wanted),
    [types.bound, "False", reasons.waiting, texts.waiting],
    [types.poolAvailable, "Unknown", reason, message],
  ]);
}

function partOf({ hyperscalerType, tenant }: Wanted): Pick<Status, "hyperscalerType" | "shared"> {
  return { hyperscalerType, shared: tenant === undefined };
}

function valid({ hyperscalerType }: Wanted): Finding {
  return [types.selectorValid, "True", reasons.selectorValid, texts.selectorValid(hyperscalerType)];
}

function next(request: Request, now: string, changed: Status, found: readonly Finding[]): Status {
  const { generation: observedGeneration } = request.metadata;
  let conditions = request.status?.conditions as Condition[] | undefined;
  for (const [type, status, reason, message] of found)
    conditions = setCondition(conditions, { type, status, reason, message, observedGeneration }, now);
  return {
    ...request.status,
    ...changed,
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(conditions && { conditions: conditions as NonNullable<Status["conditions"]> }),
  };
}
