/** `berg instance stop`: ends instances, and waits until everything of them is gone. */
import { isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { type ChoiceOptions, chooseInstances } from "./choose-instances.ts";
import { follow } from "./follow.ts";
import { Progress } from "./progress.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { viewOf } from "./view.ts";
import { type WaitOptions, waitMs } from "./wait-timeout.ts";

export interface StopOptions extends ClusterOptions, WaitOptions, ChoiceOptions {
  json?: boolean;
}

export function runStop(names: string[], options: StopOptions, around: Surroundings): Promise<ExitCode> {
  const { stdout, stderr, signal } = around;
  return inSession(options, around, async (session) => {
    const mostMs = waitMs(options);
    const instances = await chooseInstances(session, names, options, "stop");
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
