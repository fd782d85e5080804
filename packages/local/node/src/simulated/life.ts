/**
 * The course of a pod's containers as a function of time: a life says how it began, `momentOf` what it shows at any
 * time after that, and until when.
 */
import type { Behaviour } from "./behaviour.ts";

/** Times in ms since 1970. */
export interface Life {
  readonly behaviour: Behaviour;
  /** When the containers began to behave so. */
  readonly since: number;
  readonly restartPolicy: RestartPolicy;
  readonly before: Before;
}

export type RestartPolicy = "Always" | "OnFailure" | "Never";

/** What the containers did before they behaved so. */
interface Before {
  /** How often they were started. */
  readonly starts: number;
  /** They are running, and since when. */
  readonly runningSince?: number | undefined;
  readonly lastExit?: Exit | undefined;
}

export interface Exit {
  readonly exitCode: number;
  readonly reason: "Completed" | "Error" | "OOMKilled";
  readonly startedAt: number;
  readonly finishedAt: number;
}

export type ContainerStage =
  /** Neither network nor image. */
  | { readonly is: "creating" }
  | { readonly is: "pull-failed"; readonly backingOff: boolean }
  | { readonly is: "invalid-image-name" }
  | { readonly is: "config-error" }
  | { readonly is: "crash-backoff"; readonly backoffMs: number }
  | { readonly is: "running"; readonly since: number; readonly ready: boolean }
  | { readonly is: "exited"; readonly exit: Exit };

