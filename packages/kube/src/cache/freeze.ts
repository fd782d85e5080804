/**
 * Makes an object and all below it read-only. Cached objects are shared by every reader; one that changed its copy
 * would change everybody's, and the cluster would never hear of it.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
  } else {
    for (const key in value) deepFreeze(value[key]);
  }
  return value;
}
