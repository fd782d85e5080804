/** One sweep, by lists alone: what is due ends and ghosts go, as far as they do while somebody waits. */
import { type Client, type Clock, errorText, sleep } from "@berg/kube";
import { isDue } from "../expired/due.ts";
import { endIfDue } from "../expired/end.ts";
import { chooseGhosts } from "../ghosts/choose.ts";
import { findGhosts, sinceCreation } from "../ghosts/find.ts";
import { sweepGhosts } from "../ghosts/sweep.ts";
import { GoingNamespaces } from "../removing/going.ts";
import { inParallel } from "../removing/in-parallel.ts";
import type { Action, Removing } from "../removing/remove.ts";
import type { Sight } from "../removing/sight.ts";
import type { JanitorSettings } from "../settings/janitor.ts";
import { look } from "./look.ts";

export interface SweepOnceOptions {
  client: Client;
  settings: JanitorSettings;
  /** The server's, by preference: what it wrote is due by its time. */
  clock: Clock;
  signal: AbortSignal;
  /** Only tell what would be done. */
  dryRun?: boolean;
  /** Ghosts are swept however many they are. */
  force?: boolean;
}

export interface Swept {
  /** In the order in which it was done; at the end, what still waits. */
  actions: Action[];
  /** What was left undone and has to be looked at by somebody, in plain words. */
  problems: string[];
}

/** Pods get 30 s to end, unless told otherwise. What takes longer is the next sweep's. */
const patienceMs = 35_000;
const pauseMs = 1000;

/** Looks again while something happens. Rejects only where it is aborted. */
export async function sweepOnce(options: SweepOnceOptions): Promise<Swept> {
  const { client, clock, signal, dryRun = false } = options;
  const done: Action[] = [];
  let lastDone = clock.monotonic();
  for (;;) {
    let sight: Sight;
    try {
      sight = await look(client, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { actions: done, problems: [`nothing can be swept that cannot be read: ${errorText(error)}`] };
    }
    const waiting: Action[] = [];
    const report = (action: Action) => {
      (action.did === "waits" ? waiting : done).push(action);
      if (action.did === "deleted") lastDone = clock.monotonic();
    };
    const going = new GoingNamespaces(() => sight.namespaces);
    const { problems, isFinished } = await sweep(sight, { client, dryRun, report, signal, going }, options);
    if (isFinished || dryRun || clock.monotonic() - lastDone >= patienceMs)
      return { actions: [...done, ...waiting], problems };
    await sleep(clock, pauseMs, signal);
  }
}

/** Does all that can be done now. */
async function sweep(
  sight: Sight,
  removing: Removing & { client: Client },
  { clock, settings, force = false }: SweepOnceOptions,
): Promise<{ problems: string[]; isFinished: boolean }> {
  const now = clock.now();
  const { graceMs, ghostGraceMs } = settings;
  const { signal } = removing;
  const problems = new Set<string>();
  const looks: (number | undefined)[] = [];
  const attempt = (work: Promise<unknown>) =>
    work.catch((error) => {
      signal.throwIfAborted();
      problems.add(errorText(error));
    });

  const due = sight.instances.filter((instance) => isDue(instance, graceMs, now));
  const end = async (instance: (typeof due)[number]) =>
    void looks.push(await endIfDue(removing, instance, sight, { graceMs, now }));
  await attempt(inParallel(due, signal, end));

  const living = new Set(sight.instances.map(({ metadata }) => metadata.uid));
  const ghosts = findGhosts(sight.namespaces, living);
  const namespaces = sight.namespaces.length;
  const options = { firstSeen: sinceCreation, now, graceMs: ghostGraceMs, namespaces, force };
  const { sweep: chosen, brake } = chooseGhosts(ghosts, options);
  if (brake !== undefined) problems.add(brake);
  await attempt(sweepGhosts(chosen, { removing, sight, now }).then((lookAgainAt) => looks.push(lookAgainAt)));
  return { problems: [...problems], isFinished: looks.every((lookAgainAt) => lookAgainAt === undefined) };
}
