/** The status of a KubeconfigRequest after each step. Pure. Texts have no counts and no times: each change is a write. */
import { formatTime } from "@berg/apimachinery";
import { findCondition, isConditionTrue, removeCondition, setCondition, type WantedCondition } from "@berg/kube";
import { conditionLimits, type KubeconfigRequestStatus, kubeconfigStatusLimits } from "@berg/resources";
import type { Target } from "../target/target.ts";
import type { Cause } from "./decide.ts";
import { type Request, secretNameOf, serviceAccountOf, shortHash } from "./names.ts";
import { afterExpiryMs, type Life } from "./schedule.ts";
import {
  allExpiredAt,
  isLeftBehind,
  isPublished,
  isRevoked,
  isRotationAnswered,
  isRotationAsked,
  issuedFor,
  lifeOf,
  type Seen,
} from "./seen.ts";
import type { Trouble } from "./trouble.ts";
import { reasons, secretKey, texts, conditionTypes as types } from "./vocabulary.ts";

type Status = KubeconfigRequestStatus;

/** A kubeconfig that was made and tried. */
export interface Issue {
  epoch: number;
  life: Life;
  credentialHash: string;
  serviceAccountUid: string;
  anchorUid: string;
  /** Whether it answers the annotation `rotate`. */
  answersRotation: boolean;
}

export interface Grant {
  unknown: readonly string[];
  /** Undefined where it is there. */
  missingNamespace: string | undefined;
  /** The namespace where Secrets may be written. */
  secretsIn: string | undefined;
}

