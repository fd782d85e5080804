/** In which part of the competition a moment lies. */
import type { Metadata } from "@berg/api/wire";

/** `practice`: it is over, but the organisers keep the challenges running. */
export type CompetitionPeriod = "before" | "during" | "paused" | "over" | "practice";

type Times = Pick<Metadata, "start" | "end" | "pauseStart" | "pauseEnd" | "afterEnd">;

export function competitionPeriod(
  { start, end, pauseStart, pauseEnd, afterEnd }: Times,
  now: number,
): CompetitionPeriod {
  if (now < Date.parse(start)) return "before";
  if (now >= Date.parse(end)) return afterEnd === "practice" ? "practice" : "over";
  const isPaused =
    pauseStart !== null && now >= Date.parse(pauseStart) && (pauseEnd === null || now < Date.parse(pauseEnd));
  return isPaused ? "paused" : "during";
}

/** Whether players can start instances. */
export function isOpen(period: CompetitionPeriod | undefined): boolean {
  return period === undefined || period === "during" || period === "practice";
}
