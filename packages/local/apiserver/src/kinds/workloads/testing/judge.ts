/** What our server makes of an object, as far as its kind decides it: what would be stored, or why it is refused. */
import { type FieldError, formatFieldError } from "../../../errors/field-error.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "../../../registry/resource.ts";
import { decodeBuiltIn } from "../../../schema/decode/decode-object.ts";
import { fillDefaults } from "../../../schema/fill-defaults.ts";
import { workloadKinds } from "../index.ts";

export interface Judged {
  object?: AnyObject;
  errors: string[];
  warnings: string[];
}

const moment: Moment = { now: 0, random: () => 0, newestAll: () => [] };

export function kindOf(name: string): ServedResource {
  const found = workloadKinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`${name} is not one of the workloads`);
  return found;
}

export function judgeNew(kind: ServedResource, manifest: unknown): Judged {
  const draft = filledIn(kind, manifest);
  kind.strategy.prepare?.(draft, undefined, moment);
  return judged(kind, draft, undefined, "");
}

export function judgeChanged(kind: ServedResource, manifest: unknown, stored: unknown, subresource = ""): Judged {
  const old = frozen(structuredClone(stored)) as AnyStoredObject;
  const draft = filledIn(kind, manifest);
  if (subresource === "status") {
    draft.spec = structuredClone(old.spec);
    kind.strategy.prepareStatus?.(draft, old, moment);
  } else {
    if (kind.strategy.hasStatus) draft.status = structuredClone(old.status);
    kind.strategy.prepare?.(draft, old, moment);
  }
  return judged(kind, draft, old, subresource);
}

/** What is stored after both were written, for a test without a server. Throws where something is refused. */
export function stored(kind: ServedResource, manifest: unknown, status?: unknown): AnyStoredObject {
  const created = accepted(judgeNew(kind, manifest));
  const metadata = { ...created.metadata, uid: "uid", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const object = { ...created, metadata };
  if (status === undefined) return object;
  return accepted(judgeChanged(kind, { ...object, status }, object, "status")) as AnyStoredObject;
}

function accepted({ object, errors }: Judged): AnyObject {
  if (!object || errors.length > 0) throw new Error(errors.join("\n"));
  return object;
}

/** Read, and with what was left out. */
export function filledIn(kind: ServedResource, manifest: unknown): AnyObject {
  const draft = structuredClone(manifest) as AnyObject;
  decodeBuiltIn(draft, kind.schema, kind.kind);
  fillDefaults(draft, kind.schema);
  kind.strategy.fillIn?.(draft);
  return draft;
}

function judged(kind: ServedResource, draft: AnyObject, old: AnyStoredObject | undefined, subresource: string): Judged {
  const errors: FieldError[] = kind.strategy.validate?.(draft, old, subresource) ?? [];
  const warnings = kind.strategy.warnings?.(draft, old) ?? [];
  return { object: draft, errors: errors.map(formatFieldError), warnings };
}

/** A rule that changed what is stored would be found out. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}
