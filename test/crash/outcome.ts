/**
 * What a life comes to, without what differs from life to life: what was seen at its stops, the last version of
 * everything that was made for it, and how often each object was made, written and deleted.
 */
import type { KubeObject } from "@berg/apimachinery";
import { type ChallengeInstance, labels } from "@berg/resources";
import type { Observed } from "../invariants/record.ts";
import type { Stage } from "./stage.ts";

export interface Outcome {
  stops: Record<string, unknown>;
  objects: Record<string, unknown>;
  /** By the history of the watches, so that a create or delete counts whether or not anybody saw its answer. */
  tally: Record<string, Tally>;
}

interface Tally {
  created: number;
  deleted: number;
  /** How often its spec was written. */
  generation: number;
}

/** Of others' making: how many there were is theirs to say. */
const others = new Set(["pods", "replicasets", "endpointslices", "events"]);

export function outcomeOf(stage: Stage): Outcome {
  const changes = changesOf(stage);
  const living = changes.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  return masked({
    stops: Object.fromEntries([...stage.stops].map(([name, { status }]) => [name, statusAt(name, status)])),
    objects: Object.fromEntries(
      living
        .filter(({ resource }) => resource !== "challengeinstances")
        .map(({ object }) => [nameOf(object), withoutStatus(object)]),
    ),
    tally: tallyOf(changes),
  });
}

/** What was made for the life, in the order in which it happened. */
function changesOf({ world, namespace, uids }: Stage): Observed[] {
  const own = new Set(["challengeinstances", "controllerrevisions"]);
  return world.followed.changes.filter(({ resource, object: { metadata } }) => {
    if (own.has(resource)) return metadata.namespace === namespace;
    return uids.has(metadata.labels?.[labels.instanceUid] ?? "") && !others.has(resource);
  });
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

function tallyOf(changes: readonly Observed[]): Record<string, Tally> {
  const tally: Record<string, Tally> = {};
  for (const { type, object } of changes) {
    const name = nameOf(object);
    const counts = tally[name] ?? { created: 0, deleted: 0, generation: 0 };
    tally[name] = counts;
    if (type === "added") counts.created++;
    if (type === "deleted") counts.deleted++;
    // Deleting raises it, too.
    if (object.metadata.deletionTimestamp === undefined)
      counts.generation = Math.max(counts.generation, object.metadata.generation ?? 0);
  }
  return tally;
}

function withoutStatus(object: KubeObject): object {
  const { status: _, metadata, ...rest } = object as KubeObject & { status?: unknown };
  const { name, namespace, labels: ofObject, annotations } = metadata;
  return { ...rest, metadata: { name, namespace, labels: ofObject, annotations } };
}

function statusAt(stop: string, status: ChallengeInstance["status"]): object {
  const conditions = (status?.conditions ?? []).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const { runtime, ...rest } = status ?? {};
  // A record in the instance goes with it, whether or not the listener was there to close it in its last moment.
  const isLast = stop.startsWith("gone");
  return { ...rest, ...(runtime && !isLast && { runtime }), conditions };
}

const masks: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>"],
  [/\b[0-9a-f]{32}\b/g, "<route>"],
  [/challenge-[0-9a-f]{8}(-[0-9a-f]{20})?/g, "<challenge>"],
  [/\/home\/[0-9a-f]{12}\b/g, "/home/<entropy>"],
  [/\bberg-[0-9a-f]{8}\b/g, "<cell>"],
];

/** Ids, times, addresses and counters differ from life to life. */
function masked<T>(value: T): T {
  const text = JSON.stringify(value, (key, part) => {
    if (/^(clusterIPs?|nodePort|observedGeneration|resourceVersion)$/.test(key)) return undefined;
    return key === "port" && part >= 30_000 ? "<node port>" : part;
  });
  return JSON.parse(mask(text));
}

export function mask(text: string): string {
  return masks.reduce((so, [pattern, mask]) => so.replace(pattern, mask), text);
}
