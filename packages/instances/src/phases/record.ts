/** What an instance runs: as recorded when it started, whatever has become of its Challenge since. */
import { type ControllerRevision, TerminalError } from "@berg/kube";
import type { Blueprint } from "../builders/blueprint.ts";
import { type Recorded, readRevision, revisionOf, workloadOf } from "../builders/revision.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { perChallenge } from "./per-challenge.ts";

/** What would be recorded if the instance started now. */
export function currentRevision({ challenge }: Snapshot, settings: Settings) {
  return challenge && revisionFor(challenge, settings.build);
}

const revisionFor = perChallenge(({ metadata, spec }, build) => {
  const { name, namespace = "" } = metadata;
  return revisionOf({ name, namespace }, workloadOf(spec), build);
});

/** Undefined where the record is gone and the Challenge has changed since: nobody knows any more what it ran. */
export function recordedBlueprint(seen: Snapshot, settings: Settings): Blueprint | undefined {
  const record = recorded(seen.revision) ?? currentContent(seen, settings);
  const { instanceId } = seen.instance.status ?? {};
  return record && instanceId !== undefined ? blueprintOf(seen, instanceId, record, settings) : undefined;
}

/** What it would run if it started now. */
export function currentBlueprint(seen: Snapshot, instanceId: string, settings: Settings): Blueprint | undefined {
  const { challenge } = seen;
  if (!challenge) return undefined;
  return blueprintOf(seen, instanceId, { workload: workloadOf(challenge.spec), settings: settings.build }, settings);
}

function blueprintOf({ instance }: Snapshot, instanceId: string, record: Recorded, settings: Settings): Blueprint {
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
