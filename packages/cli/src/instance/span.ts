/** How long something lasts or has lasted, as people say it. */
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `spanText(7_140_000)` is `"1 h 59 min"`: the two largest units, rounded down. */
export function spanText(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / second))} s`;
  if (ms < hour) return pair(ms, minute, "min", second, "s", 10);
  if (ms < day) return pair(ms, hour, "h", minute, "min");
  return pair(ms, day, "d", hour, "h");
}

/** The smaller unit is left out where it is 0, or where there are more than `most` of the larger one. */
function pair(ms: number, large: number, largeName: string, small: number, smallName: string, most = Infinity): string {
  const count = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  const first = `${count} ${largeName}`;
  return rest === 0 || count >= most ? first : `${first} ${rest} ${smallName}`;
}
