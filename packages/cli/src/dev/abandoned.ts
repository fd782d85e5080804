/** Instances of a `berg dev` that was killed, and so could not end its own. */
import { isNotFound } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";

/** On an instance: the process that ends it. */
export const processLabel = "berg.local/dev-process";

/** Those whose process is there are left alone: several may be at work side by side. */
export async function removeAbandoned(client: Client, signal: AbortSignal): Promise<void> {
  const { items } = await client.listAll(ChallengeInstances, { labelSelector: processLabel, signal });
  for (const { metadata } of items) {
    if (isRunning(Number(metadata.labels?.[processLabel]))) continue;
    await client.delete(ChallengeInstances, metadata.namespace ?? "", metadata.name, { signal }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function isRunning(pid: number): boolean {
  // 0 and below would mean groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
