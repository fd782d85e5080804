/**
 * What to do next for one KubeconfigRequest: one step, from what is seen. Pure; reconcile.ts does it and looks again.
 *
 *     hold → begin → issue ─┬─► wait until it is due ─► issue (make before break) ─► retire the one before
 *                           ├─► the same when asked ─► endRotation, so that it can be asked for again ─► write ─► retire
 *                           ├─► grant (the rules have changed; the token stays)
 *                           └─► revoke ─► begin (lifted), or letGo (deleted)
 */
import { jsonEqual, makeKey } from "@berg/apimachinery";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { finalizers } from "../vocabulary.ts";
import { malformed } from "./rules/problems.ts";
import { againDue, isAhead, rotationDue, spread } from "./schedule.ts";
import {
  allExpiredAt,
  clusterOf,
  isProvisioned,
  isPublished,
  isRevoked,
  isRotationAnswered,
  isRotationAsked,
  isRotationEndUntold,
  issuedFor,
  isTakenAway,
  isUntouched,
  lifeOf,
  refusedRulesOf,
  type Seen,
} from "./seen.ts";
import * as statuses from "./status/status.ts";
import { reasons, texts } from "./vocabulary.ts";

/** Why a kubeconfig is made. */
export type Cause = "first" | "asked" | "due" | "changed" | "shortened";

export type Step =
  /** Our finalizer on it. */
  | { readonly do: "hold" }
  /** Asks the servers whether what no copy shows is really gone. */
  | { readonly do: "confirm" }
  | { readonly do: "write"; readonly status: KubeconfigRequestStatus }
  /** The Secret away, and then the status. */
  | { readonly do: "withdraw"; readonly status: KubeconfigRequestStatus }
  | { readonly do: "issue"; readonly cause: Cause }
  /** Roles and bindings as the spec has them by now. */
  | { readonly do: "grant" }
  /** Anchors of those that were replaced. */
  | { readonly do: "retire" }
  /** The annotation away: it was answered. */
  | { readonly do: "endRotation" }
  | { readonly do: "revoke" }
  /** Our finalizer away. */
  | { readonly do: "letGo" }
  /** Until something changes, or until then. */
  | { readonly do: "wait"; readonly until?: number };

const unseenMs = 60_000;

export function decide(seen: Seen): Step {
  const { metadata } = seen.request;
  const isHeld = metadata.finalizers?.includes(finalizers.kubeconfig) ?? false;
  if (metadata.deletionTimestamp) return isHeld ? deleting(seen) : { do: "wait" };
  if (!isHeld) return { do: "hold" };
  if (isRevoked(seen)) return revoking(seen);
  return wantsAccess(seen);
}

function deleting(seen: Seen): Step {
  if (isUntouched(seen.request) || seen.gone) return { do: "letGo" };
  return seen.doubt ? { do: "confirm" } : { do: "revoke" };
}

function revoking(seen: Seen): Step {
  const { request, gone } = seen;
  // The condition comes first, since the revocation may take time: it tells the owner why access ends.
  const refused = statuses.rulesRefused(seen);
  if (refused && !jsonEqual(request.status ?? {}, refused)) return { do: "write", status: refused };
  if (isUntouched(request)) return say(seen, statuses.revoked(seen));
  if (gone) return say(seen, statuses.revokedWithCluster(seen), allExpiredAt(request.status ?? {}));
  return seen.doubt ? { do: "confirm" } : { do: "revoke" };
}

