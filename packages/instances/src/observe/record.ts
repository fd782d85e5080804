/** What an instance runs: as recorded when it started, whatever has become of its Challenge since. */
import type { Stored } from "@berg/apimachinery";
import { type ControllerRevision, TerminalError } from "@berg/kube";
import type { Challenge } from "@berg/resources";
import type { Blueprint } from "../builders/blueprint.ts";
import { type Recorded, readRevision, revisionOf, workloadOf } from "../builders/revision.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { BuildSettings, Settings } from "../settings/settings.ts";
import { perChallenge } from "./per-challenge.ts";
import type { Snapshot } from "./snapshot.ts";

/** What would be recorded if the instance started now. */
export function currentRevision({ challenge }: Snapshot, settings: Settings) {
  return challenge && revisionFor(challenge, settings.build);
}

const revisionFor = perChallenge((challenge, build: BuildSettings) => {
  const { challenge: whose, workload } = contentOf(challenge, build);
  return revisionOf(whose, workload, build);
});

/** Undefined where the record is gone and the Challenge has changed since: nobody knows any more what it ran. */
export function recordedBlueprint(seen: Snapshot, settings: Settings): Blueprint | undefined {
  const record = recorded(seen.revision) ?? contentAsRecorded(seen, settings);
  const { instanceId } = seen.instance.status ?? {};
  return record && instanceId !== undefined ? blueprintOf(seen, instanceId, record, settings) : undefined;
}

/** What it would run if it started now. */
export function currentBlueprint(seen: Snapshot, instanceId: string, settings: Settings): Blueprint | undefined {
  const { challenge } = seen;
  return challenge && blueprintOf(seen, instanceId, contentOf(challenge, settings.build), settings);
}

function blueprintOf({ instance }: Snapshot, instanceId: string, record: Recorded, settings: Settings): Blueprint {
  // One that was stored under an earlier CRD may be cached without the default.
  const { ownerId, flag = "", challengeRef, restarts = 0 } = instance.spec;
  const { name, namespace } = challengeRef;
  return {
    instance: { uid: instance.metadata.uid, instanceId, ownerId, flag, restarts },
    challenge: record.challenge ?? { name, namespace: namespace || settings.challengeNamespace },
    workload: record.workload,
    settings: record.settings,
  };
}

/** What was recorded; undefined where somebody has made it unreadable. */
export function recorded(revision: ControllerRevision | undefined): Recorded | undefined {
  if (!revision) return undefined;
  const known = read.get(revision);
  if (known) return known;
  try {
    const record = readRevision(revision, defaults);
    if (Object.isFrozen(revision)) read.set(revision, record);
    return record;
  } catch (error) {
    if (error instanceof TerminalError) return undefined;
    throw error;
  }
}

/** Of the copies in the cache, which never change: what is built from a record is built once for the same record. */
const read = new WeakMap<ControllerRevision, Recorded>();

/** Not the organiser's own of today: those may be others tomorrow, and what runs would change with them. */
const defaults: BuildSettings = readSettings({}).build;

function contentOf({ metadata, spec }: Stored<Challenge>, settings: BuildSettings) {
  const { name, namespace = "" } = metadata;
  return { challenge: { name, namespace }, workload: workloadOf(spec), settings };
}

function contentAsRecorded(seen: Snapshot, settings: Settings): Recorded | undefined {
  const { challenge, instance } = seen;
  const current = currentRevision(seen, settings);
  if (!challenge || current?.metadata.name !== instance.status?.revision) return undefined;
  return contentOf(challenge, settings.build);
}
