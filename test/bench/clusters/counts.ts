/**
 * How many requests of which kind came to a server, as the server itself tells. `difference` of two of them is what came
 * in between.
 *
 *     { "create secrets": 2, "watch shoots": 1, "create serviceaccounts/token": 1 }
 */
export type Counts = Record<string, number>;

export interface Asked {
  verb: string;
  resource: string;
  subresource: string;
}

export function count(requests: readonly Asked[]): Counts {
  const counts: Counts = {};
  for (const { verb, resource, subresource } of requests) {
    const kind = `${verb} ${resource}${subresource && `/${subresource}`}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

export function difference(after: Counts, before: Counts): Counts {
  const kinds = Object.entries(after).map(([kind, count]): [string, number] => [kind, count - (before[kind] ?? 0)]);
  return Object.fromEntries(kinds.filter(([, count]) => count !== 0));
}

export function sum(...all: Counts[]): Counts {
  const counts: Counts = {};
  for (const [kind, count] of all.flatMap((one) => Object.entries(one))) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

export function total(counts: Counts, isWanted: (kind: string) => boolean = () => true): number {
  return Object.entries(counts).reduce((sum, [kind, count]) => (isWanted(kind) ? sum + count : sum), 0);
}

export const isWrite = (kind: string) => /^(create|update|patch|apply|delete|deletecollection) /.test(kind);
export const isWatch = (kind: string) => kind.startsWith("watch ");
export const isOfLease = (kind: string) => kind.endsWith(" leases");

/** The most frequent first, for people. */
export function describeCounts(counts: Counts): string {
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return kinds.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}
