/**
 * Keeps the status of ResourceQuotas: what is used, of all that they name.
 *
 * The server counts each new object into the status itself, before it stores it. So a count right then would miss what
 * is not stored yet, and let one too many in: deletions are counted at once, and additions only when they have settled,
 * in case the server's own count was wrong.
 */
import {
  jsonEqual,
  type KubeObject,
  keyOf,
  parseQuantity,
  Quantity,
  resourceName,
  type Stored,
} from "@berg/apimachinery";
import {
  type Clock,
  type Informer,
  type Manager,
  Pods,
  type ResourceQuota,
  ResourceQuotas,
  Services,
  type Watch,
  watchMapped,
} from "@berg/kube";
import { onlyMetadata, type ServedKinds } from "../served/served-kinds.ts";
import { countedBy, objectUsage } from "./object-usage.ts";
import { podUsage, sum, type Usage } from "./pod-usage.ts";
import { isInScopes, scopesOf } from "./scopes.ts";

type Counted = Informer<KubeObject>;

const settledMs = 1_000;
/** Time alone frees what a pod used whose grace period is over. */
const resyncMs = 5 * 60_000;
const unknownKindMs = 30_000;
const byNamespace = "namespace";

export function addQuotaController(manager: Manager, { served, clock }: { served: ServedKinds; clock: Clock }): void {
  const quotas = manager.informer(ResourceQuotas);
  quotas.ensureIndex(byNamespace, namespaceOf);
  /** By the name of the resource. What no quota names is not watched. */
  const counted = new Map<string, Counted>();
  let follow: (informer: Counted) => void = () => {};

  const changes: Watch = {
    informers: [quotas],
    start(enqueue) {
      const undo: (() => void)[] = [];
      follow = (informer) =>
        undo.push(
          informer.onChange(({ type, object }) => {
            for (const key of quotas.byIndex(byNamespace, object.metadata.namespace as string).map(keyOf)) {
              if (type === "added") controller.queue.addAfter(key, settledMs);
              else enqueue(key);
            }
          }),
        );
      for (const informer of counted.values()) follow(informer);
      return () => {
        for (const end of undo) end();
      };
    },
    all: () => quotas.list().map(keyOf),
  };
  // The status is ours and the server's: only what is asked for asks for a count.
  const asked: Watch = {
    ...watchMapped(quotas, () => []),
    start: (enqueue) =>
      quotas.onChange((change) => {
        if (change.type === "updated" && jsonEqual(change.old.spec, change.object.spec)) return;
        enqueue(keyOf(change.object));
      }),
  };

  const controller = manager.addController({
    name: "quota",
    watches: [asked, changes],
    resyncMs,
    async reconcile(key, { signal }) {
      const quota = quotas.get(key);
      if (!quota) return;
      const hard = quota.spec?.hard ?? {};
      const used: Record<string, string> = {};
      let isComplete = true;
      for (const name of Object.keys(hard)) {
        const informer = await informerOf(countedBy(name), signal);
        if (!informer) isComplete = false;
        const amount = informer ? usageOf(informer, name, quota) : quota.status?.used?.[name];
        if (amount !== undefined) used[name] = amount;
      }
      if (!isUpToDate(quota, hard, used)) {
        const status = { hard, used };
        await manager.client.update(ResourceQuotas, { ...quota, status }, { subresource: "status", signal });
      }
      return isComplete ? undefined : { requeueAfterMs: unknownKindMs };
    },
  });

  function usageOf(informer: Counted, name: string, quota: Stored<ResourceQuota>): string {
    const objects = informer.byIndex(byNamespace, quota.metadata.namespace as string);
    const scopes = scopesOf(quota);
    const total = sum(objects.map((object) => usageOfOne(informer, object, scopes)));
    return String(total.get(name) ?? new Quantity(0n, "DecimalSI"));
  }

  function usageOfOne({ type }: Counted, object: Stored<KubeObject>, scopes: ReturnType<typeof scopesOf>): Usage {
    if (resourceName(type) !== "pods") return scopes.length > 0 ? new Map() : objectUsage(type, object);
    return isInScopes(object as never, scopes) ? podUsage(object as never, clock.now()) : new Map();
  }

  /** Undefined where the kind is not served. */
  async function informerOf(name: string, signal: AbortSignal): Promise<Counted | undefined> {
    let informer = counted.get(name);
    if (!informer) {
      const { kinds } = await served.get({ maxAgeMs: unknownKindMs });
      const kind = kinds.find((one) => one.preferred && one.namespaced && resourceName(one) === name);
      if (!kind?.verbs.includes("watch")) return undefined;
      // Others may have asked meanwhile.
      informer = counted.get(name) ?? begin(name, kind);
    }
    await informer.synced(signal);
    return informer;
  }

  function begin(name: string, kind: Counted["type"]): Counted {
    const whole = new Map<string, Counted["type"]>([
      ["pods", Pods],
      ["services", Services],
    ]).get(name);
    const isWhole = whole !== undefined || name === "persistentvolumeclaims";
    const informer = manager.informer(whole ?? kind, isWhole ? {} : { transform: onlyMetadata });
    informer.ensureIndex(byNamespace, namespaceOf);
    counted.set(name, informer);
    follow(informer);
    return informer;
  }
}

function namespaceOf({ metadata }: KubeObject): string[] {
  return [metadata.namespace as string];
}

function isUpToDate({ status }: ResourceQuota, hard: Record<string, string>, used: Record<string, string>): boolean {
  return isSame(status?.hard, hard) && isSame(status?.used, used);
}

function isSame(a: Record<string, string> | undefined, b: Record<string, string>): boolean {
  if (!a || Object.keys(a).length !== Object.keys(b).length) return false;
  return Object.entries(b).every(([name, amount]) => {
    const other = a[name];
    return other !== undefined && parseQuantity(other).compare(parseQuantity(amount)) === 0;
  });
}
