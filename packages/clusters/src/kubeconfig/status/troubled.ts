/** Where something stands in the way. */
import { findCondition, removeCondition, type WantedCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { secretNameOf } from "../names.ts";
import {
  allExpiredAt,
  isPublished,
  isRevoked,
  isRotating,
  isRotationAsked,
  lifeOf,
  refusedRulesOf,
  type Seen,
} from "../seen.ts";
import type { Trouble } from "../trouble.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";
import { notWhileRevoking, said } from "./conditions.ts";
import { withoutCopy } from "./without.ts";

type Status = KubeconfigRequestStatus;

/** What was issued before stays as it is, and comes to its end. */
export function refused(seen: Seen, reason: string, message: string): Status {
  const about: WantedCondition = { type: types.rulesAccepted, status: "False", reason, message };
  const { status = {} } = seen.request;
  const life = lifeOf(status);
  if (!life || life.expiresAt > seen.now) return said({ ...status, phase: "Failed" }, seen, [about]);
  return said({ ...withoutCopy(seen), phase: "Failed" }, seen, [
    about,
    { type: types.issued, status: "False", reason: reasons.expired, message: texts.expired },
  ]);
}

/** The status as it is, with the reason why its rules are refused; undefined where they are not. */
export function rulesRefused(seen: Seen): Status | undefined {
  const escalations = refusedRulesOf(seen);
  if (escalations.length === 0) return undefined;
  const message = texts.escalatingRules(escalations);
  const about: WantedCondition = {
    type: types.rulesAccepted,
    status: "False",
    reason: reasons.escalatingRules,
    message,
  };
  return said(seen.request.status ?? {}, seen, [about]);
}

/** `trouble` stands in the way of what is wanted now. */
export function troubled(seen: Seen, trouble: Trouble): Status {
  const { type, reason, message } = trouble;
  const about: WantedCondition = { type, status: "False", reason, message };
  const isDeleted = seen.request.metadata.deletionTimestamp !== undefined;
  return isDeleted || isRevoked(seen) ? stillRevoking(seen, trouble, about) : stillIssuing(seen, about);
}

function stillRevoking(seen: Seen, { reason, message }: Trouble, about: WantedCondition): Status {
  const status = withoutCopy(seen);
  const isExpired = allExpiredAt(status) <= seen.now;
  const isOfRevoking = about.type === types.revoked;
  const late: WantedCondition = {
    type: types.revoked,
    status: "False",
    reason,
    message: isOfRevoking ? message : texts.revokingLate(message),
  };
  return said({ ...status, phase: isExpired ? "Revoked" : "Revoking" }, seen, [
    ...(isOfRevoking ? [] : [about]),
    isExpired ? { type: types.revoked, status: "True", reason: reasons.expired, message: texts.revokedByExpiry } : late,
    notWhileRevoking,
  ]);
}

function stillIssuing(seen: Seen, about: WantedCondition): Status {
  const { status: before = {} } = seen.request;
  const status = { ...before, conditions: removeCondition(before.conditions, types.revoked) };
  const life = lifeOf(status);
  const isExpired = life !== undefined && life.expiresAt <= seen.now;
  if (life && !isExpired && isPublished(status)) {
    const phase = isRotationAsked(seen) || isRotating(status) ? "Rotating" : "Issued";
    // There is one, and it is good: what stands in the way is in the way of the next.
    return said({ ...status, phase: about.type === types.rulesAccepted ? "Failed" : phase }, seen, [
      about.type === types.issued ? { ...about, status: "True" } : about,
    ]);
  }
  const [reason, message] = isExpired ? [reasons.expired, texts.expired] : [reasons.waiting, texts.waiting];
  return said({ ...status, phase: about.type === types.rulesAccepted ? "Failed" : "Pending" }, seen, [
    { type: types.issued, status: "False", reason, message },
    about,
  ]);
}

/** `next` was to be said, and the Secret cannot be taken away: as long as it is there, nobody is told that it is not. */
export function copyStays(seen: Seen, next: Status): Status {
  const { metadata, status: { secretRef, conditions: before } = {} } = seen.request;
  const type = findCondition(next.conditions, types.revoked) ? types.revoked : types.issued;
  const former = findCondition(before, type);
  // From what it was and not from what it was to be: that it changed and changed back would be told with each try.
  const conditions = [...removeCondition(next.conditions, type), ...(former ? [former] : [])];
  const phase = next.phase === "Revoked" ? "Revoking" : next.phase;
  const message = texts.copyStays(secretNameOf(seen.request), metadata.namespace ?? "");
  // In the status there is one that is good.
  const isThere = type === types.issued && next.kubeconfig !== undefined;
  return said({ ...next, conditions, ...(phase && { phase }), ...(secretRef && { secretRef }) }, seen, [
    { type, status: isThere ? "True" : "False", reason: reasons.secretsForbidden, message },
  ]);
}
