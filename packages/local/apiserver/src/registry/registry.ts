/** What every verb works with. */
import { apiVersionOf, makeKey, type ObjectKey, strategicSchemaFor } from "@berg/apimachinery";
import type { Clock, Random } from "@berg/kube";
import type { Admission, AdmissionRequest } from "../admission/admission.ts";
import type { Subject } from "../errors/refusals.ts";
import type { Store, Table } from "../storage/table.ts";
import type { AnyStoredObject, Moment, ServedResource } from "./resource.ts";
import type { ServedResources } from "./served-resources.ts";
import type { Place } from "./verbs.ts";

export interface Registry {
  readonly store: Store;
  readonly served: ServedResources;
  readonly admissions: readonly Admission[];
  readonly clock: Clock;
  readonly random: Random;
}

export function tableOf({ store }: Registry, resource: ServedResource): Table {
  return store.table(resource.storedAs);
}

export function keyOfPlace({ resource, namespace, name }: Place): ObjectKey {
  return makeKey(resource.namespaced ? namespace : "", name);
}

export function momentOf({ store, clock, random }: Registry): Moment {
  return {
    now: clock.now(),
    random,
    newestAll: (table, namespace) => store.table(table).newestAll(namespace) as Iterable<AnyStoredObject>,
  };
}

/** Whom a refusal is about. */
export function subjectOf({ group, resource }: ServedResource, name: string): Subject {
  return { group, resource, name };
}

/** Custom kinds are decoded, patched and checked in ways of their own. */
export function isCustom(resource: ServedResource): boolean {
  return strategicSchemaFor(resource) === undefined;
}

export function servedVersionOf(resource: ServedResource): string {
  return apiVersionOf(resource);
}

export function admit({ admissions }: Registry, request: AdmissionRequest): void {
  for (const admission of admissions) admission.admit?.(request);
}

export function check({ admissions }: Registry, request: AdmissionRequest): void {
  for (const admission of admissions) admission.check?.(request);
}

export function accompany({ admissions }: Registry, request: AdmissionRequest): void {
  for (const admission of admissions) admission.accompany?.(request);
}
