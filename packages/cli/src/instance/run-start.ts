/** `berg instance start`: asks for an instance of a Challenge, and waits until players can connect to it. */
import { randomUUID } from "node:crypto";
import { apiVersionOf, isAlreadyExists, type Stored } from "@berg/apimachinery";
import type { FlagOwner } from "@berg/instances";
import {
  annotations,
  type Challenge,
  type ChallengeInstance,
  type ChallengeInstanceSpec,
  ChallengeInstances,
  isEnding,
  needsFlag,
  newFlag,
  newInstanceId,
  validateChallengeInstance,
} from "@berg/resources";
import { webPorts } from "./addresses.ts";
import { Failure } from "./failure.ts";
import { findChallenge } from "./find-challenge.ts";
import { flagPlaces } from "./flag-places.ts";
import { follow } from "./follow.ts";
import { paintFor } from "./paint.ts";
import { Progress } from "./progress.ts";
import { renderAsked, renderStarted, type StartedView } from "./render-start.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { viewOf } from "./view.ts";
import { type WaitOptions, waitMs } from "./wait-timeout.ts";

export interface StartOptions extends ClusterOptions, WaitOptions {
  owner?: string;
  flag?: string;
  timeout?: string;
  wait: boolean;
  json?: boolean;
}

export function runStart(name: string, options: StartOptions, around: Surroundings): Promise<ExitCode> {
  return inSession(options, around, async (session) => {
    const { stdout, clock, env } = around;
    const mostMs = waitMs(options);
    const asked = manifestFor(session, name, options);
    const challenge = await findChallenge(session, name);
    const isFlagMade = options.flag === undefined && needsFlag(challenge);
    if (isFlagMade) asked.spec.flag = madeFlag(challenge, around);
    if (options.owner !== undefined) await refuseSecond(session, options.owner);
    const instance = await create(session, asked);

    const described = (latest: Stored<ChallengeInstance>): StartedView => ({
      ...viewOf(latest, webPorts(challenge)),
      ...(isFlagMade && asked.spec.flag !== undefined && { flag: asked.spec.flag }),
      flagPlaces: flagPlaces(challenge, ownerOf(latest, asked.spec.flag)),
    });
    const paint = paintFor(stdout, env);
    // Before the wait: the flag is told once, and Ctrl-C must not take it away.
    if (!options.json) stdout.write(renderAsked(described(instance), options.flag !== undefined, paint));
    const outcome: Outcome = options.wait ? await started(session, instance, mostMs) : { instance, exitCode: 0 };
    const view = described(outcome.instance);
    if (options.json) stdout.write(`${JSON.stringify(view, undefined, 2)}\n`);
    else if (options.wait) stdout.write(renderStarted(view, clock.now(), session, paint));
    if (outcome.error) throw outcome.error;
    return outcome.exitCode;
  });
}

/** As far as its flag is known here: where it is comes out of it. */
export function ownerOf({ metadata }: Stored<ChallengeInstance>, flag: string | undefined): FlagOwner | undefined {
  return flag === undefined ? undefined : { uid: metadata.uid, flag };
}

export function madeFlag(challenge: Challenge, { randomBytes }: Surroundings): string {
  const flag = newFlag(challenge, randomBytes);
  if ([...flag].length <= longestFlag) return flag;
  throw new Failure(`the flag made from the Challenge's has over ${longestFlag} characters. Give one with --flag`);
}

/** As the schema of a ChallengeInstance has it. */
const longestFlag = 1024;

