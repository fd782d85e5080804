/**
 * `berg instance extend`: moves the end of instances, by a change of `spec.timeout` for each. For organisers, after an
 * outage: unlike a renewal it uses up nothing that the player may ask for.
 */
import {
  type Duration,
  durationFromMs,
  durationToMs,
  formatDuration,
  isConflict,
  isNotFound,
  ParseError,
  parseDuration,
  parseTime,
  quoted,
  type Stored,
} from "@berg/apimachinery";
import { FewAtOnce } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, countedFrom, historyReasons, isEnding } from "@berg/resources";
import { type ChoiceOptions, chooseInstances } from "./choose-instances.ts";
import { explain, Failure } from "./failure.ts";
import { follow } from "./follow.ts";
import { printable } from "./printable.ts";
import { Progress } from "./progress.ts";
import { endsText } from "./render-text.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { viewOf } from "./view.ts";
import { type WaitOptions, waitMs } from "./wait-timeout.ts";

export interface ExtendOptions extends ClusterOptions, WaitOptions, ChoiceOptions {
  by?: string;
  json?: boolean;
}

/** A change that the controller has not answered yet. */
interface Request {
  name: string;
  instance: Stored<ChallengeInstance>;
  /** When it is to end, in ms since 1970. */
  wanted: number;
}

/** What became of one instance. */
type Outcome =
  | { kind: "extended"; name: string; instance: Stored<ChallengeInstance>; isLimited: boolean }
  | { kind: "skipped"; name: string; why: string }
  | { kind: "failed"; name: string; why: string };

const concurrency = 8;
const attempts = 5;

export function runExtend(names: string[], options: ExtendOptions, around: Surroundings): Promise<ExitCode> {
  return inSession(options, around, async (session) => {
    const by = parseBy(options.by);
    const mostMs = waitMs(options);
    const instances = await chooseInstances(session, names, options, "extend");
    // Every change is written before the first answer is awaited: the controller may be away.
    const requests = await few(instances, session, (instance) => request(session, instance, by));
    const outcomes = await answersTo(requests, session, mostMs);
    const { signal, stdout, stderr } = around;
    if (options.json) stdout.write(`${JSON.stringify(document(outcomes), undefined, 2)}\n`);
    else for (const outcome of outcomes) if (outcome.kind !== "failed" || !signal.aborted) print(outcome, around);
    if (signal.aborted) stderr.write("The changes are stored; the controller applies them when it runs.\n");
    return outcomes.some(({ kind }) => kind === "failed") ? 1 : 0;
  });
}

async function answersTo(requests: readonly (Request | Outcome)[], session: Session, mostMs: number | undefined) {
  using progress = new Progress(session.around);
  return few(
    requests,
    session,
    async (asked): Promise<Outcome> => ("wanted" in asked ? answered(session, asked, mostMs, progress) : asked),
  );
}

/** Runs a few at a time. A failure becomes an outcome and does not stop the others. */
function few<T extends { name: string } | Stored<ChallengeInstance>, R extends Request | Outcome>(
  items: readonly T[],
  { around: { signal } }: Session,
  work: (item: T) => Promise<R>,
): Promise<(R | Outcome)[]> {
  const slots = new FewAtOnce(concurrency);
  return Promise.all(
    items.map((item) =>
      slots
        .run(() => work(item), signal)
        .catch((error): Outcome => {
          const name = "metadata" in item ? item.metadata.name : item.name;
          return { kind: "failed", name, why: explain(error, undefined).text };
        }),
    ),
  );
}

