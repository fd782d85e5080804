/** Conditions in the status of what the server itself changes. */
import { isObject, partOf } from "../json.ts";
import type { AnyObject } from "../resource.ts";

interface PodCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** Changes the draft; the time of the last change stays where the status does. */
export function setCondition(draft: AnyObject, condition: PodCondition, now: string): void {
  const status = partOf(draft, "status");
  const before = Array.isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  const index = before.findIndex(({ type }) => type === condition.type);
  const old = before[index];
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  const made = { lastProbeTime: null, ...condition, lastTransitionTime };
  draft.status = { ...status, conditions: index < 0 ? [...before, made] : before.with(index, { ...old, ...made }) };
}
