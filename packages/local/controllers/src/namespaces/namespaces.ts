/**
 * A namespace that was deleted is emptied, and then let go. It says meanwhile, in its conditions, what holds it.
 *
 * Unlike Kubernetes' own controller this one does not wait 5 s before it begins, for other API servers to notice: it
 * lets go only after a look that found nothing from the beginning. What comes in between two looks is found by the
 * second.
 */
import { type Condition, isNotFound, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  type Manager,
  type Namespace,
  Namespaces,
  Pods,
  timestamp,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import type { ServedKinds } from "../served/served-kinds.ts";
import { conditionsOf, discoveryFailure, type Findings } from "./conditions.ts";
import { type Emptied, emptyNamespace } from "./empty-namespace.ts";

const finalizer = "kubernetes";
const freshMs = 1_000;
const looks = 3;

export function addNamespaceController(
  manager: Manager,
  { served, clock }: { served: ServedKinds; clock: Clock },
): void {
  const { client } = manager;
  const namespaces = manager.informer(Namespaces);
  const isGoing = (name: string) => Boolean(namespaces.get(name)?.metadata.deletionTimestamp);
  const pods = manager.informer(Pods);
  const namespaceOfGone = ({ metadata }: { metadata: { namespace?: string } }) =>
    isGoing(metadata.namespace as string) ? [metadata.namespace as string] : [];

  manager.addController({
    name: "namespaces",
    watches: [watchSelf(namespaces), watchMapped(pods, namespaceOfGone)],
    async reconcile(name, { signal }) {
      if (!isToEmpty(namespaces.get(name))) return;
      // A copy may be of the past: a namespace of the same name, made anew, would lose all that is in it.
      const namespace = await client.get(Namespaces, "", name, { signal }).catch(undefinedIfNotFound);
      if (!isToEmpty(namespace)) return;
      const terminating = await writeStatus(namespace, { ...namespace.status, phase: "Terminating" }, signal);

      const deletedAt = Date.parse(namespace.metadata.deletionTimestamp as string);
      const look = async () =>
        emptyNamespace({ client, clock, signal, namespace: name, deletedAt }, await served.get({ maxAgeMs: freshMs }));
      let emptied = await look();
      for (let n = 1; n < looks && !emptied.wasEmpty && isDone(emptied.findings); n++) emptied = await look();

      const { findings } = emptied;
      const conditions = conditionsOf(
        findings,
        terminating.status?.conditions as Condition[] | undefined,
        timestamp(clock),
      );
      const seen = await writeStatus(terminating, { ...terminating.status, conditions }, signal);
      if (findings.unread.length > 0) throw new Error(discoveryFailure(findings.unread));
      if (findings.failures.length > 0) throw new Error(findings.failures.join(", "));
      if (!emptied.wasEmpty) return { requeueAfterMs: nextLookMs(emptied, clock.now() - deletedAt) };
      await letGo(seen, signal);
    },
    workers: 10,
  });

  async function writeStatus(
    namespace: Stored<Namespace>,
    status: Namespace["status"],
    signal: AbortSignal,
  ): Promise<Stored<Namespace>> {
    const { phase, conditions } = namespace.status ?? {};
    if (status?.phase === phase && status?.conditions === conditions) return namespace;
    return client.update(Namespaces, { ...namespace, status } as Stored<Namespace>, { subresource: "status", signal });
  }

  async function letGo(namespace: Stored<Namespace>, signal: AbortSignal): Promise<void> {
    const finalizers = namespace.spec?.finalizers?.filter((one) => one !== finalizer) ?? [];
    const finalized = { ...namespace, spec: { ...namespace.spec, finalizers } };
    await client.update(Namespaces, finalized, { subresource: "finalize", signal }).catch(undefinedIfNotFound);
  }
}

function isToEmpty(namespace: Stored<Namespace> | undefined): namespace is Stored<Namespace> {
  return Boolean(namespace?.metadata.deletionTimestamp) && (namespace?.spec?.finalizers?.includes(finalizer) ?? false);
}

function isDone({ unread, failures, remaining }: Findings): boolean {
  return unread.length === 0 && failures.length === 0 && remaining?.length === 0;
}

/**
 * Finalizers are mostly gone at once, or not for long: so soon at first, and ever later. No later than the real one,
 * which waits for half of its estimate. The end of a pod is an event, and needs no look of its own.
 */
export function nextLookMs({ estimate }: Pick<Emptied, "estimate">, sinceDeletedMs: number): number {
  const most = (estimate / 2 + 1) * 1000;
  return Math.min(most, Math.max(250, sinceDeletedMs / 4));
}

function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
