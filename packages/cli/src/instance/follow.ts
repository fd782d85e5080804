/** Watches one instance until what is waited for has happened, and shows its stages meanwhile. */
import { keyOf, type Stored } from "@berg/apimachinery";
import { Informer } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { Failure } from "./failure.ts";
import { tellOfPodWarnings } from "./pod-warnings.ts";
import type { Progress } from "./progress.ts";
import type { Session } from "./session.ts";
import { spanText } from "./span.ts";
import { stageOf } from "./stages.ts";
import { tellingOfTrouble } from "./trouble.ts";

export interface Seen {
  /** As it was last seen. */
  instance: Stored<ChallengeInstance>;
  isGone: boolean;
}

export interface Waiting<T> {
  /** Called with every change; an answer ends the wait. */
  until(seen: Seen): T | undefined;
  /** Whether nobody has taken notice of what was asked for. */
  isUnanswered(instance: Stored<ChallengeInstance>): boolean;
  progress: Progress;
  /** After this it is given up. */
  mostMs?: number | undefined;
}

const patienceMs = 10_000;

/** Rejects where it is told to stop, or the time is up: a server that is away for a while is waited for. */
export async function follow<T>(
  { client, around: { clock, signal } }: Pick<Session, "client" | "around">,
  first: Stored<ChallengeInstance>,
  { until, isUnanswered, progress, mostMs }: Waiting<T>,
): Promise<T> {
  const { namespace, name, uid } = first.metadata;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const answer = Promise.withResolvers<T>();
  let latest = first;

  const look = (seen: Seen) => {
    latest = seen.instance;
    if (!seen.isGone) progress.stage(stageOf(latest));
    const found = until(seen);
    if (found !== undefined) answer.resolve(found);
  };
  const informer = new Informer({
    client,
    type: ChallengeInstances,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    clock,
    log: tellingOfTrouble((text) => progress.note(text)),
  });
  informer.onChange(({ type, object }) => {
    if (object.metadata.uid === uid) look({ instance: object, isGone: type === "deleted" });
  });
  const patience = clock.setTimer(patienceMs, () => {
    if (isUnanswered(latest)) progress.note("Nothing has answered yet. Does the controller run (berg controller)?");
  });
  const limit = mostMs === undefined ? undefined : clock.setTimer(mostMs, () => answer.reject(gaveUp(latest, mostMs)));
  signal.addEventListener("abort", () => answer.reject(signal.reason), { once: true });
  if (signal.aborted) answer.reject(signal.reason);
  const running = informer.run(stop);
  const warning = tellOfPodWarnings(
    {
      client,
      clock,
      namespace: () => (latest.status?.phase === "Starting" ? latest.status.namespace : undefined),
      tell: (text) => progress.note(text),
    },
    stop,
  );
  // It may have gone between the call that gave it to us and the first list.
  informer.synced(stop).then(
    () => informer.get(keyOf(first))?.metadata.uid !== uid && look({ instance: latest, isGone: true }),
    () => {},
  );
  try {
    return await answer.promise;
  } finally {
    patience.cancel();
    limit?.cancel();
    ended.abort();
    await Promise.all([running, warning]);
  }
}

function gaveUp(latest: Stored<ChallengeInstance>, mostMs: number): Failure {
  return new Failure(`${latest.metadata.name}: waited for ${spanText(mostMs)}, and no longer. ${stageOf(latest)}`);
}
