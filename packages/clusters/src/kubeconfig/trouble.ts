/** Why something cannot be done in the target now, in words for a condition. Never a word of what was sent or read. */
import { isForbidden, isTooManyRequests, isUnauthorized, StatusError } from "@berg/apimachinery";
import { ConnectionError, LeadershipLost, NotOurs } from "@berg/kube";
import { TargetUnavailable } from "../target/target.ts";
import { reasons, refusals, texts, conditionTypes as types } from "./vocabulary.ts";

export interface Trouble {
  /** The condition that says so. */
  type: string;
  reason: string;
  message: string;
  /** Whether trying again later is of use, or only a change of what is watched. */
  again: boolean;
}

export const unreachable: Trouble = {
  type: types.targetReachable,
  reason: reasons.unreachable,
  message: texts.unreachable,
  again: true,
};

/** It answers, and not as an API server does. */
export const nonsense: Trouble = {
  type: types.targetReachable,
  reason: reasons.failing,
  message: texts.nonsense,
  again: true,
};

export class TargetTrouble extends Error implements Trouble {
  readonly type: string;
  readonly reason: string;
  readonly again: boolean;

  constructor({ type, reason, message, again }: Trouble, options?: ErrorOptions) {
    super(message, options);
    this.name = "TargetTrouble";
    this.type = type;
    this.reason = reason;
    this.again = again;
  }
}

/**
 * Of what went wrong at the target, whatever it was: one that answers with a web page must not keep us from saying so, nor
 * from taking a copy away. Throws only that we may not write any more.
 */
export function troubleOf(error: unknown): TargetTrouble {
  if (error instanceof TargetTrouble) return error;
  const options = { cause: error };
  const reachable = { type: types.targetReachable, again: true };
  const rbac = { type: types.rbacReady, again: true };
  if (error instanceof TargetUnavailable) {
    const { reason, message, again } = error;
    return new TargetTrouble({ type: types.targetReachable, reason, message, again }, options);
  }
  if (error instanceof ConnectionError) return new TargetTrouble(unreachable, options);
  if (error instanceof NotOurs)
    return new TargetTrouble({ ...rbac, reason: reasons.nameTaken, message: texts.nameTaken(error.message) }, options);
  if (error instanceof LeadershipLost) throw error;
  if (!(error instanceof StatusError)) return new TargetTrouble(nonsense, options);
  if (isUnauthorized(error))
    return new TargetTrouble({ ...reachable, reason: reasons.unauthorized, message: texts.unauthorized }, options);
  if (isTooManyRequests(error) || error.code >= 500)
    return new TargetTrouble({ ...reachable, reason: reasons.failing, message: texts.failing(error.code) }, options);
  const [reason, say] = isForbidden(error)
    ? ([reasons.forbidden, texts.forbidden] as const)
    : ([reasons.refused, texts.refused] as const);
  return new TargetTrouble({ ...rbac, reason, message: say(refusalOf(error)) }, options);
}

/** `422 Invalid`. A reason that nobody knows may be any text, such as what we have sent. */
export function refusalOf({ code, reason }: StatusError): string {
  return refusals.includes(reason) ? `${code} ${reason}` : String(code);
}
