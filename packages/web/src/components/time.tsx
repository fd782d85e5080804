const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const long = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });

/** A point in time, in the words and the time zone of the browser. */
export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{short.format(new Date(at))}</time>;
}

/** For the middle of a sentence. */
export function formatTime(at: string): string {
  return long.format(new Date(at));
}
