/** Removes ghosts, one step at a time, after the server was asked anew about each and about every ChallengeInstance. */
import type { Client } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { clear } from "../removing/clear.ts";
import { inParallel } from "../removing/in-parallel.ts";
import { ownNamespace, type Removing } from "../removing/remove.ts";
import type { Sight } from "../removing/sight.ts";
import { type TakeDown, takeDown } from "../removing/take-down.ts";
import type { Ghost } from "./find.ts";

export interface SweepGhostsOptions {
  removing: Omit<Removing, "client"> & { client: Pick<Client, "get" | "delete" | "listAll"> };
  sight: Pick<Sight, "workloadsOf">;
  /** In ms since 1970. */
  now: number;
}

/**
 * Returns when to look again, in ms since 1970; undefined where nothing is left to do. Where the ChallengeInstances
 * cannot be read, as with their definition gone, it rejects and nothing is swept.
 */
export async function sweepGhosts(
  ghosts: readonly Ghost[],
  { removing, sight, now }: SweepGhostsOptions,
): Promise<number | undefined> {
  const { client, signal, going } = removing;
  const stepOf = ({ namespace, instanceUid }: Ghost): TakeDown => {
    const workloads = sight.workloadsOf(namespace.metadata.name, instanceUid);
    return takeDown(namespace, workloads, { since: 0, now, going: going.count(now) });
  };
  const mayAct = ghosts.some((ghost) => stepOf(ghost).next !== "wait");
  // Once is enough: a UID that does not exist now never will.
  const living = mayAct ? await livingUids(client, signal) : undefined;
  const looks: number[] = [];
  await inParallel(ghosts, signal, async (ghost) => {
    const { namespace, instanceUid } = ghost;
    let step = stepOf(ghost);
    if (step.next !== "wait") {
      if (!living || living.has(instanceUid) || !(await ownNamespace(removing, namespace, instanceUid))) return;
      // Others have begun to go meanwhile.
      step = stepOf(ghost);
    }
    const lookAgainAt = await clear(removing, namespace, step, whyGhost(instanceUid), now);
    if (lookAgainAt !== undefined) looks.push(lookAgainAt);
  });
  return looks.length === 0 ? undefined : Math.min(...looks);
}

/** As the server has them now, not as a copy does: the list names no version. */
async function livingUids(client: Pick<Client, "listAll">, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await client.listAll(ChallengeInstances, { signal });
  return new Set(items.map(({ metadata }) => metadata.uid));
}

function whyGhost(instanceUid: string): string {
  return `there is no ChallengeInstance with the UID ${instanceUid}`;
}
