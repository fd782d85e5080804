/**
 * Observes one instance and decides what to do about it. Where our own code throws on the way, the instance still gets
 * its identity and its expiry, fails with a reason, and can end: it must not block its owner for ever.
 */
import type { ObjectKey, Stored } from "@berg/apimachinery";
import { errorText, InternalError, isInternalError } from "@berg/kube";
import { type ChallengeInstance, newInstanceId } from "@berg/resources";
import { challengeKey } from "./observe/caches.ts";
import { type Asked, ask, gather, type Surroundings } from "./observe/gather.ts";
import type { Snapshot } from "./observe/snapshot.ts";
import { decideAfterError, type Essentials } from "./phases/after-error.ts";
import { decide } from "./phases/decide.ts";
import type { Decision } from "./phases/decision.ts";
import { withoutFlags } from "./phases/without-flag.ts";

export interface Round {
  snapshot: Pick<Snapshot, "instance" | "now">;
  decision: Decision;
  /** Thrown by our own code, in words without a flag. It is to be logged once the decision is carried out. */
  error?: InternalError;
}

/** What was asked for; or what our own code threw meanwhile. */
export type Answer = { asked: Asked } | { thrown: unknown };

export async function askSafely(...parameters: Parameters<typeof ask>): Promise<Answer> {
  try {
    return { asked: await ask(...parameters) };
  } catch (error) {
    // A request that failed is tried again.
    if (!isInternalError(error)) throw error;
    return { thrown: error };
  }
}

/** Undefined where the instance is gone. Not async: see `gather`. */
export function observeAndDecide(key: ObjectKey, answer: Answer, deps: Surroundings): Round | undefined {
  let snapshot: Snapshot | undefined;
  try {
    if ("thrown" in answer) throw answer.thrown;
    snapshot = gather(key, answer.asked, deps);
    return snapshot && { snapshot, decision: decide(snapshot, deps.settings) };
  } catch (error) {
    // Neither makes requests: whatever they throw is a mistake of ours.
    return afterError(key, snapshot, error, deps);
  }
}

/** Throws where nothing can be decided either. */
function afterError(key: ObjectKey, snapshot: Snapshot | undefined, thrown: unknown, deps: Surroundings): Round {
  const instance = deps.caches.instances.view.get(key);
  const error = new InternalError(safeText(thrown, instance, deps), thrown);
  if (!instance) throw error;
  const now = deps.clock.now();
  const known: Essentials = snapshot ?? {
    instance,
    now,
    challenge: undefined,
    freshId: newInstanceId(now, deps.random),
  };
  const decision = decideAfterError(known, snapshot, deps.settings);
  if (!decision) throw error;
  return { snapshot: known, decision, error };
}

function safeText(
  thrown: unknown,
  instance: Stored<ChallengeInstance> | undefined,
  { caches, settings }: Surroundings,
): string {
  const challenge = instance && caches.challenges.view.get(challengeKey(instance, settings));
  return withoutFlags(errorText(thrown), [instance?.spec.flag, challenge?.spec?.flag]);
}
