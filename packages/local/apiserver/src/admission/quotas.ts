/**
 * ResourceQuotas: how much of what a namespace may hold. What is there is counted anew for each request that adds to it,
 * and what is used then is written to the quota's status together with the object: whoever got the answer finds it there.
 */
import { parseQuantity, type Quantity, resourceName } from "@berg/apimachinery";
import type { AnyObject, AnyStoredObject } from "../registry/resource.ts";
import type { Store } from "../storage/table.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { add, print, type Quantities, quantitiesOf } from "./amounts.ts";
import type { Amounts, Pod } from "./pods.ts";
import { isInScope, type ScopedQuota } from "./quota-scopes.ts";
import { withUsed } from "./quota-status.ts";
import { unspecified, usageOf } from "./quota-usage.ts";
import { refuse } from "./refuse.ts";

interface QuotaSpec extends ScopedQuota {
  hard?: Amounts;
}

/** What a request takes of one quota. */
interface Demand {
  quota: AnyStoredObject;
  hard: Quantities;
  requested: Quantities;
  /** Before it. */
  used: Quantities;
}

const zero = parseQuantity(0);

export function quotas(store: Store): Admission {
  return {
    name: "ResourceQuota",
    check(request) {
      for (const demand of demandsOf(request)) refuseExcess(request, demand);
    },
    accompany(request) {
      for (const { quota, requested, used } of demandsOf(request)) {
        const amounts = [...requested].map(([name, more]) => [name, (used.get(name) ?? zero).add(more)] as const);
        const counted = withUsed(quota, new Map(amounts), request.moment.now);
        // It comes to disk with the object or not at all, and then the object's own write says why.
        if (counted)
          store
            .table("resourcequotas")
            .put(counted)
            .catch(() => {});
      }
    },
  };
}

function demandsOf(request: AdmissionRequest): Demand[] {
  const { draft, verb, subresource, namespace, resource, moment } = request;
  if (!draft || verb === "delete" || subresource !== "" || namespace === "" || !resource.namespaced) return [];
  if (isPlainPodUpdate(request)) return [];
  return [...moment.newestAll("resourcequotas", namespace)].flatMap((quota) => demandOn(request, draft, quota));
}

/** None where it takes nothing of the quota. */
function demandOn(request: AdmissionRequest, draft: AnyObject, quota: AnyStoredObject): Demand[] {
  const { resource, old, moment } = request;
  const spec = (quota.spec ?? {}) as QuotaSpec;
  if (!isCounted(request, draft, spec)) return [];
  const usage = usageOf(resource, draft, moment.now);
  const hard = quantitiesOf(spec.hard);
  const limited = [...hard.keys()].filter((name) => usage.has(name) || isOfPods(request, name));
  if (limited.length === 0) return [];
  if (resource.storedAs === "pods") refuseSilent(request, draft as Pod, limited, quota.metadata.name);
  const before =
    old && isCounted(request, old, spec) ? usageOf(resource, old, moment.now) : new Map<string, Quantity>();
  const requested = increase(usage, before, limited);
  return requested.size === 0 ? [] : [{ quota, hard, requested, used: usedNow(request, spec) }];
}

/** What is not said cannot be counted. */
function refuseSilent(request: AdmissionRequest, pod: Pod, limited: readonly string[], quota: string): void {
  const silent = unspecified(pod, limited);
  if (silent.length > 0) throw refuse(request, `failed quota: ${quota}: must specify ${silent.join("; ")}`);
}

function refuseExcess(request: AdmissionRequest, { quota, hard, requested, used }: Demand): void {
  const exceeded = [...requested.keys()]
    .filter((key) => (used.get(key) ?? zero).add(requested.get(key) ?? zero).compare(hard.get(key) ?? zero) > 0)
    .sort();
  if (exceeded.length === 0) return;
  throw refuse(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${print(requested, exceeded)}, used: ${print(used, exceeded)}, limited: ${print(hard, exceeded)}`,
  );
}

/** It uses what it used before, unless it comes to count as one with an end. */
function isPlainPodUpdate({ resource, draft, old }: AdmissionRequest): boolean {
  if (resource.storedAs !== "pods" || !old) return false;
  const [before, after] = [old, draft].map((pod) => (pod as Pod | undefined)?.spec?.activeDeadlineSeconds);
  return (before === undefined) === (after === undefined);
}

/** Whether the quota is about this object at all. */
function isCounted({ resource }: AdmissionRequest, object: AnyObject, spec: QuotaSpec): boolean {
  return isInScope(spec, resource.storedAs === "pods" ? (object as Pod) : undefined);
}

/** What is limited for pods must be said by every pod, and so counts before it is known to be used. */
function isOfPods({ resource }: AdmissionRequest, name: string): boolean {
  return resource.storedAs === "pods" && /^(?:(?:requests|limits)\.)?(?:cpu|memory|ephemeral-storage)$/.test(name);
}

function increase(usage: Quantities, before: Quantities, limited: readonly string[]): Quantities {
  const more: Quantities = new Map();
  for (const name of limited) {
    const grown = (usage.get(name) ?? zero).sub(before.get(name) ?? zero);
    if (grown.nanos > 0n) more.set(name, grown);
  }
  return more;
}

/** By all objects of this resource in the namespace; others use other names. */
function usedNow({ resource, namespace, moment }: AdmissionRequest, spec: QuotaSpec): Quantities {
  const used: Quantities = new Map([[`count/${resourceName(resource)}`, zero]]);
  for (const object of moment.newestAll(resource.storedAs, namespace)) {
    if (isInScope(spec, resource.storedAs === "pods" ? (object as Pod) : undefined))
      add(used, usageOf(resource, object, moment.now));
  }
  return used;
}
