/** pods/eviction: a deletion that asks the pod's disruption budget first. */
import { compileLabelSelector, formatTime, jsonEqual, type LabelSelector } from "@berg/apimachinery";
import { conflict, notFound, refusal } from "../../errors/refusals.ts";
import type { AnyStored } from "../../storage/table.ts";
import { deleteObject } from "../delete.ts";
import { draftOf, isObject, partOf } from "../json.ts";
import { keyOfPlace, type Registry, subjectOf, tableOf } from "../registry.ts";
import type { AnyObject } from "../resource.ts";
import type { Body, Caller, DeleteOptions, Place, WriteOptions } from "../verbs.ts";
import { checkNameOf, readKind } from "./bodies.ts";
import { checkSent } from "./check-sent.ts";
import { setCondition } from "./conditions.ts";
import { type Budget, takeDisruption } from "./disruption-budget.ts";
import { done } from "./success.ts";

const budgets = "poddisruptionbudgets.policy";

export async function evictPod(registry: Registry, place: Place, body: Body, options: WriteOptions, caller: Caller) {
  const eviction = readKind(registry, "Eviction", ["policy/v1", "policy/v1beta1"], body);
  checkNameOf("Eviction", eviction, place);
  const deletion = deleteOptionsOf(eviction, options);
  const table = tableOf(registry, place.resource);
  const stored = table.newest(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(place.resource, place.name));
  checkPreconditions(stored, deletion);
  checkSent(registry, place, "eviction", eviction, options, caller);
  // It has been asked about as an eviction, and is not asked about again as a deletion.
  const unasked = { ...registry, admissions: [] };
  const budget = isProtected(stored) ? budgetOf(registry, stored) : undefined;
  const now = formatTime(registry.clock.now());
  const spent = budget && !isUnhealthyAndFree(stored, budget) ? takeDisruption(budget, place.name, now) : undefined;
  if (deletion.isDryRun) {
    await deleteObject(unasked, place, deletion, caller);
    return done;
  }

  // All of it before anything can come between: the budget, the mark and the deletion.
  const writes: Promise<unknown>[] = [];
  if (spent) writes.push(registry.store.table(budgets).put(spent));
  const pod = draftOf(stored) as AnyObject;
  const reason = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
  setCondition(pod, { type: "DisruptionTarget", status: "True", ...reason }, now);
  // One that is marked already stays as it is.
  if (!jsonEqual(pod, stored)) writes.push(table.put(pod));
  const { uid: _uid, resourceVersion: _version, ...unconditional } = deletion;
  writes.push(deleteObject(unasked, place, unconditional, caller));
  await Promise.all(writes);
  return done;
}

function deleteOptionsOf(eviction: AnyObject, { isDryRun }: WriteOptions): DeleteOptions {
  const sent = isObject(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const { gracePeriodSeconds, propagationPolicy, dryRun } = sent;
  const { uid, resourceVersion } = isObject(sent.preconditions) ? sent.preconditions : {};
  return {
    isDryRun: isDryRun || (Array.isArray(dryRun) && dryRun.includes("All")),
    ...(typeof gracePeriodSeconds === "number" && { gracePeriodSeconds }),
    ...(isPolicy(propagationPolicy) && { propagationPolicy }),
    ...(typeof uid === "string" && { uid }),
    ...(typeof resourceVersion === "string" && { resourceVersion }),
  };
}

function isPolicy(value: unknown): value is NonNullable<DeleteOptions["propagationPolicy"]> {
  return value === "Orphan" || value === "Background" || value === "Foreground";
}

function checkPreconditions({ metadata }: AnyStored, { uid, resourceVersion }: DeleteOptions): void {
  const refuse = (what: string, wanted: string, is: string, fate: string) =>
    conflict(
      { group: "", resource: "Pod", name: metadata.name },
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been ${fate}`,
    );
  if (uid && uid !== metadata.uid) throw refuse("UID", uid, metadata.uid, "deleted and then recreated");
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw refuse("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
}

/** A pod that does not run, or ends anyway, is nobody's loss. */
function isProtected(pod: AnyStored): boolean {
  const { phase } = partOf(pod as AnyObject, "status");
  return pod.metadata.deletionTimestamp === undefined && !["Succeeded", "Failed", "Pending"].includes(String(phase));
}

function budgetOf({ store }: Registry, pod: AnyStored): Budget | undefined {
  const matching = [...store.table(budgets).newestAll(pod.metadata.namespace)].filter((budget) => {
    const { selector } = partOf(budget as AnyObject, "spec");
    return compileLabelSelector(selector as LabelSelector | undefined).matches(pod.metadata.labels);
  });
  if (matching.length > 1) {
    const why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw refusal(500, "", why);
  }
  return matching[0] as unknown as Budget | undefined;
}

/** One that is not ready does not count for the budget, and so may go while enough others are. */
function isUnhealthyAndFree(pod: AnyStored, { spec, status = {} }: Budget): boolean {
  const { conditions } = partOf(pod as AnyObject, "status");
  const isReady =
    Array.isArray(conditions) && conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}
