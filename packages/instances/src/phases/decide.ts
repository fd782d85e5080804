/**
 * What is to be done about an instance, and what its status says: a pure function of what was seen. The order below is
 * the order in which an instance lives, but every look goes through all of it: the phase is what comes out, and never
 * decides what is looked at.
 */
import { findCondition, isConditionTrue, TerminalError } from "@berg/kube";
import type { InstanceService } from "@berg/resources";
import { dueAt, isExpiringSoon } from "../expiry/due.ts";
import { limited } from "../expiry/expiry.ts";
import { effectiveTimeout } from "../expiry/limits.ts";
import { renewed } from "../expiry/renewal.ts";
import { withChangedTimeout } from "../expiry/timeout-change.ts";
import { askForKindsMs } from "../observe/kinds.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import { type Creation, creating } from "./creating.ts";
import type { Decision } from "./decision.ts";
import { StatusDraft } from "./draft.ts";
import { endingOf } from "./ending.ts";
import { failed } from "./failed.ts";
import { admittedText, identify, pending } from "./pending.ts";
import { type PodHealth, podHealth } from "./pod-health.ts";
import { answerRestart } from "./restart.ts";
import { routeProblem } from "./route-acceptance.ts";
import { running } from "./running.ts";
import { starting, waitingForRoutes } from "./starting.ts";
import { verdictOf } from "./stuck.ts";
import { disownedNamespace, ownNamespace } from "./take-down.ts";
import { isHeld } from "./terminated.ts";
import { terminating } from "./terminating.ts";

/** A place that is taken by somebody else's object tells nobody when it becomes free. */
const tryAgainMs = 60_000;

export function decide(seen: Snapshot, settings: Settings): Decision {
  const { instance } = seen;
  const draft = new StatusDraft(seen);
  // Others hold it; our last word is said.
  if (instance.metadata.deletionTimestamp && !isHeld(instance) && instance.status?.phase === "Terminated") {
    return { effects: [], status: instance.status, statusFirst: false };
  }

  const ending = endingOf(seen);
  if (ending) return terminating(seen, ending);
  // Before anything is made: what is not held could be gone before it is known to exist.
  if (!isHeld(instance)) return { ...nothing(draft), effects: [{ do: "addFinalizer" }] };

  const isNew = identify(seen, draft, settings);
  keepTime(seen, draft, settings);
  const next = dueAt(draft.status, settings.expiry);
  const takingBack = failed(seen, draft);
  if (takingBack) return { ...takingBack, dueAt: earliest(takingBack.dueAt, next) };

  if (!isMade(seen)) {
    const canStart = pending(seen, draft, settings);
    const isRecorded =
      instance.status?.revision === draft.status.revision && draft.status.phase === instance.status?.phase;
    if (!canStart) return { ...nothing(draft), dueAt: earliest(retryAt(seen, draft), next) };
    if (isNew || !isRecorded) return { ...nothing(draft), statusFirst: true };
  } else sayWhetherChallengeIsThere(seen, draft);
  if (disownedNamespace(seen)) return disowned(seen, draft, next);

  const creation = creatingOrFailing(seen, draft, settings);
  if (!creation) return { ...nothing(draft), dueAt: next };
  const due = earliest(creation.dueAt, next);
  if (creation.isHeld) return { ...nothing(draft), dueAt: due };
  const { effects, services } = creation;
  if (effects.length > 0) {
    // What cannot be repaired must not hide how the containers are.
    if (draft.status.readyAt !== undefined) reportHealth(seen, draft, draft.status.services ?? services());
    return { effects, status: draft.status, statusFirst: false, dueAt: due };
  }
  answerRestart(seen, draft);
  return { ...nothing(draft), dueAt: earliest(reportHealth(seen, draft, services()), due) };
}

