/**
 * Reconciles one instance: gather → decide → perform the effects, until no effects are left; then its status is written,
 * if it changed. Reconciling a settled instance makes no request.
 */
import { isConflict, isOtherUid, jsonEqual, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  ControllerRevisions,
  type EventRecorder,
  type InternalError,
  type Logger,
  Namespaces,
  NotOurs,
  type Result,
} from "@berg/kube";
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
import { logStatusChange } from "./instance-log.ts";
import type { InstanceMetrics } from "./metrics.ts";
import type { Surroundings } from "./observe/gather.ts";
import { endingPriority } from "./observe/watches.ts";
import { askSafely, observeAndDecide, type Round } from "./observe-and-decide.ts";
import type { Decision, Effect } from "./phases/decision.ts";
import { StatusDraft } from "./phases/draft.ts";
import { eventReasons } from "./vocabulary.ts";

export interface Reconciler extends Surroundings {
  recorder: EventRecorder;
  metrics: InstanceMetrics;
  log: Logger;
}

type Observed = Round["snapshot"];

/** The longest path, from a new instance to all its pods, takes six. */
const maxRounds = 20;

/** A start that lost the race for a slot waits for one status write of another instance of the same owner. */
const startRetryMs = 100;

export async function reconcile(key: ObjectKey, deps: Reconciler, signal: AbortSignal): Promise<Result | undefined> {
  let isBeginning = false;
  let internalError: InternalError | undefined;
  for (let round = 0; round < maxRounds; round++) {
    deps.namespaceDeletions.dequeue(key);
    const answer = await askSafely(key, deps, isBeginning, signal);
    const observed = observeAndDecide(key, answer, deps);
    if (!observed) {
      deps.stopping.record(key, undefined);
      if (internalError) throw internalError;
      return undefined;
    }
    const { snapshot, decision } = observed;
    internalError ??= observed.error;
    deps.stopping.record(key, decision.stoppingSince);
    const starts = isStarting(snapshot, decision);
    if (starts && !deps.capacity.reserve(snapshot.instance)) return { requeueAfterMs: startRetryMs };
    if (decision.queuedSince !== undefined) deps.namespaceDeletions.enqueue(snapshot.instance, decision.queuedSince);
    if (decision.effects.length > 0) {
      await performEffects(decision, snapshot, deps, signal);
      isBeginning &&= onlyRecords(decision);
      continue;
    }
    try {
      await writeStatus(snapshot.instance, decision.status, deps, signal);
    } catch (error) {
      // A conflict may be caused by anything, also by a renewal: the next reconcile decides again.
      if (!isConflict(error) && !isOtherUid(error) && decision.regardless)
        await performEffects({ ...decision, effects: decision.regardless }, snapshot, deps, signal);
      throw error;
    }
    if (!decision.statusFirst && internalError) throw internalError;
    if (!decision.statusFirst) return resultOf(decision, snapshot);
    isBeginning = starts;
  }
  throw new Error(`the instance did not settle in ${maxRounds} rounds`);
}

function isStarting({ instance }: Observed, { status }: Decision): boolean {
  return status.phase === "Creating" && instance.status?.phase !== "Creating";
}

/** The ControllerRevision is created beside the instance, before its namespace. */
function onlyRecords({ effects }: Decision): boolean {
  return effects.every((effect) => effect.do === "make" && effect.child.type === ControllerRevisions);
}

function resultOf({ dueAt }: Decision, { now }: Observed): Result | undefined {
  if (dueAt === undefined) return undefined;
  return { requeueAfterMs: Math.max(0, dueAt - now), priority: endingPriority };
}