function parseBy(text: string | undefined): Duration {
  const invalid = (problem: string) => new Failure(`--by ${problem}: write a time such as 30m or 1h30m`, 2);
  if (text === undefined) throw invalid("is required");
  try {
    const by = parseDuration(text);
    if (by >= parseDuration("1s")) return by;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  throw invalid(`${quoted(text)} is not a time to add`);
}

async function request(session: Session, first: Stored<ChallengeInstance>, by: Duration): Promise<Request | Outcome> {
  const { namespace = "", name, uid } = first.metadata;
  const skipped = (why: string): Outcome => ({ kind: "skipped", name, why });
  const { client, around } = session;
  let instance = first;
  for (let attempt = 1; ; attempt++) {
    const why = instance.metadata.uid === uid ? notExtensible(instance) : "it is gone";
    if (why !== undefined) return skipped(why);
    const wanted = parseTime(instance.status?.expiresAt ?? "") + durationToMs(by);
    try {
      return { name, wanted, instance: await changeTimeout(session, instance, wanted) };
    } catch (error) {
      if (isNotFound(error)) return skipped("it is gone");
      // It was changed since it was read, for example its status by the controller.
      if (!isConflict(error) || attempt === attempts) throw error;
      const { items } = await client.list(ChallengeInstances, {
        ...{ namespace, fieldSelector: `metadata.name=${name}`, signal: around.signal },
      });
      if (!items[0]) return skipped("it is gone");
      instance = items[0];
    }
  }
}

function notExtensible(instance: Stored<ChallengeInstance>): string | undefined {
  if (isEnding(instance)) return "it is ending";
  if (instance.status?.startedAt === undefined) return "its time has not begun";
  if (instance.status.expiresAt === undefined) return "it does not end by itself";
  return undefined;
}

/** With the resourceVersion that was read, so that two concurrent extensions add up. */
function changeTimeout(
  { client, around }: Session,
  { metadata, status = {} }: Stored<ChallengeInstance>,
  wanted: number,
): Promise<Stored<ChallengeInstance>> {
  const timeout = formatDuration(durationFromMs(wanted - (countedFrom(status) ?? wanted)));
  const { namespace = "", name, uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion }, spec: { timeout } };
  return client.patch(ChallengeInstances, namespace, name, { type: "merge", body }, { signal: around.signal });
}

async function answered(
  session: Session,
  { name, wanted, instance: asked }: Request,
  mostMs: number | undefined,
  progress: Progress,
): Promise<Outcome> {
  const isAnswered = ({ status }: ChallengeInstance) => status?.timeout === asked.spec.timeout;
  const instance = await follow(session, asked, {
    progress,
    mostMs,
    isUnanswered: (seen) => !isAnswered(seen),
    until: (seen) => (isAnswered(seen.instance) || isEnding(seen.instance) || seen.isGone ? seen.instance : undefined),
  });
  if (!isAnswered(instance)) return { kind: "failed", name, why: "it ended before it could be extended" };
  const { expiresAt, history } = instance.status ?? {};
  const latest = history?.at(-1);
  if (latest?.reason === historyReasons.timeoutRefused)
    return { kind: "failed", name, why: latest.message ?? "the controller has refused it" };
  return { kind: "extended", name, instance, isLimited: expiresAt !== undefined && parseTime(expiresAt) < wanted };
}

function print(outcome: Outcome, { stdout, stderr, clock }: Surroundings): void {
  const { name } = outcome;
  if (outcome.kind === "failed") stderr.write(`error: ${name}: ${printable(outcome.why)}\n`);
  else if (outcome.kind === "skipped") stdout.write(`${name}: not extended: ${outcome.why}\n`);
  else {
    const limit = outcome.isLimited ? " (until allows no more)" : "";
    stdout.write(`${name}: ends ${endsText(viewOf(outcome.instance), clock.now())}${limit}\n`);
  }
}

function document(outcomes: readonly Outcome[]): object {
  const others = (kind: "skipped" | "failed") =>
    outcomes.flatMap((outcome) => (outcome.kind === kind ? { name: outcome.name, message: outcome.why } : []));
  return {
    extended: outcomes.flatMap((outcome) =>
      outcome.kind === "extended" ? { ...viewOf(outcome.instance), limitedByUntil: outcome.isLimited } : [],
    ),
    skipped: others("skipped"),
    failed: others("failed"),
  };
}
