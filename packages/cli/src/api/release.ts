/**
 * `berg api --release`: removes the API's finalizer from all ChallengeInstances. Without a running API nothing else does,
 * and whoever deletes them, or the namespace, would wait for ever.
 */
import { isConflict, isNotFound } from "@berg/apimachinery";
import {
  type Client,
  ConfigurationError,
  createClient,
  errorText,
  loadConnection,
  removeFinalizer,
  systemClock,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances, finalizers } from "@berg/resources";
import { readInto, refuse } from "../process-settings.ts";
import type { ApiCommandOptions } from "./api.ts";
import { readClusterSettings } from "./settings.ts";

const mostTries = 10;
const pageSize = 500;

/** Ends with code 0, or 1 where one was left. */
export async function release({ kubeconfig }: ApiCommandOptions): Promise<void> {
  const mistakes: string[] = [];
  const cluster = readInto(mistakes, () => readClusterSettings(process.env));
  if (!cluster) return refuse(mistakes);
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort(new Error(`told by ${name}`)));
  const { signal } = stop;
  try {
    const located = { ...(kubeconfig !== undefined && { kubeconfig }), clock: systemClock, signal };
    const connection = await loadConnection(located);
    await using parts = new AsyncDisposableStack();
    const client = createClient({ connection, component: "api", rate: unlimited });
    parts.defer(() => client.close());
    await releaseAll(client, cluster.namespace, signal);
  } catch (error) {
    process.stderr.write(`error: ${errorText(error)}\n`);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  }
}

async function releaseAll(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  const held: string[] = [];
  let next: string | undefined;
  do {
    const selection = { namespace, limit: pageSize, ...(next && { continue: next }), signal };
    const { items, metadata } = await client.list(ChallengeInstances, selection);
    held.push(...items.filter(isHeld).map(({ metadata: { name } }) => name));
    next = metadata.continue;
  } while (next);
  for (const name of held) {
    await releaseOne(client, namespace, name, signal);
    process.stdout.write(`${namespace}/${name} released\n`);
  }
  const count = held.length === 1 ? "1 ChallengeInstance" : `${held.length} ChallengeInstances`;
  process.stdout.write(
    held.length === 0
      ? `Nothing to do: no ChallengeInstance in ${namespace} has the finalizer ${finalizers.api}.\n`
      : `Removed the finalizer ${finalizers.api} from ${count} in ${namespace}.\n`,
  );
}

function isHeld({ metadata }: { metadata: { finalizers?: string[] } }): boolean {
  return metadata.finalizers?.includes(finalizers.api) ?? false;
}

/** The controller may change it at the same moment. */
async function releaseOne(client: Client, namespace: string, name: string, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const latest = await client.get(ChallengeInstances, namespace, name, { signal });
      await removeFinalizer(client, ChallengeInstances, latest, finalizers.api, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === mostTries) throw error;
    }
  }
}
