/** Deletes all that is in a namespace, and tells what is left: pods first, so that none outlives what protects it. */
import { isMethodNotSupported, isNotFound, type KubeObject, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, errorText, type Pod } from "@berg/kube";
import type { Served, ServedKind } from "../served/read-served.ts";
import type { Findings, Remaining } from "./conditions.ts";
import { inParallel } from "./in-parallel.ts";

export interface Emptied {
  findings: Findings;
  /** Whether it was empty from the beginning. Else something may have come in meanwhile, and one more look is due. */
  wasEmpty: boolean;
  /** Seconds that what is left may still take by right: the grace period of its pods. */
  estimate: number;
}

interface EmptiedKind {
  remaining?: Remaining;
  failure?: string;
  wasEmpty: boolean;
  estimate: number;
}

interface Emptying {
  client: Pick<Client, "list" | "listAll" | "delete" | "deleteCollection">;
  clock: Clock;
  signal: AbortSignal;
  namespace: string;
  /** When the namespace was deleted, in ms since 1970. */
  deletedAt: number;
}

// Together with the workers of the controller: how many requests are under way at once.
const kindsAtOnce = 5;

export async function emptyNamespace(emptying: Emptying, { kinds, unread }: Served): Promise<Emptied> {
  const deletable = kinds.filter(
    ({ namespaced, verbs, preferred }) => namespaced && preferred && verbs.includes("delete"),
  );
  const pods = await inParallel(deletable.filter(isPods), kindsAtOnce, (kind) => emptyKind(emptying, kind));
  const rest = pods.some(({ remaining }) => remaining)
    ? undefined
    : await inParallel(
        deletable.filter((kind) => !isPods(kind)),
        kindsAtOnce,
        (kind) => emptyKind(emptying, kind),
      );
  const all = [...pods, ...(rest ?? [])];
  return {
    findings: {
      unread,
      failures: all.flatMap(({ failure }) => failure ?? []),
      remaining: rest && all.flatMap(({ remaining }) => remaining ?? []),
    },
    wasEmpty: rest !== undefined && all.every(({ wasEmpty }) => wasEmpty),
    estimate: Math.max(0, ...all.map(({ estimate }) => estimate)),
  };
}

async function emptyKind(emptying: Emptying, kind: ServedKind): Promise<EmptiedKind> {
  const { signal, namespace } = emptying;
  const estimate = { seconds: 0 };
  try {
    const before = await list(emptying, kind);
    if (before.length === 0) return { wasEmpty: true, estimate: 0 };
    if (isPods(kind)) estimate.seconds = graceLeft(before as Stored<Pod>[], emptying);
    await deleteAll(emptying, kind, before);
    const after = await list(emptying, kind);
    if (after.length === 0) return { wasEmpty: false, estimate: 0 };

    const remaining = { kind, count: after.length, finalizers: countFinalizers(after) };
    const left = { remaining, wasEmpty: false };
    if (estimate.seconds > 0) return { ...left, estimate: estimate.seconds };
    if (remaining.finalizers.size > 0) return { ...left, estimate: finalizerSeconds };
    const name = `${kind.group}/${kind.version}, Resource=${kind.resource}`;
    return {
      ...left,
      estimate: 0,
      failure: `unexpected items still remain in namespace: ${namespace} for gvr: ${name}`,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { wasEmpty: false, estimate: estimate.seconds, failure: errorText(error) };
  }
}

/** How long those who hold something with a finalizer are thought to take. */
const finalizerSeconds = 15;

/** A kind that cannot be listed, or is no longer served, holds nothing that could be deleted here. */
async function list({ client, namespace, signal }: Emptying, kind: ServedKind): Promise<Stored<KubeObject>[]> {
  if (!kind.verbs.includes("list")) return [];
  try {
    return (await client.listAll(kind, { namespace, signal })).items;
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return [];
    throw error;
  }
}

// In the background: what the garbage collector would put off for the sake of dependents goes with them anyway.
const propagationPolicy = "Background";

async function deleteAll(emptying: Emptying, kind: ServedKind, objects: Stored<KubeObject>[]): Promise<void> {
  const { client, namespace, signal } = emptying;
  if (kind.verbs.includes("deletecollection")) {
    await client.deleteCollection(kind, { namespace, propagationPolicy, signal }).catch(unlessGone);
    return;
  }
  await inParallel(objects, kindsAtOnce, ({ metadata: { name, uid } }) =>
    client.delete(kind, namespace, name, { propagationPolicy, preconditions: { uid }, signal }).catch(unlessGone),
  );
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
}

function graceLeft(pods: Stored<Pod>[], { clock, deletedAt }: Emptying): number {
  const running = pods.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  const grace = Math.max(0, ...running.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0));
  return clock.now() - deletedAt < grace * 1000 ? grace : 0;
}

function countFinalizers(objects: Stored<KubeObject>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  return counts;
}

function isPods({ group, resource }: ServedKind): boolean {
  return group === "" && resource === "pods";
}
