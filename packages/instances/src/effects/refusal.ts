/** What it means that the API server did not do what it was asked for, and what the status says about it. */
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isOtherUid,
  isTooManyRequests,
  StatusError,
} from "@berg/apimachinery";
import { errorText, findCondition, isConditionTrue, NotOurs } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { conditionOf } from "../phases/created.ts";
import type { Effect } from "../phases/decision.ts";
import type { StatusDraft } from "../phases/draft.ts";
import { type ConditionType, conditionTypes, type Reason, reasons } from "../vocabulary.ts";
import type { EffectFailure } from "./perform.ts";

export interface Refusal {
  reason: Reason;
  /** Trying again will not help: the Challenge or a setting has to change. */
  isFinal: boolean;
  /** In our words. */
  why?: string;
  /** In the server's, or those of whoever the server asks: they may quote what was sent. */
  words?: string;
}

/** Undefined where it says nothing about the object: a conflict, a lost connection, a namespace that is just going. */
export function refusalOf({ effect, cause }: EffectFailure): Refusal | undefined {
  if (cause instanceof NotOurs) return { reason: reasons.nameConflict, isFinal: false, why: cause.message };
  if (!(cause instanceof StatusError) || isAboutOthers(cause)) return undefined;
  const passes = (reason: Reason, why: string) => ({ reason, isFinal: false, why });
  if (isNotFound(cause)) {
    const text = `the cluster does not serve ${kindOf(effect)} any more; install its definition again`;
    return passes(reasons.kindMissing, text);
  }
  if (isTooManyRequests(cause)) return passes(reasons.tooManyRequests, "the API server is busy; it is tried again");
  if (cause.code >= 500) return passes(reasons.serverError, "the API server has trouble; it is tried again");
  if (isInvalid(cause) && effect.do === "make")
    return { reason: reasons.manifestRefused, isFinal: true, ...whyInvalid(cause) };
  if (isInvalid(cause)) return { reason: reasons.refused, isFinal: false, ...whyInvalid(cause) };
  return { reason: reasonOf(cause), isFinal: false, words: withoutOurName(cause.message) };
}

function kindOf(effect: Effect): string {
  if (effect.do === "make") return effect.child.type.kind;
  return effect.do === "delete" ? effect.type.kind : ChallengeInstances.kind;
}

function isAboutOthers(cause: StatusError): boolean {
  // Of the namespace, or of the child itself: it was there a moment ago.
  const isOneObject = isNotFound(cause) && / "[^"]*" not found$/.test(cause.message);
  return (
    isOneObject || isConflict(cause) || isAlreadyExists(cause) || isOtherUid(cause) || isNamespaceTerminating(cause)
  );
}

function reasonOf(cause: StatusError): Reason {
  if (!isForbidden(cause)) return reasons.refused;
  return /exceeded quota/.test(cause.message) ? reasons.quotaExceeded : reasons.forbidden;
}

/** Words about a field quote what stands in it, which may be a flag; an admission policy's are its author's own. */
function whyInvalid(cause: StatusError): Pick<Refusal, "why" | "words"> {
  const isAboutFields = cause.status.details?.causes?.some(({ field }) => field) ?? false;
  const quotes = isAboutFields || /Invalid value/.test(cause.message);
  return quotes ? { why: errorText(cause) } : { words: cause.message };
}

/** The name of our account tells players how the cluster is set up, and nothing else. */
function withoutOurName(words: string): string {
  return words.replace(/User "[^"]*"/g, "Berg");
}

export function sayRefused(draft: StatusDraft, failure: EffectFailure, refusal: Refusal): void {
  if (failure.effect.do === "make") sayNotMade(draft, failure, refusal);
  else if (draft.status.terminationReason !== undefined)
    say(draft, conditionTypes.namespaceDeleted, "False", failure, refusal);
  else if (failure.effect.do === "addFinalizer") sayNotHeld(draft, failure, refusal);
}

/** An instance that has been running keeps running, and no phase is gone back to: only what could not be made is said. */
function sayNotMade(draft: StatusDraft, failure: EffectFailure, refusal: Refusal): void {
  const { reason, isFinal } = refusal;
  const message = say(draft, conditionOf(kindOf(failure.effect)), "False", failure, refusal);
  if (draft.status.readyAt !== undefined) return;
  draft.enterBecause(isFinal ? "Failed" : draft.makingPhase, reason, message);
  // What was made so far goes away again, by our own doing.
  if (isFinal) draft.condition(conditionTypes.namespaceCreated, "False", reason, message);
}

/** Nothing is made, and nothing is repaired, for an instance that could be gone before that is known. */
function sayNotHeld(draft: StatusDraft, failure: EffectFailure, refusal: Refusal): void {
  const { readyAt, phase, conditions } = draft.status;
  if (readyAt !== undefined) return void say(draft, conditionTypes.healthy, "Unknown", failure, refusal);
  const isBegun = phase === "Creating" || isConditionTrue(conditions, conditionTypes.namespaceCreated);
  const type = isBegun ? conditionTypes.podsReady : conditionTypes.admitted;
  const message = say(draft, type, "False", failure, refusal);
  draft.enterBecause(isBegun ? draft.makingPhase : "Pending", refusal.reason, message);
}

/**
 * Once said, it stays said: words that are others at each try, such as the number of a request, would be written, seen
 * and tried again without end. Returns the words that stand there now.
 */
function say(
  draft: StatusDraft,
  type: ConditionType,
  status: "False" | "Unknown",
  { subject }: EffectFailure,
  { reason, words = "", why = draft.quoted(words) }: Refusal,
): string {
  const said = findCondition(draft.status.conditions, type);
  const isSaid = said?.status === status && said.reason === reason && said.message?.startsWith(`${subject}: `);
  const message = (isSaid && said.message) || `${subject}: ${why}`;
  draft.condition(type, status, reason, message);
  return message;
}

/** For the log, without a word of the server's. Conditions carry those, where the flag is known and taken out. */
export function inOurWords({ message, cause }: EffectFailure, { reason }: Refusal): Error {
  return new Error(`${message}: ${reason}`, { cause });
}
