/**
 * Ends one instance that is due, as the controller would: the ChallengeInstance, then what runs, then the namespace. The
 * finalizer stays, and with it the last word of the controller.
 */
import type { Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { clear } from "../removing/clear.ts";
import { type Removing, remove } from "../removing/remove.ts";
import type { Sight } from "../removing/sight.ts";
import { takeDown } from "../removing/take-down.ts";
import { dueOf } from "./due.ts";

/** Who was renewed, or written by another, in this moment is looked at again. */
const raceMs = 1000;

/** A controller that has begun the end removes the namespace as the load allows. Nothing runs meanwhile. */
const controllerMayTakeMs = 60_000;

/** Returns when to look again, in ms since 1970; undefined where only a change is a reason to. */
export async function endIfDue(
  removing: Removing,
  instance: Stored<ChallengeInstance>,
  sight: Pick<Sight, "namespacesOf" | "workloadsOf">,
  { graceMs, now }: { graceMs: number; now: number },
): Promise<number | undefined> {
  const due = dueOf(instance, graceMs);
  if (!due || due.at > now) return due?.at;
  const { uid, deletionTimestamp } = instance.metadata;
  if (deletionTimestamp === undefined) {
    // A renewal in this moment wins: it has changed the version.
    const isEnding = await remove(removing, ChallengeInstances, instance, due.why, { unchanged: true });
    if (!isEnding) return now + raceMs;
  }
  const leftUntil = instance.status?.phase === "Terminating" ? due.at + controllerMayTakeMs : 0;
  const looks: number[] = [];
  for (const namespace of sight.namespacesOf(uid)) {
    const workloads = sight.workloadsOf(namespace.metadata.name, uid);
    const going = removing.going.count(now);
    const step = takeDown(namespace, workloads, { since: due.at, now, going, leftUntil });
    const lookAgainAt = await clear(removing, namespace, step, due.why, now);
    if (lookAgainAt !== undefined) looks.push(lookAgainAt);
  }
  return looks.length === 0 ? undefined : Math.min(...looks);
}
