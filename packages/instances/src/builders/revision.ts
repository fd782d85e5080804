/**
 * What an instance runs, as it was when the instance started: kept in a ControllerRevision, so that neither an edited
 * Challenge nor a changed default reaches a running instance. Its name follows from its content: instances that run the
 * same share one.
 */
import { createHash } from "node:crypto";
import { type ControllerRevision, TerminalError } from "@berg/kube";
import { type ChallengeSpec, components } from "@berg/resources";
import type { BuildSettings } from "../settings/settings.ts";
import type { Blueprint, Manifest, Workload } from "./blueprint.ts";
import { challengeMarks } from "./marks.ts";
import { withHash } from "./names.ts";

export interface Recorded {
  /** Undefined in the oldest records. */
  challenge?: Blueprint["challenge"];
  workload: Workload;
  settings: BuildSettings;
}

/** Field by field: what is added to Challenges later, and the static flag, is not recorded by accident. */
export function workloadOf({ containers, allowOutboundTraffic }: ChallengeSpec): Workload {
  return { containers, allowOutboundTraffic };
}

/** Without a namespace: it goes beside the ChallengeInstance. */
export function revisionOf(
  challenge: Blueprint["challenge"],
  workload: Workload,
  settings: BuildSettings,
): Manifest<ControllerRevision> {
  const recorded: Recorded = { challenge, workload, settings };
  const hash = createHash("sha256")
    .update(canonicalJson({ challenge, recorded: { workload, settings } }))
    .digest("hex");
  return {
    metadata: {
      name: withHash(challenge.name, hash.slice(0, 20)),
      ...challengeMarks(challenge, components.revision),
    },
    data: recorded,
    revision: 1,
  };
}

/**
 * What `revisionOf` recorded, as the API server returns it. A setting that is younger than the record has its default:
 * those are such that nothing changes for what runs.
 */
export function readRevision(revision: ControllerRevision, defaults: BuildSettings): Recorded {
  const { data } = revision;
  const problem = recordProblem(data);
  if (problem !== undefined)
    throw new TerminalError(
      `cannot read ControllerRevision ${JSON.stringify(revision.metadata.name)}: ${problem}; it says what the instance runs, so end the instance and start a new one`,
    );
  const record = data as Recorded;
  const settings = completed(record.settings, defaults);
  return settings === record.settings ? record : { ...record, settings };
}

/** With all that is missing in it, at any depth; where nothing is, it is `given` itself. */
function completed<T>(given: T, defaults: T): T {
  if (!isRecord(defaults)) return given === undefined ? defaults : given;
  if (!isRecord(given)) return defaults;
  const parts = Object.entries(defaults).map(([name, byDefault]) => [name, completed(given[name], byDefault)]);
  return parts.every(([name, part]) => given[name as string] === part)
    ? given
    : { ...given, ...Object.fromEntries(parts) };
}

function recordProblem(data: unknown): string | undefined {
  if (!isRecord(data)) return "it has no data";
  if (!isRecord(data.workload) || !Array.isArray(data.workload.containers))
    return "data.workload.containers is not a list";
  if (!isRecord(data.settings)) return "data.settings is missing";
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same text for equal values, in whatever order their keys stand. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
