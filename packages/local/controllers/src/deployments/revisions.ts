/** How a Deployment numbers its ReplicaSets, and what else it writes on them. */
import type { Deployment, ReplicaSet } from "@berg/kube";
import type { Limits } from "./limits.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Of the Deployment alone: they are not copied to its ReplicaSets. */
const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);
const longestHistory = 2000;

type Annotations = Record<string, string>;

/** 0 where it has none. */
export function revisionOf({ metadata }: ReplicaSet): number {
  return wholeNumber(metadata.annotations?.[revisionAnnotation]) ?? 0;
}

/** What a ReplicaSet noted of its Deployment's size when it was last scaled. */
export function notedSize({ metadata }: ReplicaSet): { desired: number | undefined; max: number | undefined } {
  const { [desiredAnnotation]: desired, [maxAnnotation]: max } = metadata.annotations ?? {};
  return { desired: wholeNumber(desired), max: wholeNumber(max) };
}

export function sizeAnnotations({ replicas, maxSurge }: Limits): Annotations {
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + maxSurge) };
}

/** The annotations of the ReplicaSet that runs the template now; `old` are the others'. */
export function currentAnnotations(
  { metadata }: Deployment,
  current: Annotations | undefined,
  old: readonly ReplicaSet[],
): Annotations {
  const copied = Object.entries(metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const annotations: Annotations = { ...current, ...Object.fromEntries(copied) };
  const had = current?.[revisionAnnotation];
  const next = Math.max(0, ...old.map(revisionOf)) + 1;
  // Those after it may have been deleted: a revision never goes back.
  if (had !== undefined && (wholeNumber(had) ?? next) >= next) return annotations;
  annotations[revisionAnnotation] = String(next);
  // It ran before, and is rolled back to.
  if (had !== undefined) annotations[historyAnnotation] = withRevision(current?.[historyAnnotation], had);
  return annotations;
}

function withRevision(history: string | undefined, revision: string): string {
  const revisions = [...(history ? history.split(",") : []), revision];
  while (revisions.length > 1 && revisions.join(",").length > longestHistory) revisions.shift();
  return revisions.join(",");
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
