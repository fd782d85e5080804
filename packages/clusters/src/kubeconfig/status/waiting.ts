/** Before there is a kubeconfig, and where there is no cluster for one. */
import { findCondition, removeCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { type Request, serviceAccountOf } from "../names.ts";
import { isLeftBehind, type Seen } from "../seen.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";
import { said } from "./conditions.ts";
import { withoutAccess, withoutCopy } from "./without.ts";

type Status = KubeconfigRequestStatus;

/** Written before anything is made in the target. */
export function begun(seen: Seen): Status {
  const status = { ...withoutAccess(seen), phase: "Pending", serviceAccount: serviceAccountOf(seen.request) } as const;
  return said({ ...status, conditions: removeCondition(status.conditions, types.revoked) }, seen, [
    { type: types.issued, status: "False", reason: reasons.waiting, message: texts.waiting },
  ]);
}

/** Wanted again before all of it was taken away. What may be left of it stays told of. */
export function resumed(seen: Seen): Status {
  const { status = {} } = seen.request;
  return said({ ...status, phase: "Pending", conditions: removeCondition(status.conditions, types.revoked) }, seen, [
    { type: types.issued, status: "False", reason: reasons.waiting, message: texts.waiting },
  ]);
}

export function waiting(seen: Seen, reason: string, message: string): Status {
  const status = withoutAccess(seen);
  return said({ ...status, phase: "Pending", conditions: removeCondition(status.conditions, types.revoked) }, seen, [
    { type: types.targetReachable, status: "Unknown", reason, message },
    { type: types.issued, status: "False", reason: reasons.waiting, message: texts.waiting },
  ]);
}

export function withoutCluster(seen: Seen, reason: string, message: string): Status {
  const isLeft = isLeftBehind(seen);
  const status = isLeft ? withoutCopy(seen) : withoutAccess(seen);
  return said({ ...status, phase: "Pending", conditions: removeCondition(status.conditions, types.revoked) }, seen, [
    { type: types.targetReachable, status: "False", reason, message },
    isLeft
      ? { type: types.issued, status: "False", reason: reasons.clusterGone, message: texts.clusterLeft }
      : { type: types.issued, status: "False", reason: reasons.waiting, message: texts.waiting },
  ]);
}

export function saysMissing({ status }: Request): boolean {
  const reason = findCondition(status?.conditions, types.targetReachable)?.reason;
  return reason === reasons.clusterNotFound || reason === reasons.shootMissing;
}
