/**
 * The API server has refused something for good: what was made so far is taken away again. The instance keeps its
 * reason for its owner to read, until it ends or its Challenge changes.
 */
import { parseTime } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import type { Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { Decision } from "./decision.ts";
import type { StatusDraft } from "./draft.ts";
import { ownNamespace, runsOn, takeDown } from "./take-down.ts";

/** Undefined where nothing was refused, and where nothing is left to take away. */
export function failed(seen: Snapshot, draft: StatusDraft): Decision | undefined {
  const namespace = ownNamespace(seen);
  const { status } = seen.instance;
  // The condition is ours alone: a phase that somebody else decides takes nothing away, whatever their reason is called.
  const made = findCondition(status?.conditions, conditionTypes.namespaceCreated);
  if (!namespace || status?.phase !== "Failed" || made?.reason !== reasons.manifestRefused) return undefined;
  const since = made.lastTransitionTime === undefined ? seen.now : parseTime(made.lastTransitionTime);
  const { effects, dueAt, queuedSince } = takeDown(seen, namespace, since);
  const stoppingSince = runsOn(seen) ? since : undefined;
  return { effects, status: draft.status, statusFirst: false, dueAt, stoppingSince, queuedSince };
}
