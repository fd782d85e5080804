/** Points in time and spans of it, to the nanosecond. */
import { ParseError, parseDuration } from "@berg/apimachinery";
import { global, member, type Overload } from "../functions.ts";
import { CelError, Duration, Timestamp } from "../values.ts";

const nanosPerMs = 1_000_000n;
const nanosPerSecond = 1_000_000_000n;
const earliest = -62_135_596_800n * nanosPerSecond;
const latest = 253_402_300_800n * nanosPerSecond;

/** Since 1970, from RFC 3339. */
export function parseTimestamp(text: string): bigint {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i.exec(text);
  const ms = match ? Date.parse(`${match[1]}${match[3]}`.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms)) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  const fraction = BigInt((match?.[2] ?? "").slice(0, 9).padEnd(9, "0"));
  return inRange(BigInt(ms) * nanosPerMs + fraction);
}

export function formatTimestamp(nanos: bigint): string {
  const fraction = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const seconds = new Date(Number((nanos - fraction) / nanosPerMs)).toISOString().slice(0, 19);
  const digits = String(fraction).padStart(9, "0").replace(/0+$/, "");
  return `${seconds}${digits && `.${digits}`}Z`;
}

export const timestamps: Overload[] = [
  global("timestamp(timestamp): timestamp", (value: Timestamp) => value),
  global("timestamp(string): timestamp", (text: string) => new Timestamp(parseTimestamp(text))),
  global("timestamp(int): timestamp", (seconds: bigint) => new Timestamp(inRange(seconds * nanosPerSecond))),
  global("duration(duration): duration", (value: Duration) => value),
  global("duration(string): duration", (text: string) => new Duration(duration(text))),
  global("duration(int): duration", (nanos: bigint) => new Duration(nanos)),
  ...getters("getFullYear", (date) => date.getUTCFullYear()),
  ...getters("getMonth", (date) => date.getUTCMonth()),
  ...getters("getDate", (date) => date.getUTCDate()),
  ...getters("getDayOfMonth", (date) => date.getUTCDate() - 1),
  ...getters("getDayOfWeek", (date) => date.getUTCDay()),
  ...getters("getDayOfYear", (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / 86_400_000)),
  ...getters("getHours", (date) => date.getUTCHours(), 3600n * nanosPerSecond),
  ...getters("getMinutes", (date) => date.getUTCMinutes(), 60n * nanosPerSecond),
  ...getters("getSeconds", (date) => date.getUTCSeconds(), nanosPerSecond),
  ...getters("getMilliseconds", (date) => date.getUTCMilliseconds(), nanosPerMs),
];

/** Of a time, its part in UTC or in a zone; of a span, all of it in that unit. */
function getters(name: string, read: (date: Date) => number, unit?: bigint): Overload[] {
  const at = (time: Timestamp, zone: string): bigint => BigInt(read(shifted(time, zone)));
  return [
    member(`timestamp.${name}(): int`, (time: Timestamp) => at(time, "UTC")),
    member(`timestamp.${name}(string): int`, at),
    ...(unit === undefined ? [] : [member(`duration.${name}(): int`, (span: Duration) => span.nanos / unit)]),
  ];
}

/** A date whose UTC parts are those of the zone. */
function shifted({ nanos }: Timestamp, zone: string): Date {
  const fraction = ((nanos % nanosPerMs) + nanosPerMs) % nanosPerMs;
  const date = new Date(Number((nanos - fraction) / nanosPerMs));
  if (zone === "UTC" || zone === "") return date;
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(date.getTime() + (offset[1] === "-" ? -minutes : minutes) * 60_000);
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    const name = format.formatToParts(date).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    return shifted({ nanos } as Timestamp, name === "GMT" ? "UTC" : name.replace("GMT", ""));
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function duration(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
  }
}

function inRange(nanos: bigint): bigint {
  if (nanos < earliest || nanos >= latest) throw new CelError("timestamp overflow");
  return nanos;
}
