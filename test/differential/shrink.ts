/**
 * The smallest script that still shows a difference: steps are left out, then parts of bodies and queries, each try
 * played anew. A try that shows nothing, or only what is known, was one too many.
 */

import { placesIn, withValue } from "./generate/values.ts";
import type { Found } from "./play.ts";
import type { Step } from "./step.ts";

export type Try = (steps: readonly Step[]) => Promise<Found | undefined>;

export async function shrink(found: Found, again: Try, maxTries = 100): Promise<Found> {
  let smallest = found;
  let tries = 0;
  const isSmaller = async (steps: readonly Step[]): Promise<boolean> => {
    if (tries++ >= maxTries) return false;
    const next = await again(steps);
    if (next) smallest = { ...next, steps: steps.slice(0, next.at + 1) };
    return next !== undefined;
  };
  smallest = { ...found, steps: found.steps.slice(0, found.at + 1) };
  for (let before = Number.POSITIVE_INFINITY; sizeOf(smallest) < before; ) {
    before = sizeOf(smallest);
    await leaveOutSteps(() => smallest.steps, isSmaller);
    await leaveOutParts(() => smallest.steps, isSmaller);
  }
  return smallest;
}

type IsSmaller = (steps: readonly Step[]) => Promise<boolean>;

async function leaveOutSteps(current: () => readonly Step[], isSmaller: IsSmaller): Promise<void> {
  for (let chunk = Math.ceil(current().length / 2); chunk >= 1; chunk = Math.floor(chunk / 2)) {
    for (let from = 0; from < current().length; ) {
      const rest = [...current().slice(0, from), ...current().slice(from + chunk)];
      if (rest.length === 0 || !(await isSmaller(rest))) from += chunk;
    }
  }
}

async function leaveOutParts(current: () => readonly Step[], isSmaller: IsSmaller): Promise<void> {
  for (let at = current().length - 1; at >= 0; at--) {
    let tried = 0;
    for (;;) {
      const step = current()[at];
      if (step === undefined) break;
      const simpler = simplerThan(step)[tried];
      if (simpler === undefined) break;
      if (!(await isSmaller(current().with(at, simpler)))) tried++;
    }
  }
}

/** Whole branches first. */
function simplerThan(step: Step): Step[] {
  const [path = "", query = ""] = step.path.split("?");
  const options = query === "" ? [] : query.split("&");
  // A watch without a timeout would not end.
  const paths = options.flatMap((option, left) =>
    /^(watch|timeoutSeconds)=/.test(option)
      ? []
      : [[path, options.toSpliced(left, 1).join("&")].filter(Boolean).join("?")],
  );
  const { accept, ...plain } = step;
  const places = placesIn(step.body).toSorted((a, b) => a.length - b.length);
  return [
    ...(accept === undefined ? [] : [plain]),
    ...paths.map((simpler) => ({ ...step, path: simpler })),
    ...places.map((place) => ({ ...step, body: withValue(step.body, place, undefined) })),
  ];
}

function sizeOf({ steps }: Found): number {
  return JSON.stringify(steps).length;
}
