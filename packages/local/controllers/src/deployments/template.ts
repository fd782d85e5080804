/** Which ReplicaSet runs a Deployment's template: the one with the same template, whatever it is called. */
import { jsonEqual } from "@berg/apimachinery";
import type { Deployment, ReplicaSet } from "@berg/kube";

export type Template = NonNullable<NonNullable<ReplicaSet["spec"]>["template"]>;

export const hashLabel = "pod-template-hash";

export function templateOf({ spec }: Deployment | ReplicaSet): Template {
  return spec?.template ?? {};
}

export function isSameTemplate(a: Template, b: Template): boolean {
  return jsonEqual(withoutHash(a), withoutHash(b));
}

/** `collisions` makes another one of the same template, where the first is taken. */
export function hashOf(template: Template, collisions: number): string {
  const text = `${JSON.stringify(sorted(template))}${collisions || ""}`;
  return [...String(fnv32(text))].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join("");
}

// No vowels, and no digits that look like some: so that no hash spells a word.
const letters = "bcdfghjklmnpqrstvwxz2456789";

const longestName = 253;

export function replicaSetName(deployment: string, hash: string): string {
  return `${deployment.slice(0, longestName - 1 - hash.length)}-${hash}`;
}

function withoutHash({ metadata, ...rest }: Template): object {
  const { labels = {}, ...others } = metadata ?? {};
  const { [hashLabel]: _, ...left } = labels;
  return { ...rest, metadata: { ...others, labels: left } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function fnv32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
