/** Which of all kills are tried where there is no time for all of them. Fast runs, and yet every write is met somewhere. */
import type { Kill } from "./run.ts";
import { formatPoint } from "./writes.ts";

/**
 * One kill for each write that `sameAs` tells from the others, in turn before and after it, and in turn in another of
 * the lives that have it.
 */
export function oneOfEach<K extends Pick<Kill, "when">>(kills: readonly K[], sameAs: (kill: K) => string): K[] {
  const groups = [...Map.groupBy(kills, sameAs).values()];
  return groups.map((same, at) => {
    const wanted = at % 2 === 0 ? "before" : "after";
    const candidates = same.filter(({ when }) => when === wanted);
    return candidates[at % candidates.length] as K;
  });
}

/** `update challengeinstances/status`, whichever it is of them. */
export function kindOf({ point }: Kill): string {
  return formatPoint(point).replace(/ \d+$/, "");
}

/** `update challengeinstances/status 3` */
export function placeOf({ point }: Kill): string {
  return formatPoint(point);
}
