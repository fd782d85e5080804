/** Columns of `kubectl get` that several kinds share, and how tables show times and selectors. */
import { compileLabelSelector, type LabelSelector, parseTime } from "@berg/apimachinery";
import type { AnyObject, Column } from "../registry/resource.ts";

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "What the object is called within its namespace.",
  priority: 0,
  value: (object) => object.metadata.name,
};

export const ageColumn: Column = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  priority: 0,
  value: (object, now) => since(object.metadata.creationTimestamp, now),
};

export function since(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - parseTime(time)) : "<unknown>";
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** The longer, the less exactly: `119s`, `9m5s`, `2h59m`, `7d3h`, `729d`, `3y20d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 2 * minute) return `${Math.max(seconds, 0)}s`;
  if (seconds < 10 * minute) return inTwo(seconds, minute, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.trunc(seconds / minute)}m`;
  if (seconds < 8 * hour) return inTwo(seconds, hour, "h", minute, "m");
  if (seconds < 2 * day) return `${Math.trunc(seconds / hour)}h`;
  if (seconds < 8 * day) return inTwo(seconds, day, "d", hour, "h");
  if (seconds < 2 * year) return `${Math.trunc(seconds / day)}d`;
  if (seconds < 8 * year) return inTwo(seconds, year, "y", day, "d");
  return `${Math.trunc(seconds / year)}y`;
}

function inTwo(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.trunc((seconds % big) / small);
  return `${Math.trunc(seconds / big)}${bigName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

/** `app=web,tier in (a,b)`; `""` where it selects everything. Where it is stored, it can be read. */
export function selectorText(selector: LabelSelector | undefined): string {
  return compileLabelSelector(selector).toString();
}

/** Of kinds that have nothing else to show. */
export const createdAtColumn: Column = {
  name: "Created At",
  type: "date",
  description: "When the object was created.",
  priority: 0,
  value: ({ metadata }) => metadata.creationTimestamp ?? null,
};

export function column(name: string, description: string, value: Column["value"], priority = 0): Column {
  return { name, type: "string", description, priority, value };
}

/** `app=web,tier in (a,b)`, or `<none>`. */
export function showSelector(selector: LabelSelector | undefined): string {
  return selectorText(selector ?? {}) || "<none>";
}

/** What is in `object` at `path`, as text. */
export function textAt(object: AnyObject, ...path: string[]): string {
  let value: unknown = object;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value === undefined || value === null ? "" : String(value);
}
