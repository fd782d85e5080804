/**
 * What an instance that was begun cannot be finished without and cannot be given: the organiser has changed a setting
 * since, or somebody has removed what was there. Pods without it would never start, or would not be isolated.
 */
import { Secrets } from "@berg/kube";
import type { Blueprint } from "../builders/blueprint.ts";
import { missingKinds } from "../observe/kinds.ts";
import { childKey, type Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { type ConditionType, conditionTypes, type Reason, reasons } from "../vocabulary.ts";

export interface Lack {
  condition: ConditionType;
  reason: Reason;
  message: string;
}

export function lackOf(seen: Snapshot, blueprint: Blueprint, settings: Settings): Lack | undefined {
  const [missing] = missingKinds(blueprint.workload, blueprint.settings, seen.kinds);
  if (missing) return { ...missing, reason: reasons.kindMissing };
  return flagHasNoPlace(seen, blueprint) ?? pullSecretLost(seen, blueprint, settings);
}

/** Whether the organiser's Secret, as it is seen now, is the one that this instance was begun with. */
export function isRecordedPullSecret({ settings }: Blueprint, pullSecret: Snapshot["pullSecret"]): boolean {
  return pullSecret !== undefined && pullSecret.metadata.name === settings.pullSecretName;
}

/** Secrets are looked after only where the settings of today use them. */
function flagHasNoPlace({ kinds }: Snapshot, { workload, settings }: Blueprint): Lack | undefined {
  const isFile = workload.containers.some(({ dynamicFlag }) => dynamicFlag?.content || dynamicFlag?.executable);
  if (kinds.has(Secrets.kind) || settings.flagStorage !== "Secret" || !isFile) return undefined;
  return lack(
    reasons.kindMissing,
    "This instance was begun with its flag in a Secret, and the controller makes no Secrets any more. End it and start a new one, or set FLAG_STORAGE=Secret again.",
  );
}

/** A copy that was made before is as good as one that could be made now; where nobody looks at Secrets, none is seen. */
function pullSecretLost(seen: Snapshot, blueprint: Blueprint, { build }: Settings): Lack | undefined {
  const { pullSecretName: name } = blueprint.settings;
  if (name === "" || isRecordedPullSecret(blueprint, seen.pullSecret)) return undefined;
  if (seen.children.has(childKey(Secrets.kind, name))) return undefined;
  const notCopied = `This instance was begun with the pull secret ${name}, which the controller does not copy any more. End it and start a new one, or set PULL_SECRET_NAME=${name} again.`;
  return lack(reasons.pullSecretMissing, build.pullSecretName === name ? pullSecretMissing(seen, name) : notCopied);
}

export function pullSecretMissing({ pullSecretNamespace }: Snapshot, name: string): string {
  return `There is no Secret ${name} (PULL_SECRET_NAME) in the namespace ${pullSecretNamespace}; create it there.`;
}

function lack(reason: Reason, message: string): Lack {
  return { condition: conditionTypes.deploymentsCreated, reason, message };
}
