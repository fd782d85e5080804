/**
 * Who owns the number of replicas, seen from a scale and from the object that it is a scale of. The object holds it: a
 * scale is given the owners of that one field, and what a request makes of them is put back.
 */
import type { ManagedFieldsEntry } from "@berg/apimachinery";
import { FieldSet } from "./field-set.ts";
import { type Manager, type Managers, readManagers, writeManagers } from "./managers.ts";
import { type FieldPath, fieldElement } from "./path-element.ts";
import { apiVersionOf, type TrackedKind } from "./tracked-kind.ts";

const scaleVersion = "autoscaling/v1";
const inScale: FieldPath = ["spec", "replicas"].map(fieldElement);

/** `.spec.replicas`, as the kind says it. */
export function replicasPath(path: string): FieldPath {
  return path
    .split(".")
    .filter((step) => step !== "")
    .map(fieldElement);
}

/** Those who own the number, as owners of a scale. */
export function scaleEntries(
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
): ManagedFieldsEntry[] | undefined {
  const owners = [...readManagers(entries).values()].filter(({ fields }) => fields.has(path));
  return writeManagers(
    inPlace(owners.map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: FieldSet.of(inScale) }))),
  );
}

/**
 * The owners of the object, after `scale` was changed. Whoever owns the number through a scale is known by the version of
 * scales, and so never found again among the owners of the object: the time of an update is lost on this way.
 */
export function parentEntries(
  kind: TrackedKind,
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
  scale: readonly ManagedFieldsEntry[],
): ManagedFieldsEntry[] | undefined {
  const left = readManagers(scale);
  const owners: Manager[] = [];
  const parent = readManagers(entries);
  for (const [id, owner] of parent) {
    if (!owner.fields.has(path) || left.delete(id)) owners.push(owner);
    else {
      const fields = owner.fields.difference(FieldSet.of(path));
      if (!fields.isEmpty()) owners.push({ ...owner, fields });
    }
  }
  for (const [id, owner] of left) {
    if (!owner.fields.has(inScale)) continue;
    const time = parent.get(id)?.time;
    owners.push({ ...owner, time, apiVersion: apiVersionOf(kind), fields: FieldSet.of(path) });
  }
  return writeManagers(inPlace(owners));
}

/** One who owns the number through a scale and more of the object in another way has two entries. */
function inPlace(owners: readonly Manager[]): Managers {
  return new Map(owners.map((owner, index) => [String(index), owner]));
}
