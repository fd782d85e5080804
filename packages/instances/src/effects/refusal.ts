/** What it means that the API server did not take a child, and what the status says about it. */
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
import { errorText, findCondition, NotOurs } from "@berg/kube";
import { conditionOf } from "../phases/created.ts";
import type { StatusDraft } from "../phases/draft.ts";
import { conditionTypes, type Reason, reasons } from "../vocabulary.ts";
import type { ChildFailure } from "./perform.ts";

export interface Refusal {
  reason: Reason;
  /** Trying again will not help: the Challenge or a setting has to change. */
  isFinal: boolean;
  /** In our words. */
  why?: string;
  /** In the server's, or those of whoever the server asks: they may quote what was sent. */
  words?: string;
}

/** Undefined where it says nothing about the child: a conflict, a lost connection, a namespace that is just going. */
export function refusalOf({ child, cause }: ChildFailure): Refusal | undefined {
  if (cause instanceof NotOurs) return { reason: reasons.nameConflict, isFinal: false, why: cause.message };
  if (!(cause instanceof StatusError) || isAboutOthers(cause)) return undefined;
  const passes = (reason: Reason, why: string) => ({ reason, isFinal: false, why });
  if (isNotFound(cause)) {
    const { kind } = child.type;
    return passes(reasons.kindMissing, `the cluster does not serve ${kind} any more; install its definition again`);
  }
  if (isTooManyRequests(cause)) return passes(reasons.tooManyRequests, "the API server is busy; it is tried again");
  if (cause.code >= 500) return passes(reasons.serverError, "the API server has trouble; it is tried again");
  if (isInvalid(cause)) return { reason: reasons.manifestRefused, isFinal: true, ...whyInvalid(cause) };
  return { reason: reasonOf(cause), isFinal: false, words: withoutOurName(cause.message) };
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

/**
 * An instance that has been running keeps running, and no phase is gone back to: only what could not be made is said.
 * Once said, it stays said: words that are others at each try, such as the number of a request, would be written, seen
 * and tried again without end.
 */
export function sayRefused(draft: StatusDraft, { child }: ChildFailure, refusal: Refusal): void {
  const { reason, isFinal, why = draft.quoted(refusal.words ?? "") } = refusal;
  const type = conditionOf(child.type.kind);
  const subject = `The ${child.type.kind} ${child.manifest.metadata.name} cannot be made: `;
  const said = findCondition(draft.status.conditions, type);
  const isSaid = said?.status === "False" && said.reason === reason && said.message?.startsWith(subject);
  const message = (isSaid && said.message) || `${subject}${why}`;
  draft.condition(type, "False", reason, message);
  if (draft.status.readyAt !== undefined) return;
  draft.enterBecause(isFinal ? "Failed" : draft.makingPhase, reason, message);
  // What was made so far goes away again, by our own doing.
  if (isFinal) draft.condition(conditionTypes.namespaceCreated, "False", reason, message);
}

/** For the log, without a word of the server's. Conditions carry those, where the flag is known and taken out. */
export function inOurWords({ message, cause }: ChildFailure, { reason }: Refusal): Error {
  return new Error(`${message}: ${reason}`, { cause });
}
