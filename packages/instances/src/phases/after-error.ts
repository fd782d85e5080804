/** What to do about an instance when our own code threw while it was observed, or while it was decided about. */
import { isEnding, type TerminationReason } from "@berg/resources";
import { dueAt, isExpired } from "../expiry/due.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { Decision } from "./decision.ts";
import { StatusDraft } from "./draft.ts";
import { identify } from "./pending.ts";
import { isHeld } from "./terminated.ts";
import { terminating } from "./terminating.ts";

/** What is known of an instance in any case. */
export type Essentials = Pick<Snapshot, "instance" | "now" | "freshId" | "challenge">;

const message =
  "An error in Berg itself keeps this instance from being started. The organisers find it in the log of the controller; until it is fixed, this instance can only be ended.";

/**
 * Undefined where there is nothing to decide: an instance that has been ready keeps running, and one that ends cannot do
 * so without a snapshot of what is left of it.
 */
export function decideAfterError(
  known: Essentials,
  seen: Snapshot | undefined,
  settings: Settings,
): Decision | undefined {
  const { instance, now } = known;
  const { spec, status = {} } = instance;
  if (isEnding(instance) || isExpired(status, now)) {
    const byTime: TerminationReason = isExpired(status, now) ? "Timeout" : "UserRequest";
    return seen && terminating(seen, { reason: status.terminationReason ?? spec.terminationReason ?? byTime });
  }
  if (status.readyAt !== undefined) return undefined;
  const draft = new StatusDraft(known);
  const unchanged = { status: draft.status, statusFirst: false };
  if (!isHeld(instance)) return { ...unchanged, effects: [{ do: "addFinalizer" }] };
  identifyInAnyCase(known, draft, settings);
  draft.condition(conditionTypes.deploymentsCreated, "False", reasons.internalError, message);
  draft.enterBecause("Failed", reasons.internalError, message);
  return { ...unchanged, effects: [], dueAt: dueAt(draft.status, settings.expiry) };
}

/** Where the times of the instance or its Challenge cannot be read, it has the organiser's. */
function identifyInAnyCase(known: Essentials, draft: StatusDraft, settings: Settings): void {
  try {
    identify(known, draft, settings);
  } catch {
    const { timeout: _, until: __, ...spec } = known.instance.spec;
    const untimed = { ...known, instance: { ...known.instance, spec }, challenge: undefined };
    delete draft.status.instanceId;
    identify(untimed, draft, settings);
  }
}
