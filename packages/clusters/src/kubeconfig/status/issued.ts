/** While there is a kubeconfig, and those before it come to their end. */
import { formatTime } from "@berg/apimachinery";
import { findCondition, removeCondition, type WantedCondition } from "@berg/kube";
import { type KubeconfigRequestStatus, kubeconfigStatusLimits } from "@berg/resources";
import type { Cause } from "../decide.ts";
import { type Former, isLeft, type Reached } from "../elsewhere.ts";
import { secretNameOf, serviceAccountOf, shortHash } from "../names.ts";
import { afterExpiryMs, type Life } from "../schedule.ts";
import { isRotationAnswered, issuedFor, lifeOf, type Seen } from "../seen.ts";
import { reasons, secretKey, texts, conditionTypes as types } from "../vocabulary.ts";
import { said } from "./conditions.ts";
import { type Grant, granted } from "./granted.ts";

type Status = KubeconfigRequestStatus;

/** A kubeconfig that was made and tried. */
export interface Issue {
  epoch: number;
  life: Life;
  credentialHash: string;
  serviceAccountUid: string;
  anchorUid: string;
  /** Where it leads to. */
  server: string;
  certificateAuthorityHash: string;
  /** Whether it answers the annotation `rotate`. */
  answersRotation: boolean;
}

const isThere: WantedCondition = {
  type: types.issued,
  status: "True",
  reason: reasons.issued,
  message: texts.issued,
};

/** There is one, and it is good. Whether its copy is as it was put there, only those can tell who may look. */
export function settled(seen: Seen): Status {
  const { request, secrets } = seen;
  const status: Status = { ...request.status, phase: isRotationAnswered(request) ? "Rotating" : "Issued" };
  const isForbidden = secrets === "forbidden";
  const isSaid = findCondition(status.conditions, types.issued)?.reason === reasons.secretsForbidden;
  if (secrets === "none" || isSaid === isForbidden) return status;
  const message = texts.secretsForbidden(request.metadata.namespace ?? "");
  return said(status, seen, [isForbidden ? { ...isThere, reason: reasons.secretsForbidden, message } : isThere]);
}

/** `text`: the kubeconfig itself, where the status is where it is put. */
export function issued(
  seen: Seen,
  grant: Grant,
  cause: Cause,
  issue: Issue,
  reached: Reached,
  text: string | undefined,
): Status {
  const { request } = seen;
  const { kubeconfig: _, secretRef: __, issuedFor: ___, retiring: ____, ...rest } = granted(seen, grant);
  const retiring = retiringAfter(seen, cause, issue, reached);
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
    server: reached.server,
    certificateAuthorityHash: shortHash(reached.certificateAuthority),
    ...(issue.answersRotation && { lastRotationRequest: String(issue.epoch) }),
    ...(target !== undefined && { issuedFor: target }),
    ...(retiring.length > 0 && { retiring }),
  };
  return said(status, seen, [isThere]);
}

/** Those before it. Nobody loses what works before the next one is there; who asked for a rotation waits a moment only. */
function retiringAfter(seen: Seen, cause: Cause, issue: Issue, reached: Reached): Former[] {
  const { request, now, graceMs } = seen;
  const { status = {}, spec } = request;
  const limits: Partial<Record<Cause, number>> = { shortened: now + spec.expiration * 1000 };
  const latest = issue.answersRotation ? now + graceMs : (limits[cause] ?? Number.POSITIVE_INFINITY);
  /** The cluster that was reached, by the words by which it will be known again. */
  const here = {
    server: reached.server,
    serviceAccountUid: issue.serviceAccountUid,
    certificateAuthorityHash: shortHash(reached.certificateAuthority),
  };
  const retiringHere = (each: Former): Former => ({
    ...each,
    ...here,
    until: formatTime(Math.min(Date.parse(each.until), latest)),
  });
  return [...(status.retiring ?? []), ...currentOf(status)]
    .filter(({ epoch }) => epoch !== issue.epoch)
    .map((each) => (isLeft(each, reached) ? leftAlone(each) : retiringHere(each)))
    .slice(-kubeconfigStatusLimits.retiring);
}

function currentOf({ epoch, server, serviceAccountUid, certificateAuthorityHash, ...status }: Status): Former[] {
  const life = lifeOf(status);
  if (!life || epoch === undefined) return [];
  return [
    {
      epoch,
      until: formatTime(life.expiresAt + afterExpiryMs),
      expirationTimestamp: formatTime(life.expiresAt),
      ...(server !== undefined && { server }),
      ...(serviceAccountUid !== undefined && { serviceAccountUid }),
      ...(certificateAuthorityHash !== undefined && { certificateAuthorityHash }),
    },
  ];
}

/** Nobody can make it useless: it has the whole of its life. */
function leftAlone(each: Former): Former {
  const { expirationTimestamp: end } = each;
  return end === undefined ? each : { ...each, until: formatTime(Date.parse(end) + afterExpiryMs) };
}

/** Those whose time was up are made useless, as far as they are in the cluster that was reached. */
export function retired(seen: Seen, reached: Reached): Status {
  const { retiring = [], ...status } = seen.request.status ?? {};
  const left = retiring
    .map((each) => (isLeft(each, reached) ? leftAlone(each) : each))
    .filter(({ until }) => Date.parse(until) > seen.now);
  return said({ ...status, ...(left.length > 0 && { retiring: left }) }, seen, [
    { type: types.targetReachable, status: "True", reason: reasons.reached, message: texts.reached },
  ]);
}
