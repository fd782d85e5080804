/** Operators that are killed at one write of one Cluster: right before it, or when the server has done it. */
import { adminBindingNameOf } from "../names.ts";
import type { Call, Listener } from "./heard-client.ts";

export interface Kill {
  /** Such as `create shoots`. */
  readonly at: string;
  /** Which of them; the first is 1. */
  readonly time: number;
  readonly stage: "before" | "after";
}

export const userOf = (cluster: string, nth: number) => `${cluster}-${nth}@example.com`;

/**
 * Each Cluster has a death of its own: from its moment on, nothing that is asked for it is answered any more, as if the
 * operator were dead. `dead` tells who has come to it.
 */
export function killing(deaths: ReadonlyMap<string, Kill>): Listener & { readonly dead: ReadonlySet<string> } {
  const dead = new Set<string>();
  const counts = new Map<string, number>();
  const users = new Map(
    [...deaths.keys()].flatMap((name) => [1, 2, 3].map((nth) => [adminBindingNameOf(userOf(name, nth)), name])),
  );
  const clusterOf = ({ name }: Call) => users.get(name) ?? name.replace(/-authentication$/, "");
  const isDue = (call: Call, stage: Kill["stage"]): boolean => {
    const name = clusterOf(call);
    const death = deaths.get(name);
    if (!death || !call.isWrite || death.at !== call.what || death.stage !== stage) return false;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === death.time;
  };
  const end = (call: Call): never => {
    dead.add(clusterOf(call));
    throw new Error("killed");
  };
  return {
    dead,
    before(call) {
      if (dead.has(clusterOf(call)) || isDue(call, "before")) end(call);
    },
    after(call) {
      if (isDue(call, "after")) end(call);
    },
  };
}
