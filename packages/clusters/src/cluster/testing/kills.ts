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

interface Killing extends Listener {
  /** Who has come to his death. */
  readonly dead: ReadonlySet<string>;
  /** By Cluster, in order: what was asked for it and done, such as `create shoots`. */
  readonly written: ReadonlyMap<string, readonly string[]>;
  /** For the operator that comes next: writes down what is done, and kills nobody. */
  readonly next: Listener;
}

/**
 * Each Cluster of `deaths` has a death of its own: from its moment on, nothing that is asked for it is answered any more, as
 * if the operator were dead. The others of `names` live.
 */
export function killing(names: readonly string[], deaths: ReadonlyMap<string, Kill>): Killing {
  const dead = new Set<string>();
  const counts = new Map<string, number>();
  const written = new Map<string, string[]>(names.map((name) => [name, []]));
  const users = new Map(
    names.flatMap((name) => [1, 2, 3].map((nth) => [adminBindingNameOf(userOf(name, nth)), name] as const)),
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
  const note = (call: Call): void => {
    if (call.isWrite) written.get(clusterOf(call))?.push(call.what);
  };
  return {
    dead,
    written,
    next: { after: note },
    before(call) {
      if (dead.has(clusterOf(call)) || isDue(call, "before")) end(call);
    },
    after(call) {
      note(call);
      if (isDue(call, "after")) end(call);
    },
  };
}
