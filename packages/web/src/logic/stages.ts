/** How far a start has come, and how long each of its stages took. */
import type { Instance, Timeline } from "@berg/api/wire";

/** Those of an instance, or the finer ones of its timeline. */
export type StageTimes = Instance["stages"] | Timeline["stages"];
export type StageName = StageTimes[number]["stage"];

export interface StageProgress {
  stage: StageName;
  state: "done" | "current" | "upcoming";
  /** From the request until this stage began. Absent for a stage that has not begun, or was passed without being seen. */
  beganAfterMs?: number;
  /** How long it took; for the current stage, how long it has taken so far. */
  tookMs?: number;
}

/**
 * A stage ends at its time and begins at that of the last stage that was seen before it. A stage that was passed without
 * being seen counts as done as soon as a later one is reached.
 */
export function stageProgress(stages: StageTimes, now: number): StageProgress[] {
  const lastReached = stages.findLastIndex(({ at }) => at !== null);
  const beginning = beginningOf(stages);
  let reachedAt = beginning;
  return stages.map(({ stage, at }, index) => {
    const state = index <= lastReached ? "done" : index === lastReached + 1 ? "current" : "upcoming";
    const end = at === null ? (state === "current" ? now : undefined) : Date.parse(at);
    if (end === undefined || reachedAt === undefined || beginning === undefined) return { stage, state };
    // The times come from several clocks (API, controller, kubelet), which may disagree by a moment.
    const tookMs = Math.max(0, end - reachedAt);
    const beganAfterMs = reachedAt - beginning;
    reachedAt = Math.max(reachedAt, end);
    return { stage, state, beganAfterMs, tookMs };
  });
}

/** When the start was asked for. */
export function startOf({ startedAt, stages }: Pick<Instance, "startedAt" | "stages">): number | undefined {
  return beginningOf(stages) ?? (startedAt === null ? undefined : Date.parse(startedAt));
}

function beginningOf(stages: StageTimes): number | undefined {
  for (const { at } of stages) if (at !== null) return Date.parse(at);
  return undefined;
}
