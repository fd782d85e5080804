/** How big each ReplicaSet of a Deployment should be next: pure, one step at a time. */
import type { Stored } from "@berg/apimachinery";
import type { Deployment, ReplicaSet } from "@berg/kube";
import { isRolling, type Limits } from "./limits.ts";
import { notedSize } from "./revisions.ts";

export interface Resize {
  replicaSet: Stored<ReplicaSet>;
  replicas: number;
}

export const sizeOf = ({ spec }: ReplicaSet) => spec?.replicas ?? 1;
const availableOf = ({ status }: ReplicaSet) => status?.availableReplicas ?? 0;
export const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** How big the current one should be: as far as the surge allows, beside `others` of the old ones. */
export function growingSize({ replicas, maxSurge }: Limits, size: number, others: number, rolling: boolean): number {
  if (size >= replicas || !rolling) return replicas;
  const room = replicas + maxSurge - others - size;
  return room <= 0 ? size : size + Math.min(room, replicas - size);
}

/**
 * Shrinks the old ones, the oldest first: those of their pods that are not available at once, since nobody misses them;
 * the others as far as enough stay available.
 */
export function shrink(
  { replicas, maxUnavailable }: Limits,
  current: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
): Resize[] {
  const all = [...old, current];
  const least = replicas - maxUnavailable;
  // Pods of the current one that are still to come must not cost others their place.
  const coming = sizeOf(current) - availableOf(current);
  const most = sum(all.map(sizeOf)) - least - coming;
  if (most <= 0) return [];
  let broken = most;
  let spare = Math.max(0, sum(all.map(availableOf)) - least);
  const resizes: Resize[] = [];
  for (const replicaSet of old.toSorted(olderFirst)) {
    const size = sizeOf(replicaSet);
    const removed = Math.max(0, Math.min(broken, size - availableOf(replicaSet)));
    const given = Math.min(spare, size - removed);
    broken -= removed;
    spare -= given;
    if (removed + given > 0) resizes.push({ replicaSet, replicas: size - removed - given });
  }
  return resizes;
}

/** After a change of the Deployment's own size, or while it is paused: each ReplicaSet by its share. */
export function rescale(
  deployment: Deployment,
  limits: Limits,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
): Resize[] {
  const { replicas } = limits;
  const all = current ? [...old, current] : [...old];
  const active = all.filter((replicaSet) => sizeOf(replicaSet) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? current ?? old.toSorted(newerFirst)[0];
    return only && sizeOf(only) !== replicas ? [{ replicaSet: only, replicas }] : [];
  }
  if (current && isSaturated(current, replicas)) {
    return active.filter((one) => one !== current).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  }
  return isRolling(deployment) ? byShare(deployment, limits, active) : [];
}

function isSaturated(current: ReplicaSet, replicas: number): boolean {
  return [sizeOf(current), notedSize(current).desired, availableOf(current)].every((count) => count === replicas);
}

/** Even those that keep their size are named: each notes the new size of the Deployment, or it would be asked again. */
function byShare(deployment: Deployment, { replicas, maxSurge }: Limits, active: Stored<ReplicaSet>[]): Resize[] {
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const toAdd = allowed - sum(active.map(sizeOf));
  const tieBreak = toAdd > 0 ? newerFirst : olderFirst;
  const bySize = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || tieBreak(a, b));
  let left = toAdd;
  const resizes = bySize.map((replicaSet) => {
    const share = shareOf(replicaSet, deployment, replicas, replicas + maxSurge);
    const added = toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
    const size = sizeOf(replicaSet);
    if (toAdd === 0 || left === 0) return { replicaSet, replicas: size };
    left -= added;
    return { replicaSet, replicas: size + added };
  });
  // What rounding left over goes to the biggest.
  const [biggest] = resizes;
  if (biggest) biggest.replicas = Math.max(0, biggest.replicas + left);
  return resizes;
}

function shareOf(replicaSet: ReplicaSet, { status }: Deployment, replicas: number, max: number): number {
  const size = sizeOf(replicaSet);
  if (replicas === 0) return -size;
  const maxBefore = notedSize(replicaSet).max || (status?.replicas ?? 0);
  return maxBefore === 0 ? 0 : Math.round((size * max) / maxBefore) - size;
}

export function olderFirst(a: Stored<ReplicaSet>, b: Stored<ReplicaSet>): number {
  const [one, other] = [a.metadata, b.metadata];
  if (one.creationTimestamp !== other.creationTimestamp)
    return one.creationTimestamp < other.creationTimestamp ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

const newerFirst = (a: Stored<ReplicaSet>, b: Stored<ReplicaSet>) => olderFirst(b, a);
