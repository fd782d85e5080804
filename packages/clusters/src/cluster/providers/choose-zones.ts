/** Which zones of its region a cluster is in. Pure: the same cluster gets the same ones at each try. */
import { numberOf } from "../names.ts";

/**
 * Those that it has, in their order, and as many more as are wanted. Each cluster begins at another zone, so that
 * clusters with few zones are spread over all. Fewer than wanted where the region has no more.
 */
export function chooseZones(
  uid: string,
  offered: readonly string[],
  count: number,
  chosen: readonly string[],
): string[] {
  const sorted = [...new Set(offered)].sort();
  const start = sorted.length === 0 ? 0 : numberOf(uid) % sorted.length;
  const rotated = [...sorted.slice(start), ...sorted.slice(0, start)];
  const others = rotated.filter((zone) => !chosen.includes(zone));
  return [...chosen, ...others.slice(0, Math.max(0, count - chosen.length))];
}
