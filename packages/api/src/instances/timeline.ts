/**
 * How a start went: requested, accepted, namespace, scheduled, image pulled, ready. Conditions tell some of the steps,
 * pods and events the others. These are read on demand, and stored once with the row, since they go with the namespace.
 */
import { isForbidden, isNotFound, type KubeObject, parseTime, type Stored } from "@berg/apimachinery";
import { type Client, type CoreEvent, Events, type Pod, Pods } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import type { InstanceRow } from "../database/schema.ts";
import { type Timeline, timelineStages } from "../wire.ts";

/** One page of each is enough: an instance has a few pods. */
const mostObjects = 500;

export async function readTimeline(
  client: Client,
  row: InstanceRow,
  object: ChallengeInstance,
  signal: AbortSignal,
): Promise<Timeline> {
  const { namespace } = object.status ?? {};
  const [pods, events] =
    namespace === undefined
      ? [[], []]
      : await Promise.all([listIn(client, Pods, namespace, signal), listIn(client, Events, namespace, signal)]);
  return timelineOf({ row, object, pods, events });
}

/** Nothing where the namespace is gone, or closed to us. */
async function listIn<T extends KubeObject>(
  client: Client,
  type: Parameters<typeof client.list<T>>[0],
  namespace: string,
  signal: AbortSignal,
): Promise<Stored<T>[]> {
  try {
    return (await client.list(type, { namespace, limit: mostObjects, signal })).items;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return [];
    throw error;
  }
}

interface Observed {
  row: Pick<InstanceRow, "id" | "started_at">;
  object: ChallengeInstance | undefined;
  pods: readonly Pod[];
  events: readonly CoreEvent[];
}

/** Pure. */
export function timelineOf({ row, object, pods, events }: Observed): Timeline {
  const { phase, reason, message, readyAt, conditions = [] } = object?.status ?? {};
  const since = (type: string) => conditions.find((one) => one.type === type && one.status === "True");
  const at: Record<(typeof timelineStages)[number], number | undefined> = {
    requested: row.started_at,
    accepted: timeOf(since("Admitted")?.lastTransitionTime ?? object?.status?.startedAt),
    namespace: timeOf(since("NamespaceCreated")?.lastTransitionTime),
    scheduled: latestOfAll(pods.map(scheduledAt)),
    "image-pulled": latestOfAll(pods.map((pod) => pulledAt(pod, events))),
    ready: timeOf(readyAt),
  };
  const failedAt = timeOf(conditions.findLast(({ status }) => status === "False")?.lastTransitionTime);
  return {
    instanceId: row.id,
    // A start has no later step before an earlier one; conditions have whole seconds, rows have milliseconds.
    stages: ordered(timelineStages.map((stage) => ({ stage, at: at[stage] }))),
    failure:
      phase === "Failed"
        ? { at: iso(failedAt ?? row.started_at), reason: reason ?? "Failed", message: message ?? "" }
        : null,
  };
}

/** Whether the stored timeline is of a start that succeeded. */
export function isComplete(stored: string | null): boolean {
  return stored !== null && parseTimeline(stored).stages.at(-1)?.at != null;
}

export function parseTimeline(stored: string): Timeline {
  return JSON.parse(stored) as Timeline;
}

function scheduledAt({ status }: Pod): number | undefined {
  return timeOf(status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "True"));
}

/** By the kubelet's event; where events are gone, a container that has started shows it too. */
function pulledAt({ metadata, status }: Pod, events: readonly CoreEvent[]): number | undefined {
  const pulled = events.filter(
    ({ reason, involvedObject }) => reason === "Pulled" && involvedObject?.uid === metadata.uid,
  );
  const times = pulled.map((event) => eventTime(event)).filter((time) => time !== undefined);
  if (times.length > 0) return Math.max(...times);
  const containers = status?.containerStatuses ?? [];
  return latestOfAll(containers.map(({ state }) => timeOf(state?.running?.startedAt ?? state?.terminated?.startedAt)));
}

export function eventTime({ lastTimestamp, eventTime, firstTimestamp, metadata }: CoreEvent): number | undefined {
  return timeOf(lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? undefined);
}

/** Undefined where one has none yet: a step is done when it is done for all. */
function latestOfAll(times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return times.length > 0 && known.length === times.length ? Math.max(...known) : undefined;
}

function ordered(stages: { stage: (typeof timelineStages)[number]; at: number | undefined }[]): Timeline["stages"] {
  let earliest = Number.NEGATIVE_INFINITY;
  return stages.map(({ stage, at }) => {
    if (at === undefined) return { stage, at: null };
    earliest = Math.max(earliest, at);
    return { stage, at: iso(earliest) };
  });
}

function timeOf(at: string | { lastTransitionTime?: string } | undefined): number | undefined {
  const text = typeof at === "object" ? at.lastTransitionTime : at;
  return text === undefined || text === null ? undefined : parseTime(text);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
