/** What a change takes from those who owned what it changes. */
import { type Comparison, compare } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import type { Managers } from "./managers.ts";

export interface Settled {
  /** Without what is not this request's to change. */
  readonly changes: Comparison;
  /** By manager, what of theirs was given another value, or was given one where it had none. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  /** Those who are left, with what is left to them. */
  readonly managers: Managers;
}

/** `self` is spared: what it owns from now on is for the caller to say. */
export function settle(
  type: FieldType,
  states: { live: unknown; next: unknown },
  managers: Managers,
  self: string | undefined,
  resetFields: FieldSet,
): Settled {
  const changes = within(compare(type, states.live, states.next), resetFields);
  const given = changes.modified.union(changes.added);
  const conflicts = new Map<string, FieldSet>();
  const left: Managers = new Map();
  for (const [id, manager] of managers) {
    if (id === self) {
      left.set(id, manager);
      continue;
    }
    const conflict = manager.fields.intersection(given);
    if (!conflict.isEmpty()) conflicts.set(id, conflict);
    const fields = manager.fields.difference(given).difference(changes.removed);
    if (!fields.isEmpty()) left.set(id, { ...manager, fields });
  }
  return { changes, conflicts, managers: left };
}

function within({ removed, modified, added }: Comparison, resetFields: FieldSet): Comparison {
  return {
    removed: removed.without(resetFields),
    modified: modified.without(resetFields),
    added: added.without(resetFields),
  };
}
