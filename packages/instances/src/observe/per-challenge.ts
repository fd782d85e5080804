import type { Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import type { BuildSettings } from "../settings/settings.ts";

type Work<V> = (challenge: Stored<Challenge>, build: BuildSettings) => V;

/**
 * Worked out once for each version of a Challenge: all its instances ask the same, at every look. Kept for as long as
 * that version is in the cache, whose objects never change; any other is worked out anew each time.
 */
export function perChallenge<V>(work: Work<V>): Work<V> {
  const known = new WeakMap<Stored<Challenge>, { build: BuildSettings; value: V }>();
  return (challenge, build) => {
    const before = known.get(challenge);
    if (before?.build === build) return before.value;
    const value = work(challenge, build);
    if (Object.isFrozen(challenge)) known.set(challenge, { build, value });
    return value;
  };
}
