/** The status of a quota when more is used of it. */
import { jsonEqual } from "@berg/apimachinery";
import { trackUpdate } from "../apply/track-update.ts";
import { resourceQuotas } from "../kinds/core/resource-quota.ts";
import { draftOf } from "../registry/json.ts";
import type { AnyObject, AnyStoredObject } from "../registry/resource.ts";
import type { Quantities } from "./amounts.ts";
import type { Amounts } from "./pods.ts";

/** Undefined where that changes nothing, and where nothing was counted yet: then a controller is about to count it all. */
export function withUsed(quota: AnyStoredObject, amounts: Quantities, now: number): AnyObject | undefined {
  const status = quota.status as { hard?: Amounts; used?: Amounts } | undefined;
  const known = [...amounts].filter(([name]) => status?.hard?.[name] !== undefined);
  if (!status?.used || known.length === 0) return undefined;
  const used = { ...status.used, ...Object.fromEntries(known.map(([name, amount]) => [name, String(amount)])) };
  if (jsonEqual(used, status.used)) return undefined;
  const updated = draftOf<AnyObject>({ ...quota, status: { ...status, used } });
  const entries = trackUpdate({
    kind: resourceQuotas,
    live: quota,
    updated,
    manager: "kube-apiserver",
    subresource: "status",
    now,
  });
  if (entries) updated.metadata.managedFields = entries;
  return updated;
}
