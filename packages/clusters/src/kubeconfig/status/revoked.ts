/** While access is taken away, and afterwards. */
import { findCondition, isConditionTrue } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { isLeft, type Reached } from "../elsewhere.ts";
import { shortHash } from "../names.ts";
import { isLeftBehind, isUntouched, type Seen } from "../seen.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";
import { notWhileRevoking, said } from "./conditions.ts";
import { withoutAccess, withoutCopy } from "./without.ts";

type Status = KubeconfigRequestStatus;

/**
 * Nobody finds the kubeconfig here any more. What was cut off is not looked for again: with the roles, which go next, goes
 * the last by which the cluster where it was could be known.
 */
export function withdrawn(seen: Seen, reached: Reached): Status {
  const { serviceAccountUid: uid, retiring = [], ...rest } = withoutCopy(seen);
  const left = retiring.filter((each) => isLeft(each, reached));
  const status = {
    ...rest,
    ...(uid !== undefined && reached.is === "other" && { serviceAccountUid: uid }),
    ...(left.length > 0 && { retiring: left }),
  };
  // What has expired is revoked already; only what is left of it in the target is taken away.
  if (isConditionTrue(status.conditions, types.revoked)) return said(status, seen, [notWhileRevoking]);
  return said({ ...status, phase: "Revoking" }, seen, [
    { type: types.revoked, status: "False", reason: reasons.revoking, message: texts.revoking },
    notWhileRevoking,
  ]);
}

/** Nothing of it is left in the target. */
export function revoked(seen: Seen): Status {
  return revokedFor(seen, reasons.revoked, texts.revoked);
}

/** Nothing of it is left in the target; what was issued for others has expired. */
export function revokedByExpiry(seen: Seen, servers: readonly string[]): Status {
  return revokedFor(seen, reasons.expired, texts.expiredElsewhere(servers));
}

/** Of a Cluster that is gone nobody can tell whether the cluster itself is: what was issued counts until it expires. */
export function revokedWithCluster(seen: Seen): Status {
  if (!isLeftBehind(seen))
    return revokedFor(seen, reasons.clusterGone, seen.cluster ? texts.clusterGone : texts.clusterLeftExpired);
  return said({ ...withoutCopy(seen), phase: "Revoking" }, seen, [
    { type: types.revoked, status: "False", reason: reasons.clusterGone, message: texts.clusterLeft },
    notWhileRevoking,
  ]);
}

/** The cluster has another address. Written before the account goes by which it is known to be the same. */
export function moved({ request }: Seen, { server, certificateAuthority }: Reached): Status {
  return { ...request.status, server, certificateAuthorityHash: shortHash(certificateAuthority) };
}

/** What is left when everything is cut off in the cluster that was reached: those for others. */
export function leftBy(seen: Seen, reached: Reached): Status {
  const { retiring: all = [], serviceAccount } = seen.request.status ?? {};
  const { retiring: _, ...status } = reached.is === "other" ? withoutCopy(seen) : withoutAccess(seen);
  const retiring = all.filter((each) => isLeft(each, reached));
  return {
    ...status,
    ...(serviceAccount !== undefined && { serviceAccount }),
    ...(retiring.length > 0 && { retiring }),
  };
}

function revokedFor(seen: Seen, reason: string, message: string): Status {
  const status = withoutAccess(seen);
  const before = findCondition(status.conditions, types.revoked);
  // Whichever it was stays said: nothing has happened since. What has expired out of reach may be cut off after all.
  const isSaid = before?.status === "True" && (before.reason !== reasons.expired || isUntouched(seen.request));
  return said({ ...status, phase: "Revoked" }, seen, [
    ...(isSaid ? [] : [{ type: types.revoked, status: "True" as const, reason, message }]),
    { type: types.issued, status: "False", reason: reasons.revoked, message: texts.notWhile },
  ]);
}
