/** How well a Shoot is, as gardenlet's care writes it. */
import type { ShootCondition, TestShoot, TestShootStatus } from "../kinds.ts";

export const conditionTypes = [
  "APIServerAvailable",
  "ControlPlaneHealthy",
  "ObservabilityComponentsHealthy",
  "EveryNodeReady",
  "SystemComponentsHealthy",
] as const;
export type ConditionType = (typeof conditionTypes)[number];
export type ConditionStatus = ShootCondition["status"];

export const statusLabel = "shoot.gardener.cloud/status";

/** All is well, but for what is told; a cluster that sleeps is not looked at. */
export function conditionsOf(
  shoot: TestShoot,
  told: Partial<Record<ConditionType, ConditionStatus>>,
  now: string,
): ShootCondition[] {
  const asleep = shoot.spec.hibernation?.enabled === true;
  const before = new Map(shoot.status?.conditions?.map((condition) => [condition.type, condition]));
  return conditionTypes.map((type) => {
    const status = asleep ? "True" : (told[type] ?? "True");
    const reason = asleep ? "ConditionNotChecked" : status === "True" ? `${type}Check` : `${type}CheckFailed`;
    const message = asleep ? "Shoot cluster has been hibernated." : `${type} is ${status}.`;
    const old = before.get(type);
    if (old?.status === status && old.reason === reason) return old;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
    return { type, status, reason, message, lastTransitionTime, lastUpdateTime: now };
  });
}

/** The value of the label by which people and dashboards tell well from unwell. */
export function statusLabelOf({ lastOperation, lastErrors, conditions }: TestShootStatus): string {
  if (!lastOperation || (lastErrors && lastErrors.length > 0)) return lastOperation ? "unhealthy" : "unknown";
  if (lastOperation.state === "Processing" || lastOperation.state === "Pending") {
    return conditions?.some(({ status }) => status === "False") ? "unhealthy" : "progressing";
  }
  const statuses = new Set(conditions?.map(({ status }) => status));
  if (lastOperation.state === "Failed" || statuses.has("False")) return "unhealthy";
  if (statuses.has("Unknown")) return "unknown";
  return statuses.has("Progressing") ? "progressing" : "healthy";
}