function wantsAccess(seen: Seen): Step {
  const { request, cluster, gone } = seen;
  // Before all that may take its time: whoever asks again meanwhile asks for another one. Nothing waits for it, above all
  // not the end of the one before, which somebody may have seen.
  if (isRotationAnswered(request) && !seen.isAnswerStuck) return { do: "endRotation" };
  if (isRotationEndUntold(request)) return { do: "write", status: statuses.rotationEnded(seen) };
  const { namespace, name } = clusterOf(request);
  const called = namespace === request.metadata.namespace ? name : makeKey(namespace, name);
  if (seen.doubt && !statuses.saysMissing(request)) return { do: "confirm" };
  if (!cluster) {
    const status = statuses.withoutCluster(seen, reasons.clusterNotFound, texts.clusterNotFound(called));
    return say(seen, status, allExpiredAt(request.status ?? {}));
  }
  if (gone || seen.doubt) {
    const status = statuses.withoutCluster(seen, reasons.shootMissing, texts.shootMissing(called));
    return say(seen, status, allExpiredAt(request.status ?? {}));
  }
  const retiring = (request.status?.retiring ?? []).map(({ until }) => Date.parse(until));
  if (retiring.some((until) => until <= seen.now)) return { do: "retire" };
  const refused = refusalOf(seen);
  if (refused) return say(seen, refused, ...retiring, lifeOf(request.status ?? {})?.expiresAt);
  if (isUntouched(request)) {
    const waits = statuses.waiting(seen, reasons.clusterNotReady, texts.clusterNotReady(called));
    return isProvisioned(cluster) ? { do: "write", status: statuses.begun(seen) } : say(seen, waits);
  }
  // Before the next is published: of one that is taken away, nobody looks for what the status does not tell of.
  if (isTakenAway(request.status ?? {})) return { do: "write", status: statuses.resumed(seen) };
  return keepsAccess(seen, retiring);
}

function refusalOf(seen: Seen): KubeconfigRequestStatus | undefined {
  const { spec } = seen.request;
  const problems = malformed(spec);
  if (problems.length > 0) return statuses.refused(seen, reasons.invalidRules, texts.invalidRules(problems));
  const escalations = refusedRulesOf(seen);
  return escalations.length > 0
    ? statuses.refused(seen, reasons.escalatingRules, texts.escalatingRules(escalations))
    : undefined;
}

/** `retiring`: when those that were replaced come to their end. */
function keepsAccess(seen: Seen, retiring: readonly number[]): Step {
  const { request, now } = seen;
  const { status = {}, metadata } = request;
  const next = nextIssue(seen);
  if (next.at <= now) return { do: "issue", cause: next.cause };
  if (status.observedGeneration !== metadata.generation || statuses.lacksRights(request)) return { do: "grant" };
  // Nobody tells when Secrets can be seen no longer, or again: this look asks nobody.
  const lookAt = seen.secrets === "clear" ? undefined : now + unseenMs;
  return say(seen, statuses.settled(seen), next.at, ...retiring, lookAt);
}

/** When a kubeconfig is needed next, and why. */
function nextIssue(seen: Seen): { at: number; cause: Cause } {
  const { request, now, startedAt } = seen;
  const { status = {}, spec, metadata } = request;
  const life = lifeOf(status);
  if (!life || status.epoch === undefined || !isPublished(status)) return { at: now, cause: "first" };
  if (isRotationAsked(seen)) return { at: now, cause: "asked" };
  const who = `${metadata.uid} ${status.epoch}`;
  const isNew = status.observedGeneration !== metadata.generation;
  if (isNew && life.expiresAt - life.issuedAt > spec.expiration * 1000) return { at: now, cause: "shortened" };
  if (isAhead(life, now)) return { at: now, cause: "due" };
  const wanted = issuedFor(seen);
  const isOther = wanted !== undefined && wanted !== status.issuedFor;
  const due = spread(rotationDue(life, who), life, who, startedAt);
  const again = isOther || seen.copyLost ? againDue(life, status.retiring?.length ?? 0) : due;
  // Where it is new, its owner has just changed it, and waits.
  const at = isOther && !isNew ? spread(Math.max(now, again), life, who, startedAt) : again;
  return at < due ? { at, cause: "changed" } : { at: due, cause: "due" };
}

/** A Secret comes before the status that tells of it. Where nobody goes to the target any more, nobody else looks. */
function mayBeUntold({ request, gone, doubt }: Seen): boolean {
  return (gone !== undefined || doubt) && !isUntouched(request);
}

/** Nothing where it says so already; then it is looked at again at the first of `times` that is to come. */
function say(seen: Seen, status: KubeconfigRequestStatus, ...times: (number | undefined)[]): Step {
  const { request, now } = seen;
  if (request.status?.secretRef && !status.secretRef) return { do: "withdraw", status };
  if (!jsonEqual(request.status ?? {}, status)) return { do: mayBeUntold(seen) ? "withdraw" : "write", status };
  const until = Math.min(...times.map((time = 0) => time).filter((time) => time > now));
  return { do: "wait", ...(Number.isFinite(until) && { until }) };
}
