/** The end has begun: the reason is written first, then everything is taken away, and the ChallengeInstance goes last. */
import { parseTime, type Stored } from "@berg/apimachinery";
import { findCondition, type Namespace } from "@berg/kube";
import { onOurClock, type Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { Decision, Effect } from "./decision.ts";
import { StatusDraft } from "./draft.ts";
import { setTerminatingConditions } from "./end-conditions.ts";
import { canBeFoundAgain, type Ending, endsBecause } from "./ending.ts";
import { disownedNamespace, ownNamespace, runsOn, takeDown } from "./take-down.ts";
import { isHeld, terminated } from "./terminated.ts";

/** A namespace takes five to ten seconds, and longer when many go at once. */
const namespaceMayTakeMs = 60_000;

export function terminating(seen: Snapshot, ending: Ending): Decision {
  const namespace = ownNamespace(seen);
  const disowned = disownedNamespace(seen);
  if (!namespace && !disowned) return terminated(seen, ending);
  if (seen.instance.status?.phase !== "Terminating")
    return {
      ...beginning(seen, ending),
      regardless: namespace && regardless(seen, ending, namespace),
      stoppingSince: runsOn(seen) ? seen.now : undefined,
    };
  if (!namespace) return leftAlone(seen);

  const draft = new StatusDraft(seen);
  // Our own deletion of the instance raises its generation: nothing that anybody has to be told.
  const { observedGeneration } = seen.instance.status;
  if (observedGeneration !== undefined) draft.status.observedGeneration = observedGeneration;
  const down = takeDown(seen, namespace, beganAt(seen));
  const stops = !down.stopped && down.effects.length > 0;
  // Where many end at once, no container runs on until all their objects are marked as deleted.
  const effects = stops ? down.effects : [...leaving(seen), ...down.effects];
  if (effects.length === 0) forgetTrouble(draft);
  const dueAt = down.dueAt ?? (down.stopped ? reportStuck(seen, namespace, draft) : undefined);
  const stoppingSince = runsOn(seen) ? beganAt(seen) : undefined;
  return { effects, status: draft.status, statusFirst: false, dueAt, stoppingSince, queuedSince: down.queuedSince };
}

/** Where somebody has dropped our finalizer, a deletion would leave the namespace behind, and nobody to look after it. */
function leaving({ instance }: Snapshot): Effect[] {
  if (instance.metadata.deletionTimestamp) return [];
  return [{ do: isHeld(instance) ? "deleteInstance" : "addFinalizer" }];
}

/** The reason has to survive a crash: it is what the owner is told, and cannot be found again once the time is over. */
function beginning(seen: Snapshot, ending: Ending): Decision {
  const draft = new StatusDraft(seen);
  draft.enter("Terminating", ending.message ?? endsBecause(ending.reason));
  draft.status.terminationReason = ending.reason;
  setTerminatingConditions(draft);
  sayStopping(draft);
  return { effects: [], status: draft.status, statusFirst: true };
}

function sayStopping(draft: StatusDraft): void {
  draft.condition(conditionTypes.namespaceDeleted, "False", reasons.stoppingWorkload, "Everything is being removed.");
}

/** What was refused, or had lost our marks, and is no longer in the way. */
function forgetTrouble(draft: StatusDraft): void {
  const { reason } = findCondition(draft.status.conditions, conditionTypes.namespaceDeleted) ?? {};
  if (reason !== reasons.stoppingWorkload && reason !== reasons.namespaceStuck) sayStopping(draft);
}

/** No container runs on because nobody can write that it ends. Its deletion goes first, so that no renewal is overlooked. */
function regardless(seen: Snapshot, ending: Ending, namespace: Stored<Namespace>): Effect[] {
  if (!canBeFoundAgain(ending, seen)) return [];
  const first = leaving(seen);
  return first.length > 0 ? first : takeDown(seen, namespace, beganAt(seen)).effects;
}

/** Nobody tells us about a namespace without our marks, so it is asked for. */
function leftAlone(seen: Snapshot): Decision {
  const draft = new StatusDraft(seen);
  const text = `The namespace ${draft.status.namespace} has lost the labels by which it is known as Berg's, and is left alone. Put them back, or delete it.`;
  draft.condition(conditionTypes.namespaceDeleted, "False", reasons.nameConflict, text);
  return { effects: [], status: draft.status, statusFirst: false, dueAt: seen.now + namespaceMayTakeMs };
}

function beganAt({ instance, now }: Snapshot): number {
  const { lastTransitionTime } = findCondition(instance.status?.conditions, conditionTypes.namespaceDeleted) ?? {};
  const since = lastTransitionTime ?? instance.metadata.deletionTimestamp;
  return since === undefined ? now : parseTime(since);
}

/** Returns when to look again. */
function reportStuck(seen: Snapshot, namespace: Stored<Namespace>, draft: StatusDraft): number | undefined {
  const { deletionTimestamp, name } = namespace.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const deadline = onOurClock(seen, deletionTimestamp) + namespaceMayTakeMs;
  if (seen.now < deadline) return deadline;
  const findings = (namespace.status?.conditions ?? [])
    .filter(({ status }) => status === "True")
    .map(({ type, message }) => `${type}: ${message ?? ""}`);
  const why = findings.join("; ") || "It does not say why; look at what is left in it.";
  const text = `The namespace ${name} does not go away. ${why}`;
  draft.condition(conditionTypes.namespaceDeleted, "False", reasons.namespaceStuck, text);
  return undefined;
}
