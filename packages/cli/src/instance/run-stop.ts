/** `berg instance stop`: ends instances, and waits until everything of them is gone. */
import { isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { Failure } from "./failure.ts";
import { follow } from "./follow.ts";
import { Progress } from "./progress.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { viewOf } from "./view.ts";
import { type WaitOptions, waitMs } from "./wait-timeout.ts";

export interface StopOptions extends ClusterOptions, WaitOptions {
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function runStop(names: string[], options: StopOptions, around: Surroundings): Promise<ExitCode> {
  const { stdout, stderr, signal } = around;
  return inSession(options, around, async (session) => {
    const mostMs = waitMs(options);
    const instances = await chosen(session, names, options);
    const stopped: Stored<ChallengeInstance>[] = [];
    for (const instance of instances) await askForEnd(session, instance);
    try {
      for (const instance of instances) {
        stopped.push(await gone(session, instance, mostMs));
        if (!options.json) stdout.write(`${instance.metadata.name} is gone.\n`);
      }
    } catch (error) {
      stderr.write("The end was asked for, and goes on without us.\n");
      if (!signal.aborted) throw error;
      return 1;
    }
    if (options.json) {
      stdout.write(`${JSON.stringify({ stopped: stopped.map((instance) => viewOf(instance)) }, undefined, 2)}\n`);
    }
    return 0;
  });
}

async function chosen(
  session: Session,
  names: string[],
  { all = false, yes = false }: StopOptions,
): Promise<Stored<ChallengeInstance>[]> {
  if (all === names.length > 0) throw new Failure("name the instances to stop, or say --all", 2);
  // All are looked at before the first is stopped: one misspelt name stops none.
  if (!all) return Promise.all([...new Set(names)].map((name) => session.instance(name)));
  const { client, namespace, around } = session;
  const { items } = await client.listAll(ChallengeInstances, { namespace, signal: around.signal });
  if (yes || items.length === 0) {
    if (items.length === 0) around.stderr.write(`There are no instances in the namespace ${namespace}.\n`);
    return items;
  }
  const list = items.map(({ metadata }) => `\n  ${metadata.name}`).join("");
  throw new Failure(`this would stop ${items.length} of the namespace ${namespace}:${list}\nTo do it, add --yes`, 2);
}

/** What bears the name now and did not when it was looked at is another one's. */
async function askForEnd({ client, around }: Session, { metadata }: Stored<ChallengeInstance>): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  const options = { preconditions: { uid }, signal: around.signal };
  await client.delete(ChallengeInstances, namespace, name, options).catch((error) => {
    // Gone already, or gone and made anew.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}

async function gone(
  session: Session,
  instance: Stored<ChallengeInstance>,
  mostMs: number | undefined,
): Promise<Stored<ChallengeInstance>> {
  using progress = new Progress(session.around);
  return follow(session, instance, {
    progress,
    mostMs,
    isUnanswered: ({ status }) => status?.phase !== "Terminating" && status?.phase !== "Terminated",
    until: (seen) => (seen.isGone ? seen.instance : undefined),
  });
}
