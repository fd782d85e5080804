/** Columns of `kubectl get` that several kinds share. */
import type { LabelSelector } from "@berg/apimachinery";
import type { AnyObject, Column } from "../registry/resource.ts";
import { selectorText } from "./workloads/columns.ts";

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
