/**
 * What has to be so before an instance is made, in the order in which it is looked at. Each guard says in a condition
 * what it found; one that does not pass also says so in the phase: Failed where somebody has to change something,
 * Pending where waiting helps.
 */
import { TerminalError } from "@berg/kube";
import { isManagedByBerg, isOurs } from "../builders/marks.ts";
import { instanceNamespaceName } from "../builders/names.ts";
import { effectiveTimeout } from "../expiry/limits.ts";
import { instanceProblems } from "../lint/instance-problems.ts";
import { formatProblem } from "../lint/problem.ts";
import { schemaProblems } from "../lint/schema.ts";
import { missingKinds } from "../observe/kinds.ts";
import { perChallenge } from "../observe/per-challenge.ts";
import { currentBlueprint, currentRevision } from "../observe/record.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes as conditions, reasons } from "../vocabulary.ts";
import { stagesOf } from "./creating.ts";
import type { StatusDraft } from "./draft.ts";
import { pullSecretMissing } from "./lacking.ts";
import { isLeftOver, leavingRival, strongerRival } from "./rivals.ts";

type Guard = (seen: Snapshot, draft: StatusDraft, settings: Settings) => boolean;

const challengeIsThere: Guard = ({ instance, challenge }, draft, settings) => {
  const { name, namespace = settings.challengeNamespace } = instance.spec.challengeRef;
  if (challenge) return true;
  draft.hold(
    "Failed",
    conditions.challengeFound,
    reasons.challengeMissing,
    `Challenge ${name} not found in the namespace ${namespace || settings.challengeNamespace}.`,
  );
  return false;
};

const problemsOf = perChallenge((challenge, { build, capabilities }: Settings) =>
  instanceProblems({ challenge, errors: [] }, { headlessService: build.headlessService, capabilities }),
);

const challengeCanRun: Guard = ({ challenge, challengeErrors }, draft, settings) => {
  const broken = schemaProblems(challengeErrors);
  const problems = broken.length === 0 && challenge ? problemsOf(challenge, settings) : broken;
  if (problems.length === 0) {
    draft.condition(conditions.challengeFound, "True", reasons.found, "The Challenge is there.");
    return true;
  }
  const text = problems.map(formatProblem).join(". ");
  draft.hold("Failed", conditions.challengeFound, reasons.challengeInvalid, `The Challenge cannot be run. ${text}`);
  return false;
};

const timeoutMakesSense: Guard = ({ instance, challenge }, draft, settings) => {
  const { problem } = effectiveTimeout(instance.spec, challenge?.spec, settings.expiry);
  if (!problem) return true;
  draft.hold("Failed", conditions.admitted, reasons.invalidTimeout, problem.message);
  return false;
};

const flagIsGiven: Guard = ({ instance, challenge }, draft) => {
  const isNeeded = challenge?.spec.containers.some(({ dynamicFlag }) => dynamicFlag !== undefined);
  if (isNeeded && !instance.spec.flag) {
    draft.hold(
      "Failed",
      conditions.flagValidation,
      reasons.flagMissing,
      "Flag required but not provided: set spec.flag of the ChallengeInstance.",
    );
    return false;
  }
  if (isNeeded) draft.condition(conditions.flagValidation, "True", reasons.flagGiven, "The flag is there.");
  else draft.condition(conditions.flagValidation, "True", reasons.flagNotNeeded, "The Challenge asks for no flag.");
  return true;
};

/** What lint did not foresee. Were it found only later, the instance would go to and fro between Creating and Failed. */
const canBeBuilt: Guard = (seen, draft, settings) => {
  const blueprint = currentBlueprint(seen, draft.status.instanceId ?? seen.freshId, settings);
  try {
    if (blueprint) stagesOf(seen, blueprint);
    return true;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    draft.hold("Failed", conditions.deploymentsCreated, reasons.challengeInvalid, error.message);
    return false;
  }
};

/** What the API server has refused it will refuse again: only another Challenge, or another setting, can help. */
const notRefusedBefore: Guard = (seen, draft, settings) => {
  const { status } = seen.instance;
  if (status?.reason !== reasons.manifestRefused) return true;
  return currentRevision(seen, settings)?.metadata.name !== draft.status.revision;
};

const ownerIsFree: Guard = (seen, draft) => {
  const rival = strongerRival(seen);
  if (!rival) return true;
  draft.hold(
    "Failed",
    conditions.admitted,
    reasons.ownerBusy,
    `The owner has another instance, ${rival.metadata.name} (of the Challenge ${rival.spec.challengeRef.name}), and can have one at a time. End that one first.`,
  );
  return false;
};

const namespaceIsFree: Guard = (seen, draft) => {
  const { instance, namespace } = seen;
  const isFree = !namespace || isOurs(namespace, instance.metadata.uid);
  if (isFree && !leavingRival(seen)) return true;
  const name = instanceNamespaceName(instance.spec.ownerId);
  if (isLeftOver(seen)) {
    draft.hold(
      "Pending",
      conditions.namespaceCreated,
      reasons.leftOver,
      `The namespace ${name} is left over from an instance that no longer exists; delete it. This instance starts by itself when it is gone.`,
    );
  } else if (isFree || isManagedByBerg(namespace)) {
    draft.hold(
      "Pending",
      conditions.namespaceCreated,
      reasons.previousTerminating,
      `The namespace ${name} of the owner's previous instance is still going away; this one starts by itself when it is gone.`,
    );
  } else {
    draft.hold(
      "Failed",
      conditions.namespaceCreated,
      reasons.nameConflict,
      `A namespace ${name} exists that is not Berg's; it is left alone. Remove or rename it.`,
    );
  }
  return false;
};

const pullSecretIsThere: Guard = (seen, draft, { build }) => {
  if (build.pullSecretName === "" || seen.pullSecret) return true;
  draft.hold(
    "Pending",
    conditions.deploymentsCreated,
    reasons.pullSecretMissing,
    pullSecretMissing(seen, build.pullSecretName),
  );
  return false;
};

const kindsAreServed: Guard = ({ challenge, kinds }, draft, { build }) => {
  const [missing] = challenge ? missingKinds(challenge.spec, build, kinds) : [];
  if (!missing) return true;
  draft.hold("Pending", missing.condition, reasons.kindMissing, missing.message);
  return false;
};

const placeIsFree: Guard = (seen, draft, { maxInstances }) => {
  if (seen.hasCapacity()) return true;
  draft.hold(
    "Pending",
    conditions.admitted,
    reasons.capacityReached,
    `All ${maxInstances} places are taken; this instance starts by itself when one becomes free.`,
  );
  return false;
};

export const guards: readonly Guard[] = [
  challengeIsThere,
  challengeCanRun,
  timeoutMakesSense,
  flagIsGiven,
  canBeBuilt,
  notRefusedBefore,
  ownerIsFree,
  namespaceIsFree,
  pullSecretIsThere,
  kindsAreServed,
  placeIsFree,
];
