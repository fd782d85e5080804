/** While there is a kubeconfig. */
import { formatTime } from "@berg/apimachinery";
import { findCondition, removeCondition, type WantedCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Cause } from "../decide.ts";
import { isElsewhere, type Reached } from "../elsewhere.ts";
import { secretNameOf, serviceAccountOf } from "../names.ts";
import type { Life } from "../schedule.ts";
import { isRotating, issuedFor, type Seen } from "../seen.ts";
import { reasons, secretKey, texts, conditionTypes as types } from "../vocabulary.ts";
import { said } from "./conditions.ts";
import { type Grant, granted } from "./granted.ts";
import { retiringAfter } from "./retiring.ts";

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

/** Of the condition Issued: what stands in the way of the Secret. */
const ofTheCopy: readonly string[] = [reasons.secretNameTaken, reasons.secretRefused, reasons.secretsForbidden];

/** There is one, and it is good. Whether its copy is as it was put there, only those can tell who may look. */
export function settled(seen: Seen): Status {
  const { request, secrets, copyLost } = seen;
  const status = phased(request.status ?? {});
  // With the kubeconfig in the status, what is in the Secret is one from before.
  if (status.kubeconfig !== undefined) delete status.secretRef;
  const { reason = "" } = findCondition(status.conditions, types.issued) ?? {};
  if (secrets === "forbidden" && reason !== reasons.secretsForbidden) {
    const message = texts.secretsForbidden(request.metadata.namespace ?? "");
    return said(status, seen, [{ ...isThere, reason: reasons.secretsForbidden, message }]);
  }
  const isAsPublished = secrets === "clear" && !copyLost;
  return isAsPublished && ofTheCopy.includes(reason) ? said(status, seen, [isThere]) : status;
}

function phased(status: Status): Status {
  return { ...status, phase: isRotating(status) ? "Rotating" : "Issued" };
}

/** The annotation that asked for it is off: one that is there from now on asks for another. */
export function rotationEnded({ request: { status = {} } }: Seen): Status {
  const { lastRotationRequest: ended } = status;
  return { ...status, ...(ended !== undefined && { lastRotationEnded: ended }) };
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
  const { kubeconfig: _, secretRef: former, issuedFor: __, retiring: ___, ...rest } = granted(seen, grant);
  const retiring = retiringAfter(seen, cause, issue, reached);
  // One that is taken over may lead to where the cluster was before: then another one is needed.
  const target = isElsewhere(reached, issue) ? undefined : issuedFor(seen);
  const status = phased({
    ...rest,
    conditions: removeCondition(rest.conditions, types.revoked),
    ...(text === undefined
      ? { secretRef: { name: secretNameOf(request), key: secretKey } }
      : // Until the Secret from before is gone, it is known that it is there.
        { kubeconfig: Buffer.from(text).toString("base64"), ...(former && { secretRef: former }) }),
    expirationTimestamp: formatTime(issue.life.expiresAt),
    issuedAt: formatTime(issue.life.issuedAt),
    epoch: issue.epoch,
    serviceAccount: serviceAccountOf(request),
    serviceAccountUid: issue.serviceAccountUid,
    credentialHash: issue.credentialHash,
    server: issue.server,
    certificateAuthorityHash: issue.certificateAuthorityHash,
    ...(issue.answersRotation && { lastRotationRequest: String(issue.epoch) }),
    ...(target !== undefined && { issuedFor: target }),
    ...(retiring.length > 0 && { retiring }),
  });
  return said(status, seen, [isThere]);
}
