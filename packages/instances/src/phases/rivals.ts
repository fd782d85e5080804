/** An owner has one instance at a time. Of several, the one that runs already keeps its place; else the oldest gets it. */
import type { Stored } from "@berg/apimachinery";
import { isConditionTrue } from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { isManagedByBerg, isOurs } from "../builders/marks.ts";
import type { Snapshot } from "../observe/snapshot.ts";
import { conditionTypes } from "../vocabulary.ts";

/** The one to which this instance has to give way. */
export function strongerRival({ instance, rivals }: Snapshot): Stored<ChallengeInstance> | undefined {
  const [strongest] = rivals.filter((rival) => !isEnding(rival)).toSorted(compare);
  return strongest && compare(strongest, instance) < 0 ? strongest : undefined;
}

/** One that is about to end, and may have made something: what it makes must not meet what this one makes. */
export function leavingRival({ rivals }: Snapshot): Stored<ChallengeInstance> | undefined {
  return rivals.find((rival) => isEnding(rival) && rival.status?.revision !== undefined);
}

/** Whether the owner's namespace was made for an instance that is gone, so that nobody is about to remove it. */
export function isLeftOver({ instance, namespace, rivals }: Snapshot): boolean {
  if (!namespace || !isManagedByBerg(namespace) || namespace.metadata.deletionTimestamp) return false;
  if (isOurs(namespace, instance.metadata.uid)) return false;
  return !rivals.some((rival) => isEnding(rival) || isOurs(namespace, rival.metadata.uid));
}

function compare(one: Stored<ChallengeInstance>, other: Stored<ChallengeInstance>): number {
  return (
    Number(isMade(other)) - Number(isMade(one)) ||
    Number(isStarted(other)) - Number(isStarted(one)) ||
    byText(one.metadata.creationTimestamp, other.metadata.creationTimestamp) ||
    byText(one.metadata.uid, other.metadata.uid)
  );
}

function isMade({ status }: ChallengeInstance): boolean {
  return isConditionTrue(status?.conditions, conditionTypes.namespaceCreated);
}

/** Its own namespace may be there; one that was created in the same second must not push it out. */
function isStarted({ status }: ChallengeInstance): boolean {
  return status?.revision !== undefined && status.phase !== "Failed";
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
