/**
 * A Cluster that goes, in this order: kubeconfigs revoked → the Shoot, confirmed and deleted → the ConfigMap → the account
 * given back → our finalizer. It may begin anywhere: whatever of it was never made is passed over.
 *
 * Where the cluster lives on (retained, or brought along), nobody could revoke anything once its Cluster is gone.
 */
import type { Stored } from "@berg/apimachinery";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations, gardener } from "../../vocabulary.ts";
import type { Draft } from "../draft.ts";
import { type Finding, judge } from "../judge/judge.ts";
import type { Seen } from "../seen.ts";
import { belongingOf, isSuspended } from "../shoot/marks.ts";
import type { Decision, Step } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { isRequestOf } from "./account.ts";
import { isUnderWay } from "./administrators.ts";
import { sayCodes, sayOperation } from "./operation.ts";

/** For so long kubeconfigs may take: where the cluster goes, they go with it; where it lives on, they do, too. */
const revocationMinutes = { ofOneThatGoes: 5, ofOneThatStays: 60 } as const;

export function decideDeleting(seen: Seen, draft: Draft): Decision {
  const { cluster, away, shoot } = seen;
  draft.in("Deleting");
  if (cluster.spec.byoc) return leaveBrought(seen, draft);
  if (away) return wait(draft, { status: "Unknown", reason: away.reason, message: away.message });
  if (shoot && belongingOf(shoot, cluster) === "ours") return deleteShoot(seen, shoot, draft);
  return cleanUp(seen, draft);
}

function deleteShoot(seen: Seen, shoot: Stored<Shoot>, draft: Draft): Decision {
  const { cluster } = seen;
  const { deletionTimestamp } = shoot.metadata;
  if (isSuspended(cluster)) return wait(draft, no(reasons.suspended, texts.suspended(annotations.suspend)));
  if (deletionTimestamp) return watchDeletion(seen, shoot, draft);
  const isRetained = cluster.spec.deletionPolicy === "Retain";
  const revocation = isRetained
    ? closeAccess(seen, draft)
    : awaitRevocation(seen, draft, revocationMinutes.ofOneThatGoes);
  if (revocation) return revocation;
  if (isRetained) return go(draft, { do: "leaveShoot", shoot });
  draft.say(conditionTypes.deprovisioned, no(reasons.deleting, texts.confirming));
  const isConfirmed = shoot.metadata.annotations?.[gardener.confirmDeletion] === "true";
  return { step: { do: isConfirmed ? "deleteShoot" : "confirmDeletion", shoot }, status: draft.status };
}

/** Undefined when there is nothing to wait for any more. */
function awaitRevocation({ cluster, now, hasOpenAccess }: Seen, draft: Draft, minutes: number): Decision | undefined {
  const patientUntil = Date.parse(cluster.metadata.deletionTimestamp ?? "") + minutes * 60_000;
  if (!hasOpenAccess || now >= patientUntil) return undefined;
  const isAsked = cluster.metadata.annotations?.[annotations.revokeAll] === "true";
  if (!isAsked) return go(draft, { do: "revokeAccess" });
  return wait(draft, no(reasons.revokingAccess, texts.revokingAccess(minutes)), patientUntil);
}

/** The same where the cluster lives on: whatever could not be revoked is told of. */
function closeAccess(seen: Seen, draft: Draft): Decision | undefined {
  const waits = awaitRevocation(seen, draft, revocationMinutes.ofOneThatStays);
  if (waits) return waits;
  return seen.hasOpenAccess && !seen.facts.accessIsLeft ? go(draft, { do: "leaveAccess" }) : undefined;
}

function watchDeletion(seen: Seen, shoot: Stored<Shoot>, draft: Draft): Decision {
  const { cluster, now } = seen;
  const { lastOperation } = shoot.status ?? {};
  if (lastOperation?.type !== "Delete") return wait(draft, no(reasons.deleting, texts.deleting));
  sayOperation(shoot, cluster, draft);
  const judgement = judge(shoot, cluster, now);
  sayCodes(judgement, draft);
  if (judgement.health.status !== "False") return wait(draft, no(reasons.deleting, texts.deleting));
  const { reason, message } = judgement.health;
  draft.say(
    conditionTypes.deprovisioned,
    no(reason === reasons.operationFailed ? reasons.deletionFailed : reason, message),
  );
  const { retryAt } = judgement;
  const isAsked = shoot.metadata.annotations?.[gardener.operation] !== undefined;
  if (retryAt !== undefined && retryAt <= now && !isAsked)
    return { step: { do: "retryShoot", shoot }, status: draft.status };
  return { status: draft.status, lookAt: isAsked || (retryAt ?? 0) <= now ? undefined : retryAt };
}

/** No Shoot of ours is there, as far as the copy knows. */
function cleanUp(seen: Seen, draft: Draft): Decision {
  const { cluster, facts, shoot, subscription } = seen;
  const isRetained = cluster.spec.deletionPolicy === "Retain";
  const isUnmarked = shoot !== undefined && belongingOf(shoot, cluster) === "unmarked";
  if (!shoot && !facts.shootIsGone) return go(draft, { do: "findShoot" });
  // The Shoot that stays may need it.
  if (!isRetained && !isUnmarked && !facts.authenticationIsGone) return go(draft, { do: "removeAuthentication" });
  if (subscription && isRequestOf(subscription, cluster)) {
    const status = draft.say(conditionTypes.deprovisioned, no(reasons.releasing, texts.releasing)).status;
    if (subscription.metadata.deletionTimestamp) return { status };
    return { step: { do: "releaseSubscription", subscription }, status };
  }
  if (isRetained) return finish(seen, draft, yes(reasons.retained, texts.retained));
  if (isUnmarked) return finish(seen, draft, yes(reasons.shootLeft, texts.shootLeft(seen.shootName)));
  return finish(seen, draft, yes(reasons.deleted, texts.deleted));
}

function leaveBrought(seen: Seen, draft: Draft): Decision {
  const { cluster, facts } = seen;
  const { spec, status } = cluster;
  const revocation = closeAccess(seen, draft);
  if (revocation) return revocation;
  const isBound = (facts.administrators ?? status?.administrators ?? []).length > 0;
  // Also where the status does not know of any: it may not have been written any more.
  const isAsked = spec.administrators.length > 0 || isUnderWay(status);
  const mayBeBound = isBound || (isAsked && !facts.administrators);
  if (mayBeBound) return go(draft, { do: "setAdministrators", administrators: [] });
  return finish(seen, draft, yes(reasons.retained, texts.externallyProvided));
}

/** The last word is stored before our finalizer goes. */
function finish({ cluster }: Seen, draft: Draft, finding: Finding): Decision {
  const isSaid = cluster.status?.conditions?.some(
    ({ type, status }) => type === conditionTypes.deprovisioned && status === "True",
  );
  const { status } = draft.say(conditionTypes.deprovisioned, finding);
  return isSaid ? { step: { do: "letGo" }, status } : { status, goesOn: true };
}

function go(draft: Draft, step: Step): Decision {
  return { step, status: draft.status };
}

function wait(draft: Draft, finding: Finding, lookAt?: number): Decision {
  return { status: draft.say(conditionTypes.deprovisioned, finding).status, lookAt };
}

function no(reason: string, message: string): Finding {
  return { status: "False", reason, message };
}

function yes(reason: string, message: string): Finding {
  return { status: "True", reason, message };
}
