/** One look at one Cluster: observe → decide → do, again until there is nothing to do; then its status. */
import { isConflict, isNotFound, jsonEqual, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { Result } from "@berg/kube";
import { type Cluster, type ClusterStatus, Clusters } from "@berg/resources";
import { perform } from "./effects/perform.ts";
import { lineOf } from "./effects/reach.ts";
import type { Surroundings } from "./effects/surroundings.ts";
import { isTimeToGiveUp, statusInTrouble, type Trouble, troubleOf } from "./effects/trouble.ts";
import { eventsOf } from "./events.ts";
import { aboutOf } from "./memories.ts";
import { observe } from "./observe.ts";
import { decide } from "./phases/decide.ts";
import type { Facts, Seen, Unchanged } from "./seen.ts";
import type { Decision, Step } from "./step.ts";
import { eventReasons, fieldManager, texts } from "./vocabulary.ts";

/** The longest way without a wait is ten. */
const mostRounds = 20;
/** What was refused for good is asked for again after so long, or when the spec changes. */
const refusedForMs = 5 * 60_000;
/** So often in a row it is bad luck that somebody else was faster. */
const quietConflicts = 3;

export async function reconcile(
  key: ObjectKey,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  try {
    return await look(key, around, signal);
  } finally {
    around.turns.leave(key);
  }
}

async function look(key: ObjectKey, around: Surroundings, signal: AbortSignal): Promise<Result | undefined> {
  const facts: Facts = {};
  for (let round = 0; round < mostRounds; round++) {
    const cluster = around.clusters.get(key);
    if (!cluster) return undefined;
    facts.reached ??= around.memories.of(cluster.metadata.uid).reached;
    const seen = observe(cluster, facts, around);
    const decision = decide(seen);
    if (decision.step) {
      const result = await take(decision.step, decision, seen, facts, around, signal);
      if (!result.isOver) continue;
      untilUnchanged(facts);
      return result.again;
    }
    await writeStatus(cluster, decision.status, around, signal);
    if (decision.goesOn) continue;
    const againMs = untilUnchanged(facts);
    delete around.memories.of(cluster.metadata.uid).conflicts;
    return resultOf(decision.lookAt, againMs, around);
  }
  throw new Error(`it did not come to rest in ${mostRounds} rounds`);
}

type Taken = { isOver: false } | { isOver: true; again: Result | undefined };

async function take(
  step: Step,
  { status, canWait }: Decision,
  seen: Seen,
  facts: Facts,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Taken> {
  const { cluster } = seen;
  const { recorder } = around;
  const memory = around.memories.of(cluster.metadata.uid);
  const refusal = memory.refusals.get(step.do);
  if (refusal?.about === aboutOf(seen)) {
    const left = refusal.until - around.clock.monotonic();
    if (left > 0) return refused(refusal.trouble, left);
  }
  // It goes away, so that it keeps no worker waiting, and is called.
  if (step.do === "reach" && !around.turns.take(lineOf(seen), keyOf(cluster)))
    return { isOver: true, again: undefined };
  try {
    await perform(step, seen, facts, around, signal);
    memory.refusals.delete(step.do);
    if (facts.reached) memory.reached = facts.reached;
    return { isOver: step.do === "letGo", again: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (isConflict(error)) {
      memory.conflicts = (memory.conflicts ?? 0) + 1;
      // The copy will catch up: no news.
      if (memory.conflicts < quietConflicts) throw error;
    }
    const trouble = troubleOf(step, error, seen);
    if (!trouble) throw error;
    if (isTimeToGiveUp(step, trouble, seen)) {
      recorder.event(cluster, "Warning", eventReasons.orphanedAccess, texts.bindingsLeft(trouble.message));
      facts.administrators = [];
      return { isOver: false };
    }
    if (!trouble.again) {
      const until = around.clock.monotonic() + refusedForMs;
      memory.refusals.set(step.do, { about: aboutOf(seen), trouble, until });
      return refused(trouble, refusedForMs);
    }
    if (canWait) return goOn({ trouble, again: { error } });
    await say(trouble);
    throw error;
  }

  async function refused(trouble: Trouble, afterMs: number): Promise<Taken> {
    if (canWait) return goOn({ trouble, again: { afterMs } });
    await say(trouble);
    return { isOver: true, again: { requeueAfterMs: afterMs } };
  }

  function goOn(unchanged: Unchanged): Taken {
    facts.unchanged = unchanged;
    return { isOver: false };
  }

  function say(trouble: Trouble): Promise<void> {
    return writeStatus(cluster, statusInTrouble(status, step, trouble, seen), around, signal);
  }
}

/** With the version that was seen: what anybody else has written since is looked at first. */
async function writeStatus(
  cluster: Stored<Cluster>,
  status: ClusterStatus,
  { client, clusters, recorder }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  if (jsonEqual(cluster.status ?? {}, status)) return;
  try {
    clusters.wrote(
      await client.update(Clusters, { ...cluster, status }, { subresource: "status", fieldManager, signal }),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    clusters.gone(cluster.metadata.uid);
    return;
  }
  for (const { type, reason, message } of eventsOf(cluster.status, status))
    recorder.event(cluster, type, reason, message);
}

/** How long a change that was not taken rests. Throws what it failed with, where it is tried again soon. */
function untilUnchanged({ unchanged }: Facts): number | undefined {
  if (!unchanged) return undefined;
  if ("error" in unchanged.again) throw unchanged.again.error;
  return unchanged.again.afterMs;
}

/** At that time, or after so long, whichever comes first. */
function resultOf(at: number | undefined, afterMs: number | undefined, { clock }: Surroundings): Result | undefined {
  const waits = [at === undefined ? [] : Math.max(1000, at - clock.now()), afterMs ?? []].flat();
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
