/** Which ghosts to sweep now: those that have been ghosts for long enough, unless there are too many to be true. Pure. */
import type { FirstSeen, Ghost } from "./find.ts";

/** So few are swept whatever their share: a small competition, or the rest of a big one. */
const fewEnough = 10;
/** More than this share of all our namespaces are not ghosts: somebody has lost the ChallengeInstances. */
const credibleShare = 0.5;

export interface Choice {
  sweep: Ghost[];
  /** When the next one has been a ghost for long enough, in ms since 1970. */
  nextAt?: number;
  /** Why none is swept, in plain words. */
  brake?: string;
}

export interface ChoiceOptions {
  firstSeen: FirstSeen;
  now: number;
  graceMs: number;
  /** How many namespaces of ours there are, ghosts or not. */
  namespaces: number;
  /** Somebody has looked at it, and says that it is right. */
  force?: boolean;
}

export function chooseGhosts(ghosts: readonly Ghost[], options: ChoiceOptions): Choice {
  const { firstSeen, now, graceMs, namespaces, force = false } = options;
  const times = ghosts.map((ghost) => ({ ghost, at: firstSeen(ghost) + graceMs }));
  const sweep = times.filter(({ at }) => at <= now).map(({ ghost }) => ghost);
  const ahead = times.map(({ at }) => at).filter((at) => at > now && Number.isFinite(at));
  const next = ahead.length > 0 ? { nextAt: Math.min(...ahead) } : {};
  if (force || sweep.length <= fewEnough || sweep.length <= namespaces * credibleShare) return { sweep, ...next };
  return { sweep: [], brake: brakeText(sweep.length, namespaces), ...next };
}

/** What a restored backup, or a definition that was deleted and made anew, looks like. */
function brakeText(count: number, namespaces: number): string {
  return (
    `${count} of ${namespaces} namespaces belong to no ChallengeInstance. That looks as if ChallengeInstances had been ` +
    "lost or restored under new UIDs, so nothing is swept. If they are to go: berg janitor --once --force"
  );
}
