/** What has to be true of a storm when it is over, by the history of everything that was in the cluster. Pure. */
import { type KubeObject, parseTime, type Stored } from "@berg/apimachinery";
import { type ChallengeInstance, labels } from "@berg/resources";
import { inOrder, isInstance, isMarked, nameOf, type Observed } from "../../invariants/record.ts";
import type { Death } from "./crowd.ts";

/** How long an instance may go on after its time. */
const limitMs = 5_000;
/** Where the controller that led was killed: another one has to find out first. */
const limitAcrossCrashMs = 20_000;

export interface Late {
  instance: string;
  ms: number;
  limitMs: number;
}

/**
 * How long after its time each instance was still not stopped, the longest first. An instance is stopped when each of
 * its Deployments is gone or going, and it is itself.
 */
export function lateness(changes: readonly Observed[], deaths: readonly Death[], now: number): Late[] {
  const stoppedAt = new Map<string, Map<string, number>>();
  const latest = new Map<string, Stored<ChallengeInstance>>();
  const clock = clockOf(now);
  for (const change of changes) {
    const { object, resource } = change;
    if (isInstance(change)) latest.set(object.metadata.uid, change.object);
    const uid = isInstance(change) ? object.metadata.uid : object.metadata.labels?.[labels.instanceUid];
    if (uid === undefined || (resource !== "deployments" && !isInstance(change))) continue;
    const parts = stoppedAt.get(uid) ?? new Map<string, number>();
    stoppedAt.set(uid, parts);
    const isStopped = change.type === "deleted" || object.metadata.deletionTimestamp !== undefined;
    if (!isStopped) parts.set(object.metadata.uid, Number.POSITIVE_INFINITY);
    else parts.set(object.metadata.uid, Math.min(parts.get(object.metadata.uid) ?? clock(change), clock(change)));
  }
  return [...latest]
    .flatMap(([uid, { metadata, status }]): Late[] => {
      if (status?.expiresAt === undefined) return [];
      const due = parseTime(status.expiresAt);
      const ms = Math.max(...(stoppedAt.get(uid)?.values() ?? [])) - due;
      const isAcross = deaths.some(({ command, at }) => command === "controller" && Math.abs(at - due) < 25_000);
      return [{ instance: metadata.name, ms, limitMs: isAcross ? limitAcrossCrashMs : limitMs }];
    })
    .toSorted((a, b) => b.ms - a.ms);
}

/** Namespaces that went though nobody had asked for it and the time was not up, or that were nobody's to delete. */
export function wronglyDeleted(changes: readonly Observed[], byHand: ReadonlySet<string>, now: number): string[] {
  const latest = new Map<string, Stored<ChallengeInstance>>();
  const going = new Set<string>();
  const clock = clockOf(now);
  const wrong: string[] = [];
  for (const change of inOrder(changes)) {
    const { object, type, resource } = change;
    if (isInstance(change)) latest.set(object.metadata.uid, change.object);
    const isGoing = type === "deleted" || object.metadata.deletionTimestamp !== undefined;
    if (resource !== "namespaces" || !isGoing || going.has(object.metadata.uid)) continue;
    going.add(object.metadata.uid);
    if (byHand.has(object.metadata.name)) continue;
    const owner = isMarked(object) ? latest.get(object.metadata.labels?.[labels.instanceUid] ?? "") : undefined;
    if (!owner) wrong.push(`${nameOf(change)} was nobody's to delete`);
    else if (!isDue(owner, clock(change))) wrong.push(`${nameOf(change)} went before its time`);
  }
  return wrong;
}

function isDue({ metadata, spec, status }: Stored<ChallengeInstance>, at: number): boolean {
  if (metadata.deletionTimestamp ?? spec.terminationReason ?? status?.terminationReason) return true;
  return status?.expiresAt !== undefined && parseTime(status.expiresAt) <= at;
}

/** What is still there, of ours, when the storm is over. What instances ran is kept for the next ones. */
export function leftOver(objects: readonly Stored<KubeObject>[]): string[] {
  return objects
    .filter((object) => object.kind !== "ControllerRevision" && object.kind !== "Event")
    .filter((object) => object.kind === "ChallengeInstance" || isMarked(object))
    .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
}

/** Watches tell when they brought a change by the clock that never jumps. */
function clockOf(now: number): (change: Observed) => number {
  const offset = now - performance.now();
  return ({ at }) => at + offset;
}
