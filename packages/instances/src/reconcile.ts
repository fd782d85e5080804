/**
 * One look at one instance: gather → decide → do, again and again until nothing is left to do; then its status is
 * written, if it changed. A settled instance costs no request.
 */
import { isConflict, isOtherUid, jsonEqual, type ObjectKey, type Stored } from "@berg/apimachinery";
import { ControllerRevisions, type EventRecorder, Namespaces, NotOurs, type Result } from "@berg/kube";
import {
  type ChallengeInstance,
  type ChallengeInstanceStatus,
  ChallengeInstances,
  fieldManagers,
} from "@berg/resources";
import { podSecurityLabel } from "./builders/namespace.ts";
import { EffectFailure, performAll } from "./effects/perform.ts";
import { inOurWords, refusalOf, sayRefused } from "./effects/refusal.ts";
import { eventsOf, tell } from "./events.ts";
import type { InstanceMetrics } from "./metrics.ts";
import { ask, gather, type Surroundings } from "./observe/gather.ts";
import type { Snapshot } from "./observe/snapshot.ts";
import { endingPriority } from "./observe/watches.ts";
import { decide } from "./phases/decide.ts";
import type { Decision, Effect } from "./phases/decision.ts";
import { StatusDraft } from "./phases/draft.ts";
import { eventReasons } from "./vocabulary.ts";

export interface Reconciler extends Surroundings {
  recorder: EventRecorder;
  metrics: InstanceMetrics;
}

/** The longest way, from nothing to all pods, takes six. */
const mostRounds = 20;

/** One write of another instance of the same owner has to be waited for. */
const startAgainMs = 100;

export async function reconcile(key: ObjectKey, around: Reconciler, signal: AbortSignal): Promise<Result | undefined> {
  let isBeginning = false;
  for (let round = 0; round < mostRounds; round++) {
    around.turns.leave(key);
    const asked = await ask(key, around, isBeginning, signal);
    const seen = gather(key, asked, around);
    if (!seen) return void around.stopping.note(key, undefined);
    const decision = decide(seen, around.settings);
    around.stopping.note(key, decision.stoppingSince);
    const starts = isStarting(seen, decision);
    if (starts && !around.places.take(seen.instance)) return { requeueAfterMs: startAgainMs };
    if (decision.inLineSince !== undefined) around.turns.wait(seen.instance, decision.inLineSince);
    if (decision.effects.length > 0) {
      await attempt(decision, seen, around, signal);
      isBeginning &&= isRecording(decision);
      continue;
    }
    try {
      await writeStatus(seen.instance, decision.status, around, signal);
    } catch (error) {
      // Of a conflict anything may be the cause, a renewal too.
      if (!isConflict(error) && !isOtherUid(error) && decision.regardless)
        await attempt({ ...decision, effects: decision.regardless }, seen, around, signal);
      throw error;
    }
    if (!decision.statusFirst) return resultOf(decision, seen);
    isBeginning = starts;
  }
  throw new Error(`it did not come to rest in ${mostRounds} rounds`);
}

function isStarting({ instance }: Snapshot, { status }: Decision): boolean {
  return status.phase === "Creating" && instance.status?.phase !== "Creating";
}

/** What is recorded beside the instance comes before its namespace. */
function isRecording({ effects }: Decision): boolean {
  return effects.every((effect) => effect.do === "make" && effect.child.type === ControllerRevisions);
}

function resultOf({ dueAt }: Decision, { now }: Snapshot): Result | undefined {
  if (dueAt === undefined) return undefined;
  return { requeueAfterMs: Math.max(0, dueAt - now), priority: endingPriority };
}

async function attempt(decision: Decision, seen: Snapshot, around: Reconciler, signal: AbortSignal): Promise<void> {
  const { instance } = seen;
  const isLast = decision.effects.some((effect) => effect.do === "delete" && effect.type === Namespaces);
  if (isLast) around.turns.take(instance);
  try {
    await performAll(decision.effects, instance, around, signal);
    tellMade(decision.effects, instance, around);
  } catch (error) {
    const cause = error instanceof EffectFailure ? error.cause : error;
    // Somebody else was first: everything is looked at anew, soon.
    if (isConflict(cause) || isOtherUid(cause)) throw cause;
    // The name was not free: the next round asks who has it, and says so.
    if (cause instanceof NotOurs && cause.type === Namespaces) return;
    const refused = error instanceof EffectFailure ? refusedBy(error, decision, seen) : undefined;
    if (refused) tell(around.recorder, instance, refused.told);
    const status = refused?.status ?? decision.status;
    // All else that was found, such as the answer to a renewal, is not lost: it may be long until this can be done.
    const isWritten = await writeStatus(instance, status, around, signal).then(
      () => true,
      () => false,
    );
    // What is refused for good is taken back in the next round; all else is tried again later.
    if (isWritten && refused?.isFinal && status.readyAt === undefined) return;
    throw refused?.error ?? cause;
  } finally {
    if (isLast) around.turns.release(instance);
  }
}

/** What the status says where the server has refused something, and the log. Nothing is added to a last word. */
function refusedBy(failure: EffectFailure, { status }: Decision, seen: Snapshot) {
  const refusal = refusalOf(failure);
  if (!refusal) return undefined;
  const draft = new StatusDraft({ ...seen, instance: { ...seen.instance, status } });
  sayRefused(draft, failure, refusal);
  const { isFinal } = refusal;
  const error = inOurWords(failure, refusal);
  if (status.phase === "Terminated") return { status, told: eventsOf(status, draft.status), isFinal, error };
  return { status: draft.status, told: [], isFinal, error };
}

function tellMade(effects: Effect[], instance: Stored<ChallengeInstance>, { recorder }: Reconciler): void {
  for (const effect of effects) {
    if (effect.do !== "make") continue;
    const { type, manifest } = effect.child;
    const { name, labels } = manifest.metadata;
    // In an instance that has been running, whatever has to be made was taken away or changed by somebody.
    if (instance.status?.readyAt !== undefined) {
      // Ours to change: a renewed pull secret, or another version of Berg that builds it in another way.
      if (effect.found && !effect.wasEdited) continue;
      const what = effect.found ? "was changed by somebody else" : "was missing";
      recorder.event(instance, "Warning", eventReasons.repaired, `The ${type.kind} ${name} ${what} and was put back`);
    } else if (labels?.[podSecurityLabel] === "privileged" && !effect.found) {
      const message = `The namespace ${name} admits privileged pods: the Challenge adds capabilities that need it`;
      recorder.event(instance, "Warning", eventReasons.privileged, message);
    }
  }
}

/** With the version that was seen: what anybody else has written since is not lost, and is looked at first. */
async function writeStatus(
  instance: Stored<ChallengeInstance>,
  status: ChallengeInstanceStatus,
  { client, caches, places, recorder, metrics, clock }: Reconciler,
  signal: AbortSignal,
): Promise<void> {
  const before = instance.status;
  if (jsonEqual(before ?? {}, status)) return;
  try {
    const options = { subresource: "status", fieldManager: fieldManagers.controller, signal };
    caches.instances.view.wrote(await client.update(ChallengeInstances, { ...instance, status }, options));
  } finally {
    // Written down now, or not taken after all.
    places.release(instance);
  }
  tell(recorder, instance, eventsOf(before, status));
  metrics.statusChanged(before, status, clock.now());
}
