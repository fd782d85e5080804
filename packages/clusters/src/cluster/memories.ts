/** What this process knows of Clusters and no object says. All of it can be lost: the next process finds it out again. */
import type { Trouble } from "./effects/trouble.ts";
import type { Reached, Seen } from "./seen.ts";
import type { Step } from "./step.ts";

/** Somebody has refused a step for good. */
export interface Refusal {
  /** What was asked: see aboutOf. */
  readonly about: string;
  readonly trouble: Trouble;
  /** Monotonic. Then it is tried once more: what was refused may be allowed by now. */
  readonly until: number;
}

export interface Memory {
  reached?: Reached;
  /** By the step: one that is refused does not make another one forgotten. */
  readonly refusals: Map<Step["do"], Refusal>;
  /** What Gardener has made of the Shoot as we wrote it for this generation of the Cluster. */
  answered?: { readonly cluster: number | undefined; readonly shoot: number | undefined };
  /** How often in a row somebody else was faster. */
  conflicts?: number;
}

/** Another spec, another state of the Shoot, or another Secret is another question. */
export function aboutOf({ cluster, shoot, secret }: Seen): string {
  const { hibernated, lastOperation, advertisedAddresses } = shoot?.status ?? {};
  const ofShoot = [shoot?.metadata.generation, hibernated, lastOperation?.state, advertisedAddresses?.length];
  return JSON.stringify([cluster.metadata.generation, secret, ...ofShoot]);
}

export class Memories {
  /** By UID. */
  readonly #memories = new Map<string, Memory>();
  of(uid: string): Memory {
    const known = this.#memories.get(uid);
    if (known) return known;
    const fresh: Memory = { refusals: new Map() };
    this.#memories.set(uid, fresh);
    return fresh;
  }

  forget(uid: string): void {
    this.#memories.delete(uid);
  }
}
