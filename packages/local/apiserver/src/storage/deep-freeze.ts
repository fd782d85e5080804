/**
 * Freezes an object and all that is in it. What is frozen already is taken to be so all the way down: a new version of an
 * object shares most of its parts with the one before, and those need not be walked again.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
