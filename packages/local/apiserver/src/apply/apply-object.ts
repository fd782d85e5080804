/**
 * Server-side apply: lays what is applied over what is there, takes away what this manager applied before and does not
 * apply any more, and says who owns what from now on.
 *
 *     const { object } = applyObject({ kind, name, live, applied, manager: "berg-controller", force: true, subresource: "", now });
 *
 * The object shares parts with what was passed in. Defaults, and whatever else comes with every write, are still to be
 * applied to it; fields of which everything was taken away may be null.
 */
import { formatTime, jsonEqual, StatusError } from "@berg/apimachinery";
import { badRequest, conflict } from "../errors/refusals.ts";
import type { AnyObject } from "../registry/resource.ts";
import { typeProblems } from "./check-types.ts";
import { applyConflict } from "./conflicts.ts";
import type { FieldSet } from "./field-set.ts";
import { type FieldType, objectType } from "./field-type.ts";
import { fieldsOf } from "./fields-of.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { ItemProblem } from "./list-items.ts";
import { idOf, type Manager, type Managers, readManagers, writeManagers } from "./managers.ts";
import { merge } from "./merge.ts";
import { neverOwned } from "./never-owned.ts";
import { prune } from "./prune.ts";
import { reconcile } from "./reconcile.ts";
import { settle } from "./settle.ts";
import { managersAfter } from "./track-update.ts";
import { apiVersionOf, resetFields, type TrackedKind, withStructs } from "./tracked-kind.ts";
import { getPath, type JsonObject } from "./values.ts";

export interface Apply {
  readonly kind: TrackedKind;
  /** As the URL has it. */
  readonly name: string;
  /** Undefined where it is created. */
  readonly live: AnyObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  /** Whether to take what others own. */
  readonly force: boolean;
  /** `""` or `status`. */
  readonly subresource: string;
  /** ms since 1970. */
  readonly now: number;
  /** All apiVersions of the kind: what is owned in any other is forgotten. Nothing is where this is not given. */
  readonly apiVersions?: readonly string[] | undefined;
}

export function applyObject(apply: Apply): { object: AnyObject } {
  const { kind, name, live, applied, manager } = apply;
  const type = objectType(kind.schema);
  check(apply, type);
  const uid = getPath(applied, "metadata", "uid");
  if (!live && uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict({ group: kind.group, resource: kind.resource, name }, why);
  }
  const before = managersBefore(apply);
  const outcome = lay(apply, type, before);
  if (outcome.conflicts.size > 0 && !apply.force) {
    const left = manager === "kubectl" && live ? notFromKubectl(apply, type, outcome.conflicts) : outcome.conflicts;
    if (left.size > 0) throw applyConflict(before, left);
  }
  const object = manager === "kubectl" ? withLastApplied(outcome.object, applied) : outcome.object;
  return { object: withManagers(object, outcome.managers) };
}

function check({ kind, applied }: Apply, type: FieldType): void {
  const { apiVersion, kind: name } = applied;
  if (apiVersion !== apiVersionOf(kind) || name !== kind.kind) {
    throw badRequest(`invalid object type: ${showType(applied)}`);
  }
  const managedFields = getPath(applied, "metadata", "managedFields");
  if (managedFields !== undefined && managedFields !== null) throw badRequest("metadata.managedFields must be nil");
  const problems = typeProblems(type, applied);
  if (problems) throw failure(`failed to create typed patch object (${show(applied)}): ${problems}`);
}

/** What is there and was never tracked belongs to `before-first-apply`, so that it is not taken by accident. */
function managersBefore(apply: Apply): Managers {
  const { live } = apply;
  if (!live) return new Map();
  const managers = read(live);
  if (managers.size > 0) return managers;
  return onLive(live, () =>
    managersAfter({ ...apply, live: undefined, updated: live, manager: "before-first-apply" }, managers),
  );
}

function read(live: AnyObject): Managers {
  try {
    return readManagers(live.metadata.managedFields ?? []);
  } catch (problem) {
    throw failure(`failed to decode managed fields: ${(problem as Error).message}`);
  }
}

interface Laid {
  readonly object: JsonObject;
  readonly managers: Managers;
  /** Fields of others that were given another value. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
}

function lay(apply: Apply, type: FieldType, before: Managers): Laid {
  const { kind, live = emptyObject, applied, manager, subresource, now } = apply;
  return onLive(live, () => {
    const managers = reconcile(type, before, apply.apiVersions);
    const reset = resetFields(kind, subresource);
    const self = { manager, operation: "Apply", apiVersion: apiVersionOf(kind), subresource } as const;
    const id = idOf(self);
    const last: Manager | undefined = managers.get(id);
    const fields = fieldsOf(type, applied).without(reset);
    managers.set(id, { ...self, time: last?.time, fields });
    const next = prune(type, merge(type, live, applied), managers, { last: last?.fields, now: fields }) as JsonObject;
    const states = { live: withStructs(kind, live), next: withStructs(kind, next) };
    const settled = settle(type, states, managers, id, reset);
    const owned = fields.difference(neverOwned);
    const isUnchanged = jsonEqual(live, next);
    if (owned.isEmpty()) settled.managers.delete(id);
    else settled.managers.set(id, { ...self, time: isUnchanged ? last?.time : formatTime(now), fields: owned });
    return { object: next, managers: settled.managers, conflicts: settled.conflicts };
  });
}

const emptyObject = {} as AnyObject;

/** The conflicts that are left when kubectl's own of old are taken away. */
function notFromKubectl(apply: Apply, type: FieldType, conflicts: Laid["conflicts"]): Map<string, FieldSet> {
  const ours = lastAppliedFields(type, apply.live as JsonObject, apiVersionOf(apply.kind));
  const left = new Map<string, FieldSet>();
  for (const [id, fields] of conflicts) {
    const theirs = fields.difference(ours);
    if (!theirs.isEmpty()) left.set(id, theirs);
  }
  return left;
}

function withManagers(object: JsonObject, managers: Managers): AnyObject {
  const { managedFields: _, ...metadata } = (object as AnyObject).metadata ?? {};
  const entries = writeManagers(managers);
  return { ...object, metadata: { ...metadata, ...(entries && { managedFields: entries }) } } as AnyObject;
}

/** Where the items of a list that is already there cannot be told apart. */
function onLive<T>(live: AnyObject, work: () => T): T {
  try {
    return work();
  } catch (problem) {
    if (!(problem instanceof ItemProblem)) throw problem;
    throw failure(`failed to create typed live object (${show(live)}): ${problem.message}`);
  }
}

/** Kubernetes has no better word for these: 500, and no reason. */
function failure(message: string): StatusError {
  return new StatusError({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, code: 500 });
}

/** `ctf/web; apps/v1, Kind=Deployment`. */
function show(object: JsonObject): string {
  const text = (name: string) => {
    const value = getPath(object, "metadata", name);
    return typeof value === "string" ? value : "";
  };
  return `${text("namespace")}/${text("name")}; ${showType(object)}`;
}

/** `apps/v1, Kind=Deployment`; nothing where the apiVersion makes no sense. */
function showType({ apiVersion, kind }: JsonObject): string {
  const parts = typeof apiVersion === "string" ? apiVersion.split("/") : [""];
  if (parts.length > 2) return "/, Kind=";
  const [group, version] = parts.length === 1 ? ["", parts[0]] : parts;
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}