/** Sets the phase by the health of the pods and the routes. Returns when that may change without any event. */
function reportHealth(seen: Snapshot, draft: StatusDraft, services: InstanceService[]): number | undefined {
  const health = podHealth(seen);
  const routes = routeProblem(seen);
  const isPending = routes !== undefined && seen.now < routes.until;
  if (draft.status.readyAt !== undefined) running(draft, health, services, isPending ? undefined : routes?.message);
  else if (!health.ready) starting(draft, health);
  else if (isPending) waitingForRoutes(draft, health);
  else running(draft, health, services, routes?.message);
  const verdict = health.failed ? health : verdictOf(seen, health);
  if (verdict) draft.enterFor("Failed", verdict);
  return earliest(health.dueAt, isPending && isReady(health, draft) ? routes.until : undefined);
}

/** Where the containers are not ready yet, their readiness is what is waited for. */
function isReady({ ready }: PodHealth, { status }: StatusDraft): boolean {
  return ready || status.readyAt !== undefined;
}

function nothing(draft: StatusDraft): Decision {
  return { effects: [], status: draft.status, statusFirst: false };
}

/** What lint did not foresee must not keep the instance from ending in time, nor a running one from running. */
function creatingOrFailing(seen: Snapshot, draft: StatusDraft, settings: Settings): Creation | undefined {
  try {
    return creating(seen, draft, settings);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    draft.condition(conditionTypes.deploymentsCreated, "False", reasons.challengeInvalid, error.message);
    if (draft.status.readyAt === undefined) draft.enterBecause("Failed", reasons.challengeInvalid, error.message);
    return undefined;
  }
}

/** Nothing in it is repaired any more, and nothing is torn down: players may be at work in it. */
function disowned({ instance, now }: Snapshot, draft: StatusDraft, next: number | undefined): Decision {
  const text = `The namespace ${instance.status?.namespace} has lost the labels by which it is known as Berg's. Put them back, or end this instance.`;
  draft.condition(conditionTypes.healthy, "Unknown", reasons.nameConflict, text);
  return { ...nothing(draft), dueAt: earliest(now + tryAgainMs, next) };
}

function isMade(seen: Snapshot): boolean {
  return (
    ownNamespace(seen) !== undefined ||
    isConditionTrue(seen.instance.status?.conditions, conditionTypes.namespaceCreated)
  );
}

function keepTime(seen: Snapshot, draft: StatusDraft, { expiry }: Settings): void {
  const { instance, challenge, now } = seen;
  const changed = withChangedTimeout(draft.status, instance.spec, challenge?.spec, expiry, now);
  if (changed) draft.become(changed);
  if (isMade(seen)) reportTimeout(seen, draft, expiry);
  const moved = limited(draft.status, instance.spec, challenge?.spec, expiry, now);
  if (moved) draft.become(moved);
  const answer = renewed(draft.status, instance.spec, challenge?.spec, expiry, now);
  if (answer) draft.become(answer);
  if (isExpiringSoon(draft.status, expiry, now)) draft.status.expiresSoon = true;
}

/** An instance that has started keeps its expiry; one that has not is Failed, which its guard says. */
function reportTimeout({ instance, challenge }: Snapshot, draft: StatusDraft, expiry: Settings["expiry"]): void {
  const { problem } = instance.spec.timeout ? effectiveTimeout(instance.spec, challenge?.spec, expiry) : {};
  const type = conditionTypes.admitted;
  const isReported = findCondition(draft.status.conditions, type)?.reason === reasons.invalidTimeout;
  if (problem) draft.condition(type, "True", reasons.invalidTimeout, `The expiry stays as it is: ${problem.message}.`);
  else if (isReported) draft.condition(type, "True", reasons.admitted, admittedText);
}

function sayWhetherChallengeIsThere({ challenge, instance }: Snapshot, draft: StatusDraft): void {
  const type = conditionTypes.challengeFound;
  const { name } = instance.spec.challengeRef;
  const gone = `The Challenge ${name} is gone; this instance goes on with what it started with.`;
  if (challenge) draft.condition(type, "True", reasons.found, "The Challenge is there.");
  else draft.condition(type, "False", reasons.challengeDeleted, gone);
}

/** What nobody tells us about has to be asked for. */
function retryAt({ now }: Snapshot, { status }: StatusDraft): number | undefined {
  if (status.reason === reasons.kindMissing) return now + askForKindsMs;
  if (status.reason === reasons.nameConflict) return now + tryAgainMs;
  return undefined;
}

function earliest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
