/** The writes of a life: learnt from a clean one, met again in the others, and told where something went wrong. */
import type { Point, Seen } from "../faults/proxy.ts";
import { mask } from "./outcome.ts";

/** Which write of a life: the second `update challengeinstances/status`, say. */
export type WritePoint = Required<Pick<Point, "resource" | "verb" | "subresource" | "nth">>;

/**
 * Events are told in the background, whenever there is time; pods and what makes them are deleted only where others have
 * not done it in time; the lease is renewed as time passes. None of them has a place in the order of a life.
 */
const isOfLife = ({ resource }: Seen) => !["events", "pods", "replicasets", "leases"].includes(resource);

/**
 * In the order in which they came. What the server refused counts and is no point: a copy that is behind makes one ask
 * again for what is done, or not, as it happens.
 */
export function writePoints(writes: readonly Seen[]): WritePoint[] {
  const counts = new Map<string, number>();
  return writes.filter(isOfLife).flatMap(({ resource, verb, subresource, code = 0 }) => {
    const nth = (counts.get(`${verb} ${resource}/${subresource}`) ?? 0) + 1;
    counts.set(`${verb} ${resource}/${subresource}`, nth);
    return code < 300 ? [{ resource, verb, subresource, nth }] : [];
  });
}

/** Pods may be ready before anybody has said that they start, and then there is one such write less. */
export function mayBeMissing({ subresource }: WritePoint): boolean {
  return subresource === "status";
}

export function formatPoint({ verb, resource, subresource, nth }: WritePoint): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${nth}`;
}

/** What was asked for and what came of it, a line each. */
export function trace(writes: readonly Seen[]): string {
  const began = writes[0]?.at ?? 0;
  return writes
    .map(({ at, verb, resource, subresource, namespace, name, code }) => {
      const what = `${verb} ${resource}${subresource && `/${subresource}`} ${namespace && `${namespace}/`}${name}`;
      return `${String(Math.round(at - began)).padStart(7)} ms  ${mask(what)}  ${code ?? "no answer"}`;
    })
    .join("\n");
}

/** How often the server has done what was asked, by object: `create namespaces challenge-…` → 1. */
export function applied(writes: readonly Seen[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, resource, name, code } of writes.filter(isOfLife)) {
    if ((verb !== "create" && verb !== "delete") || code === undefined || code >= 300) continue;
    const what = mask(`${verb} ${resource} ${name}`);
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
