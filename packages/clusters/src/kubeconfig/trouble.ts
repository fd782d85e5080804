/** Why something cannot be done in the target now, in words for a condition. Never a word of what was sent or read. */
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isOtherUid,
  isTooManyRequests,
  isUnauthorized,
  StatusError,
} from "@berg/apimachinery";
import { ConnectionError, errorText, NotOurs } from "@berg/kube";
import { TargetUnavailable } from "../target/target.ts";
import { reasons, texts, conditionTypes as types } from "./vocabulary.ts";

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

/** Of what went wrong at the target. Throws what is no word of its: a mistake of ours, a lost lease, the end of the turn. */
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
  if (!(error instanceof StatusError)) throw error;
  if (isUnauthorized(error))
    return new TargetTrouble({ ...reachable, reason: reasons.unauthorized, message: texts.unauthorized }, options);
  const isBusy = isTooManyRequests(error) || isConflict(error) || isOtherUid(error) || isAlreadyExists(error);
  if (isBusy || error.code >= 500)
    return new TargetTrouble({ ...reachable, reason: reasons.failing, message: texts.failing(error.code) }, options);
  const [reason, say] = isForbidden(error)
    ? ([reasons.forbidden, texts.forbidden] as const)
    : ([reasons.refused, texts.refused] as const);
  return new TargetTrouble({ ...rbac, reason, message: say(errorText(error)) }, options);
}
