/**
 * How deep a body or an object may be. Kubernetes reads ten thousand levels; but here much is done by recursion (to copy,
 * to compare, to write as JSON), and an overflow of the stack half-way is worse than a refusal.
 */
export const deepest = 1000;

export const tooDeep = `json: exceeded max depth of ${deepest}`;

/** Also of what a patch makes of an object. Level by level, so that it cannot overflow itself. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= deepest) return true;
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
