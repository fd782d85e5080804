/** What `metadata` must look like, and what of it nobody may change. */
import { jsonEqual, type ObjectMeta, type OwnerReference } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, required, tooLong } from "../../errors/field-error.ts";
import { labelProblems, labelValueProblems, pathSegmentProblems, qualifiedNameProblems } from "./names.ts";

export interface MetaRules {
  namespaced: boolean;
  /** What names of this kind must look like; returns what is wrong with one. */
  nameProblems(name: string): string[];
  /** What is stored; undefined on create. */
  old?: ObjectMeta | undefined;
  /** Whether finalizers must be well-known or have a domain, as built-in kinds want it. */
  isBuiltIn?: boolean;
  /** Where it stands: `metadata` unless told otherwise. */
  path?: string;
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;
const mostAnnotationBytes = 256 * 1024;
const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

/** Where a rule is checked more than once by Kubernetes, it is told more than once, as there. */
export function validateObjectMeta(metadata: ObjectMeta, rules: MetaRules): FieldError[] {
  const path = rules.path ?? "metadata";
  const { old } = rules;
  if (old === undefined) return [...nameErrors(metadata, rules, path), ...commonErrors(metadata, rules, path)];
  // Names that are stored already need only be safe in a URL.
  const loose = { ...rules, nameProblems: pathSegmentProblems };
  const changes = changeErrors(metadata, old, path);
  return [...nameErrors(metadata, loose, path), ...commonErrors(metadata, rules, path), ...changes, ...changes];
}

function nameErrors(metadata: ObjectMeta, { nameProblems }: MetaRules, path: string): FieldError[] {
  const { name, generateName } = metadata;
  const errors: FieldError[] = [];
  if (generateName)
    errors.push(
      ...nameProblems(withoutTrailingDash(generateName)).map((problem) =>
        invalid(`${path}.generateName`, generateName, problem),
      ),
    );
  if (!name) return [...errors, required(`${path}.name`, "name or generateName is required")];
  return [...errors, ...nameProblems(name).map((problem) => invalid(`${path}.name`, name, problem))];
}

/** Something follows it, so that a dash may stand there. */
function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}

function commonErrors(metadata: ObjectMeta, { namespaced, isBuiltIn }: MetaRules, path: string): FieldError[] {
  const generation = metadata.generation ?? 0;
  return [
    ...namespaceErrors(metadata.namespace ?? "", namespaced, `${path}.namespace`),
    ...(generation < 0 ? [invalid(`${path}.generation`, generation, "must be greater than or equal to 0")] : []),
    ...contentErrors(metadata, path),
    ...finalizerErrors(metadata.finalizers ?? [], isBuiltIn ?? false, `${path}.finalizers`),
  ];
}

function namespaceErrors(namespace: string, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace === "" ? [] : [forbidden(path, "not allowed on this type")];
  if (namespace === "") return [required(path)];
  return labelProblems(namespace).map((problem) => invalid(path, namespace, problem));
}

function changeErrors(metadata: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const kept = new Set(old.finalizers);
    const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !kept.has(finalizer)));
    if (added.size > 0) {
      const shown = [...added]
        .sort()
        .map((finalizer) => JSON.stringify(finalizer))
        .join(", ");
      const why = "no new finalizers can be added if the object is being deleted, found new finalizers";
      errors.push(forbidden(`${path}.finalizers`, `${why} []string{${shown}}`));
    }
  }
  if ((metadata.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(`${path}.generation`, metadata.generation ?? 0, "must not be decremented"));
  for (const field of immutable) {
    if (!jsonEqual(metadata[field] ?? null, old[field] ?? null))
      errors.push(invalid(`${path}.${field}`, metadata[field], "field is immutable"));
  }
  return [...errors, ...contentErrors(metadata, path)];
}

/** What is checked in the same way whenever it is written. */
function contentErrors(metadata: ObjectMeta, path: string): FieldError[] {
  return [
    ...labelErrors(metadata.labels ?? {}, `${path}.labels`),
    ...annotationErrors(metadata.annotations ?? {}, `${path}.annotations`),
    ...ownerErrors(metadata.ownerReferences ?? [], `${path}.ownerReferences`),
    ...managerErrors(metadata, `${path}.managedFields`),
  ];
}

export function labelErrors(labels: Record<string, string>, path: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(path, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(path, value, problem)),
  ]);
}

function annotationErrors(annotations: Record<string, string>, path: string): FieldError[] {
  let size = 0;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    errors.push(...qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid(path, key, problem)));
  }
  return size > mostAnnotationBytes ? [...errors, tooLong(path, mostAnnotationBytes)] : errors;
}

function ownerErrors(owners: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  let others = 0;
  for (const owner of owners) {
    const [group, version] = groupAndVersion(owner.apiVersion);
    if (version === "") errors.push(invalid(`${path}.apiVersion`, owner.apiVersion ?? "", "version must not be empty"));
    for (const field of ["kind", "name", "uid"] as const) {
      if (!owner[field]) errors.push(invalid(`${path}.${field}`, "", "must not be empty"));
    }
    if (group === "" && version === "v1" && owner.kind === "Event")
      errors.push(invalid(path, inOrder(owner), "/v1, Kind=Event is disallowed from being an owner"));
    if (!owner.controller) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      // Each shows all owners: with thousands of them that would be more than memory holds.
      if (++others > 10) continue;
      const why = 'Only one reference can have Controller set to true. Found "true" in references for';
      errors.push(invalid(path, owners.map(inOrder), `${why} ${controller} and ${name}`));
    } else controller = name;
  }
  return errors;
}

/** As Go prints it. */
function inOrder({ apiVersion = "", kind = "", name = "", uid = "", ...rest }: Partial<OwnerReference>): unknown {
  const { controller, blockOwnerDeletion } = rest;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

function groupAndVersion(apiVersion = ""): [group: string, version: string] {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return ["", ""];
  return parts.length === 2 ? [parts[0] ?? "", parts[1] ?? ""] : ["", apiVersion];
}

function finalizerErrors(finalizers: readonly string[], isBuiltIn: boolean, path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalid(path, finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  if (!isBuiltIn) return errors;
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  finalizers.forEach((finalizer, index) => {
    if (!finalizer.includes("/") && !standardFinalizers.includes(finalizer))
      errors.push(invalid(`${path}[${index}]`, finalizer, why));
  });
  return errors;
}

function managerErrors({ managedFields = [] }: ObjectMeta, path: string): FieldError[] {
  return managedFields.flatMap(({ operation, fieldsType, manager, subresource }, index) => {
    const errors: FieldError[] = [];
    if (operation !== "Apply" && operation !== "Update")
      errors.push(invalid(`${path}[${index}].operation`, operation ?? "", "must be `Apply` or `Update`"));
    if (fieldsType && fieldsType !== "FieldsV1")
      errors.push(invalid(`${path}[${index}].fieldsType`, fieldsType, "must be `FieldsV1`"));
    if (Buffer.byteLength(manager ?? "") > 128) errors.push(tooLong(`${path}[${index}].manager`, 128));
    if (Buffer.byteLength(subresource ?? "") > 256) errors.push(tooLong(`${path}[${index}].subresource`, 256));
    return errors;
  });
}
