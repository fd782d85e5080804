/** Times and lengths of time. */

export function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month has not is one of another month.
  return date.getUTCMonth() === Number(month) - 1;
}

/** RFC 3339; the date must exist, and no minute has 61 seconds. */
export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split("t");
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)(?:.[0-9]+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return false;
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const units = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"];
const beginnings = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** `1h30m`; or, somewhere in it, what Scala writes: `3 days`. */
export function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  for (const [, unit = ""] of text.matchAll(/\d+\s*([A-Za-zµ]+)/g)) {
    const name = unit.toLowerCase();
    if (units.includes(name) || beginnings.some((beginning) => name.startsWith(beginning))) return true;
  }
  return false;
}
