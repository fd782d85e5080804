/** What is told of a KubeconfigRequest when its status changes. */
import { type EventRecorder, findCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Request } from "./names.ts";
import { conditionTypes, events, reasons } from "./vocabulary.ts";

export function tellChanges(
  { recorder }: { recorder: EventRecorder },
  request: Request,
  after: KubeconfigRequestStatus,
) {
  const before = request.status ?? {};
  const tell = ({ type, reason, message }: { type: "Normal" | "Warning"; reason: string; message: string }) =>
    recorder.event(request, type, reason, message);
  /** The condition, where it has just become so. */
  const became = (type: string, status: "True" | "False") => {
    const now = findCondition(after.conditions, type);
    const was = findCondition(before.conditions, type);
    const isNew = now?.status === status && (was?.status !== status || was.reason !== now.reason);
    return isNew ? now : undefined;
  };

  if (after.epoch !== before.epoch && after.epoch !== undefined)
    tell(before.issuedAt === undefined ? events.issued : events.rotated);
  const revoked = became(conditionTypes.revoked, "True");
  // In the words of the condition: refused by the cluster, expired, or gone with it.
  if (revoked) tell({ ...events.revoked, message: revoked.message ?? "" });
  const refused = became(conditionTypes.rulesAccepted, "False");
  if (refused) tell({ ...events.rulesRefused, message: refused.message ?? "" });
  const away = became(conditionTypes.targetReachable, "False") ?? became(conditionTypes.rbacReady, "False");
  if (away && away.reason !== reasons.clusterNotFound) tell({ ...events.unavailable, message: away.message ?? "" });
}
