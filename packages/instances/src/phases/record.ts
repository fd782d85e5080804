/** What an instance runs: as recorded when it started, whatever has become of its Challenge since. */
import { type ControllerRevision, TerminalError } from "@berg/kube";
import type { Blueprint } from "../builders/blueprint.ts";
import { type Recorded, readRevision, revisionOf, workloadOf } from "../builders/revision.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";

/** What would be recorded if the instance started now. */
export function currentRevision({ challenge }: Snapshot, settings: Settings) {
  if (!challenge) return undefined;
  const { name, namespace = "" } = challenge.metadata;
  return revisionOf({ name, namespace }, workloadOf(challenge.spec), settings.build);
}

/** Undefined where the record is gone and the Challenge has changed since: nobody knows any more what it ran. */
export function recordedBlueprint(seen: Snapshot, settings: Settings): Blueprint | undefined {
  const record = recorded(seen.revision) ?? currentContent(seen, settings);
  const { instance } = seen;
  const { instanceId } = instance.status ?? {};
  if (!record || instanceId === undefined) return undefined;
  const { ownerId, flag = "", challengeRef } = instance.spec;
  return {
    instance: { uid: instance.metadata.uid, instanceId, ownerId, flag },
    challenge: { name: challengeRef.name, namespace: challengeRef.namespace || settings.challengeNamespace },
    workload: record.workload,
    settings: record.settings,
  };
}

/** What was recorded; undefined where somebody has made it unreadable. */
export function recorded(revision: ControllerRevision | undefined): Recorded | undefined {
  if (!revision) return undefined;
  try {
    return readRevision(revision);
  } catch (error) {
    if (error instanceof TerminalError) return undefined;
    throw error;
  }
}

function currentContent(seen: Snapshot, settings: Settings) {
  const { challenge, instance } = seen;
  const current = currentRevision(seen, settings);
  if (!challenge || !current || current.metadata.name !== instance.status?.revision) return undefined;
  return { workload: workloadOf(challenge.spec), settings: settings.build };
}
