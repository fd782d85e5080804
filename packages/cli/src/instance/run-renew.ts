/** `berg instance renew`: asks for more time, and waits for what the controller answers. */
import { isConflict, type Stored } from "@berg/apimachinery";
import {
  type ChallengeInstance,
  ChallengeInstances,
  type ExpiryChange,
  historyReasons,
  isEnding,
} from "@berg/resources";
import { Failure } from "./failure.ts";
import { follow } from "./follow.ts";
import { paintFor } from "./paint.ts";
import { printable } from "./printable.ts";
import { Progress } from "./progress.ts";
import { endsRow, renderRows } from "./render-text.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { type WaitOptions, waitMs } from "./wait-timeout.ts";

export interface RenewOptions extends ClusterOptions, WaitOptions {
  json?: boolean;
}

export function runRenew(name: string, options: RenewOptions, around: Surroundings): Promise<ExitCode> {
  const { stdout, stderr, clock, env } = around;
  return inSession(options, around, async (session) => {
    const mostMs = waitMs(options);
    const asked = await ask(session, name);
    const instance = await answered(session, asked, mostMs).catch((error) => {
      stderr.write("The request stands, and is answered when somebody looks at it.\n");
      throw error;
    });
    const { reason, message = "" } = answerIn(instance) ?? {};
    const isRenewed = reason === historyReasons.renewed;
    const view = await session.view(instance);
    const renewal = { renewed: isRenewed, message };
    if (options.json) stdout.write(`${JSON.stringify({ ...view, renewal }, undefined, 2)}\n`);
    else if (isRenewed) stdout.write(renderRows([endsRow(view, clock.now())], paintFor(stdout, env)));
    if (isRenewed) return 0;
    throw new Failure(printable(message) || "not renewed; the controller does not say why");
  });
}

const mostTries = 5;

/** Raises it by one from what was read: of two who ask at the same time, each asks for one more. */
async function ask(session: Session, name: string): Promise<Stored<ChallengeInstance>> {
  const { client, around } = session;
  for (let tries = 1; ; tries++) {
    const instance = await session.instance(name);
    if (isEnding(instance)) throw new Failure(`${name} is ending, and cannot be renewed`);
    const { resourceVersion, namespace = "" } = instance.metadata;
    const body = { metadata: { resourceVersion }, spec: { renewals: instance.spec.renewals + 1 } };
    try {
      return await client.patch(
        ChallengeInstances,
        namespace,
        name,
        { type: "merge", body },
        { signal: around.signal },
      );
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error;
    }
  }
}

async function answered(
  session: Session,
  asked: Stored<ChallengeInstance>,
  mostMs: number | undefined,
): Promise<Stored<ChallengeInstance>> {
  using progress = new Progress(session.around);
  const isAnswered = ({ status }: ChallengeInstance) => (status?.renewals ?? 0) >= asked.spec.renewals;
  return follow(session, asked, {
    progress,
    mostMs,
    isUnanswered: (instance) => !isAnswered(instance),
    until: ({ instance, isGone }) => (isAnswered(instance) || isEnding(instance) || isGone ? instance : undefined),
  });
}

/** The latest, which may have answered several requests at once. */
function answerIn({ status }: ChallengeInstance): ExpiryChange | undefined {
  const answers: string[] = [historyReasons.renewed, historyReasons.renewalRefused];
  return status?.history?.findLast(({ reason }) => answers.includes(reason));
}
