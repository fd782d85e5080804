/** What it means that the API server did not take a child, and what the status says about it. */
import { isForbidden, isInvalid, isNamespaceTerminating, isTooManyRequests, StatusError } from "@berg/apimachinery";
import { errorText, NotOurs } from "@berg/kube";
import { conditionOf } from "../phases/creating.ts";
import type { StatusDraft } from "../phases/draft.ts";
import { conditionTypes, type Reason, reasons } from "../vocabulary.ts";
import type { ChildFailure } from "./perform.ts";

export interface Refusal {
  reason: Reason;
  /** Trying again will not help: the Challenge or a setting has to change. */
  isFinal: boolean;
  message: string;
}

/** Undefined where it says nothing about the child: a conflict, a lost connection, a namespace that is just going. */
export function refusalOf({ child, cause }: ChildFailure): Refusal | undefined {
  const { kind } = child.type;
  const text = (why: string) => `The ${kind} ${child.manifest.metadata.name} cannot be made: ${why}`;
  if (cause instanceof NotOurs) return { reason: reasons.nameConflict, isFinal: false, message: text(cause.message) };
  if (!(cause instanceof StatusError) || isNamespaceTerminating(cause)) return undefined;
  if (isInvalid(cause)) return { reason: reasons.manifestRefused, isFinal: true, message: text(whyInvalid(cause)) };
  if (isForbidden(cause)) {
    const reason = /exceeded quota/.test(cause.message) ? reasons.quotaExceeded : reasons.forbidden;
    return { reason, isFinal: false, message: text(errorText(cause)) };
  }
  if (isTooManyRequests(cause)) {
    return {
      reason: reasons.tooManyRequests,
      isFinal: false,
      message: text("the API server is busy; it is tried again"),
    };
  }
  if ((cause.status.code ?? 0) >= 500) {
    return {
      reason: reasons.serverError,
      isFinal: false,
      message: text("the API server has trouble; it is tried again"),
    };
  }
  return undefined;
}

/** Words about a field quote what stands in it, which may be a flag; an admission policy's are its author's own. */
function whyInvalid(cause: StatusError): string {
  const isAboutFields = cause.status.details?.causes?.some(({ field }) => field) ?? false;
  return isAboutFields || /Invalid value/.test(cause.message) ? errorText(cause) : cause.message;
}

/** An instance that has been running keeps running, and no phase is gone back to: only what could not be made is said. */
export function sayRefused(draft: StatusDraft, { child }: ChildFailure, { reason, isFinal, message }: Refusal): void {
  const type = conditionOf(child.type.kind);
  draft.condition(type, "False", reason, message);
  if (draft.status.readyAt !== undefined) return;
  const phase = draft.status.phase === "Starting" ? "Starting" : "Creating";
  draft.enterBecause(isFinal ? "Failed" : phase, reason, message);
  // What was made so far goes away again, by our own doing.
  if (isFinal) draft.condition(conditionTypes.namespaceCreated, "False", reason, message);
}
