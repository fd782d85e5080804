/**
 * What a run leaves behind: every version of every object as the API server had it, and what the controller asked for.
 * The invariants are pure functions of it, so that each can be shown to fail.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type ChallengeInstance, labels, managedByBerg } from "@berg/resources";
import type { Seen } from "../faults/proxy.ts";

export interface Observed {
  type: "added" | "updated" | "deleted";
  /** `pods`, `challengeinstances`, …: as in a path. */
  resource: string;
  object: Stored<KubeObject>;
  /** When the watch brought it, as `performance.now()` counts. */
  at: number;
  /** A deletion that no watch has brought: a new list lacks the object. What else went meanwhile went in any order. */
  isMissed?: boolean;
}

export interface RunRecord {
  /** In the order of their revisions, whatever watch brought them first. */
  changes: readonly Observed[];
  /** What the controllers asked for, oldest first. */
  requests: readonly Seen[];
  /** Everything that the controllers logged, and their metrics. */
  output: readonly string[];
  now: number;
  /** Whether the organiser has the controller make network policies. */
  hasPolicies: boolean;
}

export interface Violation {
  /** `I6 policy before pods` */
  invariant: string;
  text: string;
}

export type Invariant = (run: RunRecord) => Violation[];

/** Sorts by revision: one counter of the server's covers all resources. */
export function inOrder(changes: readonly Observed[]): Observed[] {
  return changes.toSorted((a, b) => revisionOf(a) - revisionOf(b));
}

export function revisionOf({ object }: Observed): number {
  return Number(object.metadata.resourceVersion);
}

export function isInstance(change: Observed): change is Observed & { object: Stored<ChallengeInstance> } {
  return change.resource === "challengeinstances";
}

export function isMarked({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.managedBy] === managedByBerg && metadata.labels[labels.instanceUid] !== undefined;
}

export function nameOf({ resource, object: { metadata } }: Pick<Observed, "resource" | "object">): string {
  return `${resource} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`;
}

/** The objects as they were right after each change: `for (const [change, alive] of replay(changes))`. */
export function* replay(changes: readonly Observed[]): Generator<[Observed, ReadonlyMap<string, Observed>]> {
  const alive = new Map<string, Observed>();
  for (const change of changes) {
    if (change.type === "deleted") alive.delete(change.object.metadata.uid);
    else alive.set(change.object.metadata.uid, change);
    yield [change, alive];
  }
}

/** Each change with the version of the same object before it. */
export function* successions(changes: readonly Observed[]): Generator<[before: Observed, after: Observed]> {
  const latest = new Map<string, Observed>();
  for (const change of changes) {
    const { uid } = change.object.metadata;
    const before = latest.get(uid);
    if (before) yield [before, change];
    latest.set(uid, change);
  }
}
