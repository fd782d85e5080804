import type { Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";

type Work<S, V> = (challenge: Stored<Challenge>, settings: S) => V;

/**
 * Worked out once for each version of a Challenge: all its instances ask the same, at every look. Kept for as long as
 * that version is in the cache, whose objects never change; any other is worked out anew each time.
 */
export function perChallenge<S, V>(work: Work<S, V>): Work<S, V> {
  const known = new WeakMap<Stored<Challenge>, { settings: S; value: V }>();
  return (challenge, settings) => {
    const before = known.get(challenge);
    if (before?.settings === settings) return before.value;
    const value = work(challenge, settings);
    if (Object.isFrozen(challenge)) known.set(challenge, { settings, value });
    return value;
  };
}
