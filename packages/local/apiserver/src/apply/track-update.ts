/**
 * Who owns what after an object was created, replaced or patched: whoever changed a field owns it, and nobody else does
 * any more.
 *
 *     draft.metadata.managedFields = trackUpdate({ kind, live, updated: draft, manager: "kubectl-edit", subresource: "", now });
 *
 * `updated` is what the client asked for, with the defaults filled in, before the server decides anything itself (status
 * put back, ports allocated, admission): what the server decides, nobody owns.
 */
import { formatTime, type ManagedFieldsEntry } from "@berg/apimachinery";
import { isBuiltIn } from "../discovery/built-in-groups.ts";
import type { AnyObject } from "../registry/resource.ts";
import { capUpdaters } from "./cap-updaters.ts";
import { typeProblems } from "./check-types.ts";
import { objectType } from "./field-type.ts";
import { ItemProblem } from "./list-items.ts";
import { idOf, type Managers, readManagers, writeManagers } from "./managers.ts";
import { neverOwned } from "./never-owned.ts";
import { reconcile } from "./reconcile.ts";
import { settle } from "./settle.ts";
import { apiVersionOf, resetFields, type TrackedKind, withStructs } from "./tracked-kind.ts";
import { isObject } from "./values.ts";

export interface Update {
  readonly kind: TrackedKind;
  /** Undefined where it is created. */
  readonly live: AnyObject | undefined;
  readonly updated: AnyObject;
  readonly manager: string;
  /** `""`, `status`, or `scale`: then both are scales. */
  readonly subresource: string;
  /** ms since 1970. */
  readonly now: number;
  /** All apiVersions of the kind: what is owned in any other is forgotten. Nothing is where this is not given. */
  readonly apiVersions?: readonly string[] | undefined;
}

/** Undefined where nobody owns anything, or where it cannot be told: the field is then left out. */
export function trackUpdate(update: Update): ManagedFieldsEntry[] | undefined {
  const managers = managersBefore(update);
  // Tracking starts when an object is created, or when somebody first applies it.
  if (managers.size === 0 && update.live?.metadata.uid) return undefined;
  if (isMisshapen(update)) return undefined;
  try {
    return writeManagers(managersAfter(update, managers));
  } catch (problem) {
    if (problem instanceof ItemProblem) return undefined;
    throw problem;
  }
}

/** A status that is not written may be of any shape; of built-in kinds none gets this far. */
function isMisshapen({ kind, updated }: Update): boolean {
  if (isBuiltIn(kind)) return false;
  return typeProblems(objectType(kind.schema), withoutManagedFields(updated), true) !== undefined;
}

/** A client may put managedFields straight, or reset them; one that knows nothing of them leaves them as they are. */
function managersBefore({ live, updated, subresource }: Update): Managers {
  const sent = updated.metadata.managedFields;
  if (subresource === "" && sent) {
    if (isReset(sent)) return new Map();
    const managers = managersOrNone(sent);
    if (managers.size > 0) return managers;
  }
  return managersOrNone(live?.metadata.managedFields ?? []);
}

function isReset(sent: readonly ManagedFieldsEntry[]): boolean {
  const [first] = sent;
  return sent.length === 0 || (sent.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

function managersOrNone(entries: readonly ManagedFieldsEntry[]): Managers {
  try {
    return readManagers(entries);
  } catch {
    // Whatever is wrong with them, it is better to track nothing than to refuse the write.
    return new Map();
  }
}

export function managersAfter(update: Update, before: Managers): Managers {
  const { kind, live = {}, updated, manager, subresource, now } = update;
  const type = objectType(kind.schema);
  const states = { live: withStructs(kind, live), next: withStructs(kind, withoutManagedFields(updated)) };
  const reset = resetFields(kind, subresource);
  const { changes, managers } = settle(type, states, reconcile(type, before, update.apiVersions), undefined, reset);
  const taken = changes.modified.union(changes.added).difference(neverOwned);
  if (!taken.isEmpty()) {
    const self = {
      manager: manager || "unknown",
      operation: "Update",
      apiVersion: apiVersionOf(kind),
      subresource,
    } as const;
    const id = idOf(self);
    const fields = managers.get(id)?.fields.union(taken) ?? taken;
    managers.set(id, { ...self, time: formatTime(now), fields });
  }
  capUpdaters(managers);
  return managers;
}

function withoutManagedFields(object: AnyObject): AnyObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
