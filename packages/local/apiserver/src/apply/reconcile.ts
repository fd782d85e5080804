/**
 * What an earlier schema left behind. Who owned something in a version that is no longer there owns it no more. Who owned
 * parts of what is now owned as one owns the whole of it.
 */
import { FieldSet } from "./field-set.ts";
import { type FieldType, isDeducedMap } from "./field-type.ts";
import type { Managers } from "./managers.ts";
import type { PathElement } from "./path-element.ts";

/** `apiVersions`: those that are still there; all, where it is not known. */
export function reconcile(type: FieldType, managers: Managers, apiVersions: readonly string[] | undefined): Managers {
  const reconciled: Managers = new Map();
  for (const [id, manager] of managers) {
    if (apiVersions && !apiVersions.includes(manager.apiVersion)) continue;
    const fields = reconcileFields(type, manager.fields);
    reconciled.set(id, fields === manager.fields ? manager : { ...manager, fields });
  }
  return reconciled;
}

/** The same set where nothing changed. */
function reconcileFields(type: FieldType, set: FieldSet): FieldSet {
  // What has nothing below it is owned as one already.
  if (set.below.size === 0) return set;
  if (type.map ? type.map.isAtomic && !isDeducedMap(type.map) : !type.scalar && type.list?.isAtomic) {
    return new FieldSet(true);
  }
  let isChanged = false;
  const below = new Map<PathElement, FieldSet>();
  for (const [element, inner] of set.below) {
    const innerType = typeBelow(type, element);
    const fields = innerType ? reconcileFields(innerType, inner) : inner;
    isChanged ||= fields !== inner;
    below.set(element, fields);
  }
  return isChanged ? new FieldSet(set.isMember, below) : set;
}

/** Undefined where nothing is to be reconciled any deeper. */
function typeBelow(type: FieldType, element: PathElement): FieldType | undefined {
  if (type.map) {
    if (isDeducedMap(type.map)) return undefined;
    return (element.startsWith("f:") ? type.map.field(element.slice(2)) : undefined) ?? type.map.others;
  }
  return type.scalar ? undefined : type.list?.items;
}
