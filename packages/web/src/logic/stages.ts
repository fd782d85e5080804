/** How far a start has come. */
import type { Instance, Stage } from "@berg/api/wire";

export interface StageProgress {
  stage: Stage;
  state: "done" | "current" | "upcoming";
  /** Milliseconds from the request until the stage was reached. */
  reachedAfterMs?: number;
}

/** A stage that was passed without being seen counts as done as soon as a later one is reached. */
export function stageProgress(stages: Instance["stages"]): StageProgress[] {
  const lastReached = stages.findLastIndex(({ at }) => at !== null);
  const beginning = stages.find(({ at }) => at !== null)?.at;
  return stages.map(({ stage, at }, index) => {
    const state = index <= lastReached ? "done" : index === lastReached + 1 ? "current" : "upcoming";
    if (at === null || !beginning) return { stage, state };
    return { stage, state, reachedAfterMs: Date.parse(at) - Date.parse(beginning) };
  });
}

/** When the start was asked for. */
export function startOf({ startedAt, stages }: Pick<Instance, "startedAt" | "stages">): number | undefined {
  const time = stages.find(({ at }) => at !== null)?.at ?? startedAt;
  return time ? Date.parse(time) : undefined;
}