/** What is wrong with it is said in the words of the command line, and before anything is asked of the cluster. */
export function manifestFor(session: Session, name: string, { owner, flag, timeout }: StartOptions) {
  const { randomBytes, clock } = session.around;
  const random = () => Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
  const spec: ChallengeInstanceSpec = {
    challengeRef: { name, namespace: session.namespace },
    ownerId: owner ?? randomUUID(),
    ...(flag !== undefined && { flag }),
    ...(timeout !== undefined && { timeout }),
    renewals: 0,
    restarts: 0,
  };
  const manifest = {
    apiVersion: apiVersionOf(ChallengeInstances),
    kind: ChallengeInstances.kind,
    metadata: {
      namespace: session.namespace,
      // As the API names them, so that an owner has one and the same; without an owner, a name that can be typed.
      name: owner === undefined ? `${name}-${Buffer.from(randomBytes(3)).toString("hex")}` : `owner-${owner}`,
      annotations: { [annotations.instanceId]: newInstanceId(clock.now(), random) },
    },
    spec,
  };
  const wrong = validateChallengeInstance({ ...manifest, metadata: { name: "any" } }).errors;
  const texts = wrong.map(({ field, message }) => `${optionOf[field] ?? field}: ${message}`);
  // A variable that was not set. The kind allows it, for Challenges without a flag; nobody means it here.
  if (flag === "") texts.push("--flag: it is empty. Give one, or leave the option out, and one is made");
  if (texts.length > 0) throw new Failure(texts.join("\n       "), 2);
  return manifest;
}

const optionOf: Record<string, string> = {
  "spec.challengeRef.name": "<challenge>",
  "spec.ownerId": "--owner",
  "spec.flag": "--flag",
  "spec.timeout": "--timeout",
};

/** The controller would refuse it too, but the object would stay. */
async function refuseSecond(session: Session, owner: string): Promise<void> {
  const { client, namespace, around } = session;
  const fieldSelector = `spec.ownerId=${owner}`;
  const { items } = await client.listAll(ChallengeInstances, { namespace, fieldSelector, signal: around.signal });
  const other = items.find((item) => !isEnding(item));
  if (other) throw busy(session, owner, other);
}

async function create(session: Session, asked: ReturnType<typeof manifestFor>): Promise<Stored<ChallengeInstance>> {
  // Not given up halfway: it could be there, and nobody would know its name and flag.
  return session.client.create(ChallengeInstances, asked).catch(async (error) => {
    if (!isAlreadyExists(error)) throw error;
    throw busy(session, asked.spec.ownerId, await session.instance(asked.metadata.name));
  });
}

function busy(session: Session, owner: string, other: Stored<ChallengeInstance>): Failure {
  const { name } = other.metadata;
  const what = `${name} (of the Challenge ${other.spec.challengeRef.name}, ${other.status?.phase ?? "Pending"})`;
  const remedy = isEnding(other)
    ? "It is ending: try again when it is gone."
    : `End that one first: ${session.command(`stop ${name}`)}`;
  return new Failure(`the owner ${owner} has an instance, ${what}, and can have one at a time. ${remedy}`);
}

interface Outcome {
  instance: Stored<ChallengeInstance>;
  exitCode: ExitCode;
  /** Why nothing more was seen of it. */
  error?: Error;
}

async function started(
  session: Session,
  instance: Stored<ChallengeInstance>,
  mostMs: number | undefined,
): Promise<Outcome> {
  const { stderr } = session.around;
  let latest = instance;
  using progress = new Progress(session.around);
  try {
    return await follow(session, instance, {
      progress,
      mostMs,
      isUnanswered: ({ status }) => status?.phase === undefined,
      until: (seen) => {
        latest = seen.instance;
        const { phase } = latest.status ?? {};
        if (phase === "Running" && !isEnding(latest)) return { instance: latest, exitCode: 0 };
        return phase === "Failed" || isEnding(latest) || seen.isGone ? { instance: latest, exitCode: 1 } : undefined;
      },
    });
  } catch (error) {
    const { name } = instance.metadata;
    progress[Symbol.dispose]();
    stderr.write(`The instance goes on without us. To end it: ${session.command(`stop ${name}`)}\n`);
    // Told at the end, after what is known of it: its flag is told by nobody else.
    return { instance: latest, exitCode: 1, error: error as Error };
  }
}
