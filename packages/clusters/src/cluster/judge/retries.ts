/**
 * How often Gardener was asked to try again what it had given up. It stands on the Shoot, and is written together with
 * the asking: so it is neither asked twice nor forgotten, whenever we are killed.
 */
import type { Stored } from "@berg/apimachinery";
import type { Cluster } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations } from "../../vocabulary.ts";

/** How long after its failure, each time. */
const waitsMs = [5, 30, 120].map((minutes) => minutes * 60_000);

export interface Retries {
  readonly count: number;
  readonly lastRetryTime?: string;
}

/** A spec that has changed since, or a deletion, begins anew: Gardener tries by itself then. */
export function retriesOf({ metadata }: Stored<Shoot>, cluster: Stored<Cluster>): Retries {
  const match = /^(\d+):(\d+):(.+)$/.exec(metadata.annotations?.[annotations.retries] ?? "");
  if (!match || Number(match[1]) !== cluster.metadata.generation) return { count: 0 };
  return { count: Number(match[2]), ...(match[3] !== undefined && { lastRetryTime: match[3] }) };
}

/** The value of the annotation for one more. */
export function oneMore({ count }: Retries, cluster: Stored<Cluster>, time: string): string {
  return `${cluster.metadata.generation ?? 0}:${count + 1}:${time}`;
}

/** When to ask again; undefined where it was asked often enough. */
export function retryAt({ count }: Retries, failedAt: number): number | undefined {
  const wait = waitsMs[count];
  return wait === undefined ? undefined : failedAt + wait;
}

export const mostRetries = waitsMs.length;