export interface Moment {
  readonly stage: ContainerStage;
  readonly restartCount: number;
  readonly lastExit: Exit | undefined;
  /** When the next moment begins; Infinity for the last one. */
  readonly until: number;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
const killed = { exitCode: 137, reason: "Error" } as const;

export function beginLife(behaviour: Behaviour, since: number, restartPolicy: RestartPolicy): Life {
  return { behaviour, since, restartPolicy, before: { starts: 0 } };
}

/** Behaves so from now on. Containers that run go on running where the new behaviour lets them. */
export function changeLife(life: Life, behaviour: Behaviour, now: number): Life {
  const { stage, restartCount, lastExit } = momentOf(life, now);
  if (stage.is !== "running" || !runs(behaviour)) return { ...restartLife(life, now), behaviour };
  return { ...life, behaviour, since: now, before: { starts: restartCount + 1, runningSince: stage.since, lastExit } };
}

/** As when a liveness probe failed: containers that run are killed, and all begins anew. */
export function restartLife(life: Life, now: number): Life {
  const moment = momentOf(life, now);
  const lastExit = exitIn(moment, now);
  return { ...life, since: now, before: { starts: lastExit ? moment.restartCount + 1 : 0, lastExit } };
}

function exitIn({ stage, lastExit }: Moment, now: number): Exit | undefined {
  if (stage.is === "running") return { ...killed, startedAt: stage.since, finishedAt: now };
  return stage.is === "exited" ? stage.exit : lastExit;
}

function runs(behaviour: Behaviour): boolean {
  return behaviour.kind === "ready" || behaviour.kind === "never-ready" || exitOf(behaviour) !== undefined;
}

export function momentOf(life: Life, now: number): Moment {
  const { behaviour, before, since } = life;
  switch (behaviour.kind) {
    case "ready":
    case "never-ready":
      return starting(life, now);
    case "crash-loop":
    case "oom":
    case "exits":
      return exiting(life, now);
    case "image-pull": {
      const { backingOff, until } = pulling(behaviour, now - since);
      return waiting(before, { is: "pull-failed", backingOff }, since + until);
    }
    case "invalid-image-name":
      return waiting(before, { is: "invalid-image-name" });
    case "create-container-config-error":
      return waiting(before, { is: "config-error" });
    case "unschedulable":
    case "stuck-creating":
      return waiting(before, { is: "creating" });
    case "evicted": {
      const exit = before.lastExit;
      return { ...waiting(before, exit ? { is: "exited", exit } : { is: "creating" }), lastExit: undefined };
    }
  }
}

function waiting({ starts, lastExit }: Before, stage: ContainerStage, until = Number.POSITIVE_INFINITY): Moment {
  return { stage, restartCount: Math.max(0, starts - 1), lastExit, until };
}

/** Which restart it is that runs first under the new behaviour. */
function firstRestart({ starts, runningSince }: Before): number {
  return runningSince === undefined ? starts : starts - 1;
}

function starting({ behaviour, before, since }: Life, now: number): Moment {
  const readyAt = since + (behaviour.afterMs ?? 0);
  // One that ran before runs again at once, and only its readiness takes time.
  const isCreated = before.starts > 0;
  if (!isCreated && now < readyAt) return waiting(before, { is: "creating" }, readyAt);
  const runningSince = before.runningSince ?? (isCreated ? since : readyAt);
  return {
    stage: { is: "running", since: runningSince, ready: now >= readyAt && behaviour.kind === "ready" },
    restartCount: firstRestart(before),
    lastExit: before.lastExit,
    until: now < readyAt ? readyAt : Number.POSITIVE_INFINITY,
  };
}

/** Rounds of running, having exited, and backing off. kubelet does not back off from the first exit. */
function exiting(life: Life, now: number): Moment {
  const { behaviour, before } = life;
  const how = exitOf(behaviour) ?? killed;
  let { lastExit } = before;
  let start = life.since;
  for (let round = 0; ; round++) {
    const startedAt = round === 0 ? (before.runningSince ?? start) : start;
    const exit: Exit = { ...how, startedAt, finishedAt: start + (behaviour.runMs ?? 0) };
    const backoffMs = round === 0 ? 0 : backoffOf(behaviour, round - 1);
    const backoffAt = exit.finishedAt + shownMs(behaviour);
    const end = backoffAt + backoffMs;
    const restartCount = firstRestart(before) + round;

    if (now < exit.finishedAt) {
      const stage = { is: "running", since: startedAt, ready: true } as const;
      return { stage, restartCount, lastExit, until: exit.finishedAt };
    }
    if (!startsAgain(life.restartPolicy, how.exitCode))
      return { stage: { is: "exited", exit }, restartCount, lastExit, until: Number.POSITIVE_INFINITY };
    if (now < backoffAt) return { stage: { is: "exited", exit }, restartCount, lastExit, until: backoffAt };
    lastExit = exit;
    if (now < end) return { stage: { is: "crash-backoff", backoffMs }, restartCount, lastExit, until: end };
    start = end;
  }
}

export function startsAgain(policy: RestartPolicy, exitCode: number): boolean {
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** `age` and `until` count from the first try. */
function pulling(behaviour: Behaviour, age: number): { backingOff: boolean; until: number } {
  let start = 0;
  for (let round = 0; ; round++) {
    const backoffAt = start + shownMs(behaviour);
    const end = backoffAt + backoffOf(behaviour, round);
    if (age < backoffAt) return { backingOff: false, until: backoffAt };
    if (age < end) return { backingOff: true, until: end };
    start = end;
  }
}

function exitOf({ kind, exitCode }: Behaviour): Pick<Exit, "exitCode" | "reason"> | undefined {
  switch (kind) {
    case "oom":
      return { exitCode: 137, reason: "OOMKilled" };
    case "crash-loop":
      return { exitCode: exitCode ?? 1, reason: exitCode === 0 ? "Completed" : "Error" };
    case "exits":
      return { exitCode: exitCode ?? 0, reason: exitCode ? "Error" : "Completed" };
    default:
      return undefined;
  }
}

function backoffOf({ backoffMs = firstBackoffMs }: Behaviour, round: number): number {
  return Math.min(longestBackoffMs, Math.max(1, backoffMs) * 2 ** round);
}

/** How long the failure itself is shown before the back-off is: about a second, as with kubelet's own back-off. */
function shownMs({ backoffMs = firstBackoffMs }: Behaviour): number {
  return Math.max(1, backoffMs / 10);
}
