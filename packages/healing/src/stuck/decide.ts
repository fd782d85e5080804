/** What to say and do about an instance, given what its pods amount to. Pure. */
import { formatTime, parseTime, type Stored } from "@berg/apimachinery";
import { findCondition, type WantedCondition } from "@berg/kube";
import { type ChallengeInstance, foreignConditions, isEnding } from "@berg/resources";
import type { ListenerSettings } from "../settings/listener.ts";
import { recoveredReason, stuckRestartsAnnotation } from "../vocabulary.ts";
import type { Summary } from "./summary.ts";

/** Undefined where nothing has to be written. Whoever was never stuck has no such condition. */
export function wantedCondition(instance: ChallengeInstance, summary: Summary): WantedCondition | undefined {
  if (isEnding(instance)) return undefined;
  const type = foreignConditions.stuck;
  const known = findCondition(instance.status?.conditions, type);
  if (summary.is === "stuck") {
    const { reason, message } = summary;
    const isSaid = known?.status === "True" && known.reason === reason && known.message === message;
    return isSaid ? undefined : { type, status: "True", reason, message };
  }
  if (summary.is === "undecided" || known?.status !== "True") return undefined;
  return { type, status: "False", reason: recoveredReason, message: "All containers are ready again." };
}

export type Action =
  | { readonly do: "nothing" }
  | { readonly do: "wait"; readonly untilMs: number }
  /** `mark`: what the annotation says from then on. */
  | { readonly do: "restart"; readonly pods: readonly string[]; readonly mark: string; readonly isLast: boolean }
  | { readonly do: "terminate"; readonly pods: readonly string[] };

/** Between the first two restarts; each further one waits twice as long. */
const firstPauseMs = 60_000;
const longestPauseMs = 30 * 60_000;

export function decideAction(
  instance: Stored<ChallengeInstance>,
  summary: Summary,
  { policy, restarts }: Pick<ListenerSettings, "policy" | "restarts">,
  now: number,
): Action {
  if (summary.is !== "stuck" || isEnding(instance) || policy === "report") return { do: "nothing" };
  const { pods } = summary;
  if (policy === "terminate") return { do: "terminate", pods };
  const done = restartsDone(instance.metadata.annotations?.[stuckRestartsAnnotation]);
  if (done.count >= restarts) return { do: "nothing" };
  const pauseMs = done.count === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (done.count - 1));
  const untilMs = done.lastAt + pauseMs;
  if (now < untilMs) return { do: "wait", untilMs };
  const count = done.count + 1;
  return { do: "restart", pods, mark: `${count} ${formatTime(now)}`, isLast: count >= restarts };
}

/** Kept on the instance itself, so that a listener that is started anew does not begin to count again. */
function restartsDone(mark = ""): { count: number; lastAt: number } {
  const [, count, time = ""] = /^(\d{1,6}) (\S+)$/.exec(mark) ?? [];
  try {
    return count === undefined ? { count: 0, lastAt: 0 } : { count: Number(count), lastAt: parseTime(time) };
  } catch {
    // Somebody has edited it: the number counts.
    return { count: Number(count), lastAt: 0 };
  }
}
