/**
 * Whoever applies again what is there changes nothing but a time. Nothing is then written at all, or controllers that
 * apply in a loop would wake everybody who watches.
 */
import { jsonEqual, type ManagedFieldsEntry } from "@berg/apimachinery";
import type { AnyObject } from "../registry/resource.ts";

/** The managedFields of `live` where `object` differs from it in their times alone; else those of `object`. */
export function withoutNewTimes(object: AnyObject, live: AnyObject): ManagedFieldsEntry[] | undefined {
  const [now, old] = [object.metadata.managedFields, live.metadata.managedFields];
  if (!now || !old || now.length !== old.length) return now;
  return jsonEqual(bare(object, now), bare(live, old)) ? old : now;
}

function bare(object: AnyObject, managedFields: readonly ManagedFieldsEntry[]): AnyObject {
  const entries = managedFields.map(({ time: _, ...entry }) => entry);
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}
