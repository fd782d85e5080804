/** What becomes of a manifest, as far as its kind decides it. The registry does more; tests of kinds need no registry. */
import { StatusError } from "@berg/apimachinery";
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { invalid as refusal } from "../../errors/refusals.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "../../registry/resource.ts";

export type Manifest = { metadata: { name: string; [field: string]: unknown }; [field: string]: unknown };

export interface Outcome {
  object?: AnyStoredObject;
  /** Why it was refused. */
  causes?: { reason: string; field: string; message: string }[];
  warnings?: string[];
}

export interface Place {
  namespace?: string;
  old?: AnyStoredObject;
  subresource?: string;
  /** What is stored already. */
  stored?: readonly AnyStoredObject[];
  random?: () => number;
}

let made = 0;

export function play(kind: ServedResource, manifest: Manifest, place: Place = {}): Outcome {
  const { old, subresource = "", stored = [] } = place;
  const draft = structuredClone(manifest) as unknown as AnyObject;
  draft.apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  draft.kind = kind.kind;
  if (kind.namespaced) draft.metadata.namespace = place.namespace ?? "default";
  const ofKind = stored.filter((other) => other.kind === kind.kind);
  const moment: Moment = { now: 0, random: place.random ?? (() => 0.5), newestAll: () => ofKind };
  try {
    kind.strategy.fillIn?.(draft);
    if (old && kind.strategy.hasStatus) keepOther(draft, old, subresource);
    if (subresource === "") kind.strategy.prepare?.(draft, old, moment);
    const errors = kind.strategy.validate?.(draft, old, subresource) ?? [];
    if (!old) errors.push(...nameErrors(kind, manifest.metadata.name));
    if (errors.length > 0) throw refusal({ group: kind.group, kind: kind.kind, name: draft.metadata.name }, errors);
    const metadata = { ...draft.metadata, uid: old?.metadata.uid ?? `uid-${made++}` };
    const object = { ...draft, metadata } as unknown as AnyStoredObject;
    return { object, warnings: kind.strategy.warnings?.(draft, old) ?? [] };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { causes: (error.status.details?.causes ?? []) as NonNullable<Outcome["causes"]> };
  }
}

/** Causes are told without an order: Kubernetes goes through maps in none. */
export function sorted(causes: readonly unknown[]): unknown[] {
  return [...causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

export function texts(outcome: Outcome): string[] {
  return (outcome.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

function keepOther(draft: AnyObject, old: AnyStoredObject, subresource: string): void {
  const status = structuredClone(subresource === "status" ? draft.status : old.status);
  if (subresource === "status") draft.spec = structuredClone(old.spec);
  draft.status = status;
}

function nameErrors(kind: ServedResource, name: string): FieldError[] {
  return (kind.strategy.nameProblems?.(name) ?? []).map((problem) => invalid("metadata.name", name, problem));
}
