/**
 * What goes because it is no longer applied: fields that this manager applied last time, does not apply now, and that
 * nobody else owns.
 */

import { FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldsOf } from "./fields-of.ts";
import type { Managers } from "./managers.ts";
import { removeFields, withNamedFields } from "./remove.ts";

/** `merged` holds what is there and what is applied; `managers` have what this one, `self`, applies now. */
export function prune(
  type: FieldType,
  merged: unknown,
  managers: Managers,
  self: { last: FieldSet | undefined; now: FieldSet },
): unknown {
  const { last, now } = self;
  if (!last || last.difference(now).isEmpty()) return merged;
  const named = (set: FieldSet) => withNamedFields(type, set);
  const mergedFields = named(fieldsOf(type, merged));

  // 1. All that was applied last time goes, 2. but what anybody owns,
  const bare = removeFields(type, merged, named(last));
  let owned = new FieldSet();
  for (const { fields } of managers.values()) owned = owned.union(fields);
  const kept = named(fieldsOf(type, bare)).union(named(owned));
  const withOwned = removeFields(type, merged, mergedFields.difference(kept));

  // 3. and what was never this manager's to take, though it stood inside something that was.
  const keptFields = named(fieldsOf(type, withOwned));
  return removeFields(type, merged, mergedFields.difference(keptFields).intersection(named(last)));
}
