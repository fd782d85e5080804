import type { Labels } from "./engine.ts";

/** How engines are told which objects: those with all of these labels. */
export function filtersOf(labels: Labels, others: Readonly<Record<string, readonly string[]>> = {}): string {
  return JSON.stringify({ ...others, label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) });
}
