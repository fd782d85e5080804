/** What a step that failed means: what the status says of it, and whether trying again is of use. */
import { isForbidden, StatusError } from "@berg/apimachinery";
import { ConnectionError, LeadershipLost, NotOurs } from "@berg/kube";
import type { Cluster, ClusterStatus } from "@berg/resources";
import { gardenTrouble } from "../../gardener/trouble.ts";
import { TargetUnavailable } from "../../target/target.ts";
import { BindingTaken } from "../administrators/set-bindings.ts";
import { conditionOf, Draft } from "../draft.ts";
import type { Finding } from "../judge/judge.ts";
import type { Seen } from "../seen.ts";
import type { Problem } from "../shoot/problem.ts";
import type { Step } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

export interface Trouble extends Problem {
  /** Soon, and then ever more rarely. */
  readonly again: boolean;
}

/** Steps that are done with our own objects: whoever calls knows what to do with their errors. */
const ownSteps: ReadonlySet<Step["do"]> = new Set([
  "hold",
  "requestSubscription",
  "revokeAccess",
  "leaveAccess",
  "releaseSubscription",
  "letGo",
]);

/** Undefined where there is nothing to say: a mistake of ours, a lost lease, our own API server. */
export function troubleOf(step: Step, error: unknown, { cluster, now }: Seen): Trouble | undefined {
  if (ownSteps.has(step.do)) return undefined;
  if (step.do === "setAdministrators") return targetTrouble(error);
  if (error instanceof NotOurs)
    return { reason: reasons.authenticationTaken, message: texts.authenticationTaken(error.objectName), again: false };
  if (!(error instanceof StatusError) && !(error instanceof ConnectionError)) return undefined;
  if (step.do === "deleteShoot" && isForbidden(error) && !isTooEarly(error))
    return { reason: reasons.awaitingApproval, message: texts.awaitingApproval, again: false };
  const said = conditionOf(cluster, conditionFor(step, cluster));
  const { reason } = gardenTrouble(error);
  const since = said?.reason === reason ? Date.parse(said.lastUpdateTime ?? "") : Number.NaN;
  return gardenTrouble(error, Number.isNaN(since) ? 0 : now - since);
}

/** What Gardener's admission says while it starts. */
function isTooEarly({ message }: Error): boolean {
  return message.includes("not yet ready to handle request");
}

function targetTrouble(error: unknown): Trouble | undefined {
  if (error instanceof TargetUnavailable) return { reason: error.reason, message: error.message, again: error.again };
  if (error instanceof BindingTaken)
    return { reason: reasons.bindingTaken, message: texts.bindingTaken(error.binding), again: false };
  // Not the target's doing. Anything else is: it may be anybody's, and answer with a page or with `{}`.
  if (error instanceof LeadershipLost) return undefined;
  return { reason: reasons.targetFailing, message: texts.targetFailing(answerOf(error)), again: true };
}

function answerOf(error: unknown): string {
  if (error instanceof ConnectionError) return "no answer";
  // Not its words: they may quote what was sent.
  return error instanceof StatusError ? String(error.code) : "its answer makes no sense";
}

/** For so long a cluster that was brought along may be away before its Cluster goes without it. */
const patienceMs = 3_600_000;

/** Whether a Cluster that goes leaves its bindings behind: where nothing but a change would help, or for too long. */
export function isTimeToGiveUp(step: Step, { again }: Trouble, { cluster, now }: Seen): boolean {
  const { deletionTimestamp } = cluster.metadata;
  if (step.do !== "setAdministrators" || deletionTimestamp === undefined) return false;
  return !again || now - Date.parse(deletionTimestamp) >= patienceMs;
}

/** The status that was decided, with the trouble in it. */
export function statusInTrouble(
  status: ClusterStatus,
  step: Step,
  { reason, message, again }: Trouble,
  seen: Seen,
): ClusterStatus {
  const type = conditionFor(step, seen.cluster);
  // Somebody else may still do it.
  const isOpen = reason === reasons.awaitingApproval;
  const finding: Finding = { status: isOpen ? "Unknown" : "False", reason, message };
  const draft = new Draft(seen, status).say(type, finding);
  if (type === conditionTypes.shootCreated) {
    draft.say(conditionTypes.clusterProvisioned, finding);
    if (!again) draft.in("Failed");
  }
  if (reason === reasons.authenticationTaken) draft.say(conditionTypes.oidcConfigured, finding);
  return draft.status;
}

function conditionFor(step: Step, { metadata, spec, status }: Cluster): string {
  if (metadata.deletionTimestamp) return conditionTypes.deprovisioned;
  if (step.do === "setAdministrators") return conditionTypes.administratorsConfigured;
  if (spec.byoc) return conditionTypes.reachable;
  return status?.shootRef ? conditionTypes.shootUpToDate : conditionTypes.shootCreated;
}