/** Written before anything is made in the target. */
export function begun(seen: Seen): Status {
  const status = { ...withoutAccess(seen), phase: "Pending", serviceAccount: serviceAccountOf(seen.request) } as const;
  return said({ ...status, conditions: removeCondition(status.conditions, types.revoked) }, seen, [
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

/** Whoever has access has not all of it: a namespace was missing, or the cluster refused. */
export function lacksRights({ status }: Request): boolean {
  return findCondition(status?.conditions, types.rbacReady)?.status === "False";
}

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

export function settled({ request }: Seen): Status {
  return { ...request.status, phase: isRotationAnswered(request) ? "Rotating" : "Issued" };
}

export function granted(seen: Seen, grant: Grant): Status {
  const { request } = seen;
  const { generation } = request.metadata;
  // Not before all of it is as the spec has it.
  const isWhole = generation !== undefined && grant.missingNamespace === undefined;
  const status = { ...request.status, ...(isWhole && { observedGeneration: generation }) };
  return said(status, seen, grantConditions(grant));
}

/** `text`: the kubeconfig itself, where the status is where it is put. */
export function issued(
  seen: Seen,
  grant: Grant,
  cause: Cause,
  issue: Issue,
  { server, certificateAuthority }: Pick<Target, "server" | "certificateAuthority">,
  text: string | undefined,
): Status {
  const { request } = seen;
  const { kubeconfig: _, secretRef: __, issuedFor: ___, retiring: ____, ...rest } = granted(seen, grant);
  const retiring = retiringAfter(seen, cause, issue);
  const target = issuedFor(seen);
  const status: Status = {
    ...rest,
    conditions: removeCondition(rest.conditions, types.revoked),
    phase: issue.answersRotation || isRotationAnswered(request) ? "Rotating" : "Issued",
    ...(text === undefined
      ? { secretRef: { name: secretNameOf(request), key: secretKey } }
      : { kubeconfig: Buffer.from(text).toString("base64") }),
    expirationTimestamp: formatTime(issue.life.expiresAt),
    issuedAt: formatTime(issue.life.issuedAt),
    epoch: issue.epoch,
    serviceAccount: serviceAccountOf(request),
    serviceAccountUid: issue.serviceAccountUid,
    credentialHash: issue.credentialHash,
    server,
    certificateAuthorityHash: shortHash(certificateAuthority),
    ...(issue.answersRotation && { lastRotationRequest: String(issue.epoch) }),
    ...(target !== undefined && { issuedFor: target }),
    ...(retiring.length > 0 && { retiring }),
  };
  return said(status, seen, [{ type: types.issued, status: "True", reason: reasons.issued, message: texts.issued }]);
}

/** Those before it. Nobody loses what works before the next one is there; who asked for a rotation waits a moment only. */
function retiringAfter(seen: Seen, cause: Cause, issue: Issue): NonNullable<Status["retiring"]> {
  const { request, now, graceMs } = seen;
  const { status = {}, spec } = request;
  const limits: Partial<Record<Cause, number>> = { shortened: now + spec.expiration * 1000 };
  const latest = issue.answersRotation ? now + graceMs : (limits[cause] ?? Number.POSITIVE_INFINITY);
  const life = lifeOf(status);
  const former = [
    ...(status.retiring ?? []),
    ...(life && status.epoch !== undefined
      ? [{ epoch: status.epoch, until: formatTime(life.expiresAt + afterExpiryMs) }]
      : []),
  ];
  return former
    .filter(({ epoch }) => epoch !== issue.epoch)
    .map(({ epoch, until }) => ({ epoch, until: formatTime(Math.min(Date.parse(until), latest)) }))
    .slice(-kubeconfigStatusLimits.retiring);
}

export function retired(seen: Seen): Status {
  const { retiring = [], ...status } = seen.request.status ?? {};
  const left = retiring.filter(({ until }) => Date.parse(until) > seen.now);
  return said({ ...status, ...(left.length > 0 && { retiring: left }) }, seen, [
    { type: types.targetReachable, status: "True", reason: reasons.reached, message: texts.reached },
  ]);
}

/** Nobody finds the kubeconfig here any more; those who have it already may use it still. */
export function withdrawn(seen: Seen): Status {
  const status = withoutCopy(seen);
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

/** Of a Cluster that is gone nobody can tell whether the cluster itself is: what was issued counts until it expires. */
export function revokedWithCluster(seen: Seen): Status {
  if (!isLeftBehind(seen))
    return revokedFor(seen, reasons.clusterGone, seen.cluster ? texts.clusterGone : texts.clusterLeftExpired);
  return said({ ...withoutCopy(seen), phase: "Revoking" }, seen, [
    { type: types.revoked, status: "False", reason: reasons.clusterGone, message: texts.clusterLeft },
    notWhileRevoking,
  ]);
}

function revokedFor(seen: Seen, reason: string, message: string): Status {
  const status = withoutAccess(seen);
  const before = findCondition(status.conditions, types.revoked);
  // Whichever it was stays said: nothing has happened since.
  const isSaid = before?.status === "True" && before.reason !== reasons.expired;
  return said({ ...status, phase: "Revoked" }, seen, [
    ...(isSaid ? [] : [{ type: types.revoked, status: "True" as const, reason, message }]),
    { type: types.issued, status: "False", reason: reasons.revoked, message: texts.notWhile },
  ]);
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
  return said({ ...status, phase: isExpired ? "Revoked" : "Revoking" }, seen, [
    about,
    isExpired
      ? { type: types.revoked, status: "True", reason: reasons.expired, message: texts.revokedByExpiry }
      : { type: types.revoked, status: "False", reason, message: texts.revokingLate(message) },
    notWhileRevoking,
  ]);
}

function stillIssuing(seen: Seen, about: WantedCondition): Status {
  const { status: before = {} } = seen.request;
  const status = { ...before, conditions: removeCondition(before.conditions, types.revoked) };
  const life = lifeOf(status);
  const isExpired = life !== undefined && life.expiresAt <= seen.now;
  if (life && !isExpired && isPublished(status)) {
    const phase = isRotationAsked(seen) || isRotationAnswered(seen.request) ? "Rotating" : "Issued";
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

const notWhileRevoking: WantedCondition = {
  type: types.issued,
  status: "False",
  reason: reasons.revoking,
  message: texts.notWhile,
};

function grantConditions({ unknown, missingNamespace, secretsIn }: Grant): WantedCondition[] {
  const isKnown = unknown.length === 0;
  return [
    {
      type: types.rulesAccepted,
      status: "True",
      reason: isKnown ? reasons.accepted : reasons.unknownResources,
      message: [
        isKnown ? texts.accepted : texts.unknownResources(unknown),
        ...(secretsIn === undefined ? [] : [texts.secretsIn(secretsIn)]),
      ].join(". "),
    },
    { type: types.targetReachable, status: "True", reason: reasons.reached, message: texts.reached },
    missingNamespace === undefined
      ? { type: types.rbacReady, status: "True", reason: reasons.granted, message: texts.granted }
      : {
          type: types.rbacReady,
          status: "False",
          reason: reasons.namespaceMissing,
          message: texts.namespaceMissing(missingNamespace),
        },
  ];
}

/** What is left when nothing was issued, or all of it is useless. The epoch goes on: no anchor's name is used twice. */
function withoutAccess({ request }: Seen): Status {
  const { observedGeneration, phase, epoch, lastRotationRequest } = request.status ?? {};
  const conditions = request.status?.conditions && removeCondition(request.status.conditions, types.rbacReady);
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(phase !== undefined && { phase }),
    ...(epoch !== undefined && { epoch }),
    ...(lastRotationRequest !== undefined && { lastRotationRequest }),
    ...(conditions !== undefined && { conditions }),
  };
}

/** The kubeconfig is nowhere to be found here; what it stands for in the target is as it was. */
function withoutCopy({ request }: Seen): Status {
  const { kubeconfig: _, secretRef: __, ...status } = request.status ?? {};
  return status;
}

function said(status: Status, { request, now }: Seen, wanted: readonly WantedCondition[]): Status {
  const observedGeneration = request.metadata.generation;
  let conditions = status.conditions;
  for (const { message, ...condition } of wanted) {
    conditions = setCondition(conditions, { ...condition, message: cut(message), observedGeneration }, formatTime(now));
  }
  return conditions === undefined ? status : { ...status, conditions };
}

function cut(text: string): string {
  const { message } = conditionLimits;
  return text.length <= message ? text : `${text.slice(0, message - 1)}…`;
}
