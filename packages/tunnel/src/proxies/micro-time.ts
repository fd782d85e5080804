/**
 * The time of day to the microsecond. The clock on the wall tells milliseconds; the one that only grows is finer, and
 * the distance between the two is known the better the more often both are read.
 */
import { formatMicroTime } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";

/** What the growing clock of each lacks to the time of day. */
const distances = new WeakMap<Clock, number>();

/** `2026-01-31T18:00:00.123456Z` */
export function microTime(clock: Clock): string {
  const wall = Math.floor(clock.now());
  const grown = clock.monotonic();
  // The wall's milliseconds are whole: where the sum leaves the present one, the distance was not right, or is no more.
  const time = Math.min(Math.max(grown + (distances.get(clock) ?? wall - grown), wall), wall + 0.999);
  distances.set(clock, time - grown);
  const micros = Math.floor((time - wall) * 1_000);
  return formatMicroTime(wall).replace("000Z", `${String(micros).padStart(3, "0")}Z`);
}
