/** What organisers and authors read about an instance to find out what is wrong with it: steps, logs and events. */
import { parseTime, StatusError } from "@berg/apimachinery";
import { type CoreEvent, Events, Pods } from "@berg/kube";
import type { ApiContext } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import type { InstanceEvents, InstanceLogs, Timeline } from "../wire.ts";
import { maskFlags } from "./mask-flags.ts";
import { objectOf } from "./objects.ts";
import { eventTime, parseTimeline, readTimeline, timelineOf } from "./timeline.ts";

const logLines = 500;
const mostLogCharacters = 256 * 1024;
const mostEvents = 500;

/** As stored, where the start has succeeded or failed and nothing has changed since; else as it is now. */
export async function timelineOfRow(context: ApiContext, row: InstanceRow, signal: AbortSignal): Promise<Timeline> {
  const object = objectOf(context, row);
  if (row.timeline !== null) return parseTimeline(row.timeline);
  return object
    ? readTimeline(context.client, row, object, signal)
    : timelineOf({ row, object: undefined, pods: [], events: [] });
}

/** The last lines of each container. Empty where there are no pods any more. */
export async function logsOf(context: ApiContext, row: InstanceRow, signal: AbortSignal): Promise<InstanceLogs> {
  const { client } = context;
  const namespace = objectOf(context, row)?.status?.namespace;
  if (namespace === undefined) return [];
  const { items } = await client.list(Pods, { namespace, signal });
  const flags = flagsOf(context, row);
  const logs: InstanceLogs = [];
  for (const { metadata, spec } of items) {
    for (const { name: container } of spec?.containers ?? []) {
      const text = await readLog(context, namespace, metadata.name, container, signal);
      if (text === undefined) continue;
      const masked = maskFlags(text, flags);
      const isTruncated = masked.length > mostLogCharacters;
      logs.push({ pod: metadata.name, container, text: masked.slice(-mostLogCharacters), isTruncated });
    }
  }
  return logs;
}

/** Undefined where there is none: the container has not started, its node is away, or pods are simulated. */
async function readLog(
  { client }: ApiContext,
  namespace: string,
  pod: string,
  container: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let text = "";
  try {
    for await (const piece of client.logs(namespace, pod, { container, tailLines: logLines, signal })) {
      // One line may be of any length: the last characters are kept, with room for a flag that is cut.
      text = (text + piece).slice(-2 * mostLogCharacters);
    }
    return text;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Of its namespace, and of the ChallengeInstance itself; oldest first. */
export async function eventsOf(context: ApiContext, row: InstanceRow, signal: AbortSignal): Promise<InstanceEvents> {
  const { client, settings } = context;
  const object = objectOf(context, row);
  if (!object) return [];
  const own = { namespace: settings.namespace, fieldSelector: `involvedObject.name=${object.metadata.name}` };
  const selections = [own, ...(object.status?.namespace === undefined ? [] : [{ namespace: object.status.namespace }])];
  const lists = await Promise.all(
    selections.map(({ ...selection }) => client.list(Events, { ...selection, limit: mostEvents, signal })),
  );
  const events = lists
    .flatMap(({ items }) => items)
    .filter(
      ({ involvedObject }) =>
        involvedObject?.kind !== "ChallengeInstance" || involvedObject.uid === object.metadata.uid,
    );
  const flags = flagsOf(context, row);
  return events
    .map((event) => presentEvent(event, flags))
    .sort((one, other) => parseTime(one.at) - parseTime(other.at));
}

function presentEvent(event: CoreEvent, flags: readonly string[]): InstanceEvents[number] {
  const { type, reason, message, involvedObject, count } = event;
  return {
    at: new Date(eventTime(event) ?? 0).toISOString(),
    type: type ?? "Normal",
    reason: reason ?? "",
    message: maskFlags(message ?? "", flags),
    object: `${involvedObject?.kind ?? ""} ${involvedObject?.name ?? ""}`.trim(),
    count: count ?? 1,
  };
}

/** The instance's own, and the static one of the challenge. */
function flagsOf({ caches, settings }: ApiContext, row: InstanceRow): string[] {
  const challenge = caches().challenges.get(`${settings.namespace}/${row.challenge_name}`);
  return [row.flag, challenge?.spec.flag].flatMap((flag) => flag || []);
}
