/**
 * Going to a target: only where it is worth it, for a limited time, and with a word on the request about what stood in the
 * way.
 */
import { isNotFound, keyOf, type Stored } from "@berg/apimachinery";
import { type Logger, type Result, stackOf } from "@berg/kube";
import { type Cluster, type KubeconfigRequestStatus, KubeconfigRequests } from "@berg/resources";
import type { Target } from "../target/target.ts";
import type { Surroundings } from "./gather.ts";
import type { Request } from "./names.ts";
import type { Rest, Visitor } from "./patience.ts";
import { allExpiredAt, clusterFactsOf, factsOf, isRevoked, isTakenAway, lifeOf, type Seen } from "./seen.ts";
import * as statuses from "./status/status.ts";
import { nonsense, TargetTrouble, type Trouble, troubleOf, unreachable } from "./trouble.ts";
import { tellUntold } from "./untold.ts";
import { conditionTypes, events, reasons } from "./vocabulary.ts";
import { withdraw } from "./withdraw.ts";
import { letGo, writeStatus } from "./write.ts";

/** How long one that is deleted waits for a target that does not answer, if what it was given ends sooner. */
const orphanAfterMs = 3_600_000;
/** How long one visit may take: less than a reconcile. */
const visitMs = 30_000;

export interface Visit {
  target: Target;
  /** Of what is asked there: a target that takes its time must not keep us from saying so. */
  signal: AbortSignal;
}

/** A result where nothing more can be done now. */
export async function visitTarget(
  seen: Seen,
  around: Surroundings,
  signal: AbortSignal,
  task: (visit: Visit) => Promise<void>,
): Promise<Result | undefined> {
  const { access, patience, clock, requests } = around;
  const { cluster } = seen;
  // decide.ts sends nobody here without one.
  if (!cluster) throw new Error("there is no Cluster to go to");
  const visitor = visitorOf(seen, cluster);
  const resting = patience.resting(visitor);
  if (resting) return inTrouble(resting, seen, around, signal);
  using _ = patience.begin(visitor);
  // A copy that lags would have us take what another has just published for something that nobody knows of.
  if (!(await isNewest(seen.request, around, signal))) return undefined;
  const limit = new AbortController();
  const timer = clock.setTimer(visitMs, () => limit.abort(new TargetTrouble(unreachable)));
  try {
    const visit = AbortSignal.any([signal, limit.signal]);
    const target = await atTarget(() => access.open(cluster, visit));
    try {
      await task({ target, signal: visit });
    } finally {
      target.done?.();
    }
    patience.succeeded(visitor);
    return undefined;
  } catch (error) {
    if (!(error instanceof TargetTrouble) || signal.aborted) throw error;
    if (isCredentialTrouble(error)) access.forget(cluster.metadata.uid);
    if (error.message === nonsense.message) tellWhere(error, around.log);
    const request = requests.get(keyOf(seen.request)) ?? seen.request;
    return inTrouble(patience.failed(visitor, error), { ...seen, request }, around, signal);
  } finally {
    timer.cancel();
  }
}

function visitorOf(seen: Seen, { metadata: { uid } }: Stored<Cluster>): Visitor {
  const { metadata } = seen.request;
  return {
    uid: metadata.uid,
    facts: factsOf(seen),
    cluster: { uid, facts: clusterFactsOf(seen) },
    isRevoking: metadata.deletionTimestamp !== undefined || isRevoked(seen),
  };
}

/** It may be a mistake of ours after all. Where it was made, without its words: those may quote the target. */
function tellWhere({ cause }: TargetTrouble, log: Logger): void {
  log.warn({ stack: stackOf(cause) }, "an answer of a target cannot be used");
}

async function isNewest(request: Request, { client, requests }: Surroundings, signal: AbortSignal): Promise<boolean> {
  const { namespace = "", name, uid, resourceVersion } = request.metadata;
  try {
    const newest = await client.get(KubeconfigRequests, namespace, name, { signal });
    if (newest.metadata.resourceVersion === resourceVersion) return true;
    requests.wrote(newest);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    requests.gone(uid);
  }
  return false;
}

/** What the target says is told apart from what our own server does: that is no trouble of the target. */
export async function atTarget<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw troubleOf(error);
  }
}

function isCredentialTrouble({ type, reason }: Trouble): boolean {
  return type === conditionTypes.targetReachable && reason === reasons.unauthorized;
}

async function inTrouble(
  { trouble, ms }: Rest,
  before: Seen,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const isGoing = before.request.metadata.deletionTimestamp !== undefined || isRevoked(before);
  const isTold = !isGoing || !isPublic(before.request.status);
  const request = isTold ? before.request : await tellUntold(before.request, around, signal);
  const seen = { ...before, request };
  const { now } = seen;
  const { status = {}, metadata } = request;
  const deletedAt = metadata.deletionTimestamp && Date.parse(metadata.deletionTimestamp);
  const expiredAt = allExpiredAt(status);
  const orphanAt = deletedAt ? Math.max(expiredAt, deletedAt + orphanAfterMs) : Number.POSITIVE_INFINITY;
  if (orphanAt <= now) {
    const { type, reason, message } = events.orphaned;
    around.recorder.event(request, type, reason, message);
    return letGo(request, around, signal);
  }
  const next = statuses.troubled(seen, trouble);
  // Nobody is to find it here, whatever becomes of it there.
  if (isTakenAway(next) && isPublic(status)) await withdraw(next, seen, around, signal);
  else await writeStatus(request, next, around, signal);
  const life = lifeOf(status);
  const times = [orphanAt, expiredAt, life?.expiresAt ?? 0].filter((time) => time > now);
  return { requeueAfterMs: Math.max(0, Math.min(ms, ...times.map((time) => time - now))) };
}

/** Or may be: what was published last is not told of yet. */
function isPublic(status: KubeconfigRequestStatus = {}): boolean {
  return !isTakenAway(status) || status.secretRef !== undefined;
}
