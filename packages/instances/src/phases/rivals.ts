/** An owner has one instance at a time. Of several, the one that runs already keeps its place; else the oldest gets it. */
import type { Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";

/** The one to which this instance has to give way. */
export function strongerRival({ instance, rivals }: Snapshot): Stored<ChallengeInstance> | undefined {
  return rivals.find((rival) => isStronger(rival, instance));
}

function isStronger(one: Stored<ChallengeInstance>, other: Stored<ChallengeInstance>): boolean {
  return compare(one, other) < 0;
}

function compare(one: Stored<ChallengeInstance>, other: Stored<ChallengeInstance>): number {
  return (
    Number(isStarted(other)) - Number(isStarted(one)) ||
    byText(one.metadata.creationTimestamp, other.metadata.creationTimestamp) ||
    byText(one.metadata.uid, other.metadata.uid)
  );
}

/** Its own namespace may be there; one that was created in the same second must not push it out. */
function isStarted({ status }: ChallengeInstance): boolean {
  return status?.revision !== undefined && status.phase !== "Failed";
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