async function performEffects(
  decision: Decision,
  snapshot: Observed,
  deps: Reconciler,
  signal: AbortSignal,
): Promise<void> {
  const { instance } = snapshot;
  const deletesNamespace = decision.effects.some((effect) => effect.do === "delete" && effect.type === Namespaces);
  if (deletesNamespace) deps.namespaceDeletions.acquire(instance);
  try {
    await performAll(decision.effects, instance, deps, signal);
    recordCreated(decision.effects, instance, deps);
  } catch (error) {
    const cause = error instanceof EffectFailure ? error.cause : error;
    // Another writer was first: the next reconcile, soon, starts from what it wrote.
    if (isConflict(cause) || isOtherUid(cause)) throw cause;
    // The name of the namespace is taken: the next round reads who has it, and reports that.
    if (cause instanceof NotOurs && cause.type === Namespaces) return;
    const refused = error instanceof EffectFailure ? refusedBy(error, decision, snapshot) : undefined;
    if (refused) tell(deps.recorder, instance, refused.told);
    const status = refused?.status ?? decision.status;
    // Other findings, such as the answer to a renewal, are written now: it may take long until the effect succeeds.
    const isWritten = await writeStatus(instance, status, deps, signal).then(
      () => true,
      () => false,
    );
    // The next round removes the objects of an instance that was refused for good; everything else is retried.
    if (isWritten && refused?.isFinal && status.readyAt === undefined) return;
    throw refused?.error ?? cause;
  } finally {
    if (deletesNamespace) deps.namespaceDeletions.release(instance);
  }
}

/** The status and the error for an effect that the API server refused. A Terminated status is final: it gets no addition. */
function refusedBy(failure: EffectFailure, { status }: Decision, snapshot: Observed) {
  const refusal = refusalOf(failure);
  if (!refusal) return undefined;
  const draft = new StatusDraft({ ...snapshot, instance: { ...snapshot.instance, status } });
  sayRefused(draft, failure, refusal);
  const { isFinal } = refusal;
  const error = inOurWords(failure, refusal);
  if (status.phase === "Terminated") return { status, told: eventsOf(status, draft.status), isFinal, error };
  return { status: draft.status, told: [], isFinal, error };
}

/** Records events about objects that were restored, and about a namespace that admits privileged pods. */
function recordCreated(effects: Effect[], instance: Stored<ChallengeInstance>, { recorder }: Reconciler): void {
  for (const effect of effects) {
    if (effect.do !== "make") continue;
    const { type, manifest } = effect.child;
    const { name, labels } = manifest.metadata;
    // Once an instance has been ready, an object that has to be created or applied was deleted or edited by somebody.
    if (instance.status?.readyAt !== undefined) {
      // Not drift: a renewed pull secret, or another version of Berg that builds the object differently.
      if (effect.found && !effect.wasEdited) continue;
      const what = effect.found ? "was changed by somebody else" : "was missing";
      recorder.event(instance, "Warning", eventReasons.repaired, `The ${type.kind} ${name} ${what} and was put back`);
    } else if (labels?.[podSecurityLabel] === "privileged" && !effect.found) {
      const message = `The namespace ${name} admits privileged pods: the Challenge adds capabilities that need it`;
      recorder.event(instance, "Warning", eventReasons.privileged, message);
    }
  }
}

/**
 * Writes the status with the resourceVersion that was read, so that a write of another client is not lost. Events, metrics
 * and log lines follow from a write that succeeded, and so are never repeated by a retry.
 */
async function writeStatus(
  instance: Stored<ChallengeInstance>,
  status: ChallengeInstanceStatus,
  { client, caches, capacity, recorder, metrics, log, clock }: Reconciler,
  signal: AbortSignal,
): Promise<void> {
  const before = instance.status;
  if (jsonEqual(before ?? {}, status)) return;
  try {
    const options = { subresource: "status", fieldManager: fieldManagers.controller, signal };
    caches.instances.view.wrote(await client.update(ChallengeInstances, { ...instance, status }, options));
  } finally {
    // The slot is recorded in the status now, or was not taken.
    capacity.release(instance);
  }
  tell(recorder, instance, eventsOf(before, status));
  metrics.statusChanged(before, status, clock.now());
  logStatusChange(log, instance, status);
}
