/**
 * Before anything is made: everything that could stand in the way is looked at, so that nothing half-made is left
 * behind. What the instance is going to run is recorded when nothing stands in the way any more.
 */
import { formatTime } from "@berg/apimachinery";
import { annotations } from "@berg/resources";
import { instanceNamespaceName } from "../builders/names.ts";
import { restarted, started } from "../expiry/expiry.ts";
import { currentRevision } from "../observe/record.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";
import { guards } from "./guards.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const admittedText = "There is a place for this instance.";

/** Who it is and when it ends, before anything can fail: a failed instance ends too. Returns whether that was news. */
export function identify(
  seen: Pick<Snapshot, "instance" | "challenge" | "now" | "freshId">,
  draft: StatusDraft,
  settings: Settings,
): boolean {
  const { instance, challenge, now } = seen;
  if (draft.status.instanceId !== undefined) return false;
  const wish = instance.metadata.annotations?.[annotations.instanceId];
  draft.status.instanceId = wish !== undefined && uuid.test(wish) ? wish : seen.freshId;
  draft.status.startedAt = formatTime(now);
  draft.become(started(draft.status, instance.spec, challenge?.spec, settings.expiry, now));
  return true;
}

/** Says what the instance waits for, or else records what it runs. Returns whether it can be made. */
export function pending(seen: Snapshot, draft: StatusDraft, settings: Settings): boolean {
  const { instance, challenge, now } = seen;
  if (!guards.every((passes) => passes(seen, draft, settings))) {
    // What the server refused is not asked again, so that its words have to stay.
    if (draft.status.reason !== reasons.manifestRefused) draft.forgetUnsaid();
    return false;
  }
  const revision = currentRevision(seen, settings)?.metadata.name;
  if (draft.status.revision !== revision && revision !== undefined) {
    draft.status.revision = revision;
    // No time is lost by waiting for a place, a flag or a Challenge.
    if (instance.status?.instanceId !== undefined) {
      draft.become(restarted(draft.status, instance.spec, challenge?.spec, settings.expiry, now));
    }
  }
  draft.status.namespace = instanceNamespaceName(instance.spec.ownerId);
  draft.condition(conditionTypes.admitted, "True", reasons.admitted, admittedText);
  // What has kept it from being made holds until something is made.
  if (instance.status?.phase !== "Creating") {
    draft.forgetUnsaid();
    draft.enter("Creating");
  }
  return true;
}
