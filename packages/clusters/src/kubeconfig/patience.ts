/**
 * How long a target is left alone after trouble: 5 s, 10 s, … 2 min; or, if told so, until something changes.
 *
 * Trouble of one request is that request's. Where the target itself is what is wrong, all requests of the Cluster rest
 * together, and two at a time look whether it is well again: hundreds of them would wait out its timeouts with every worker
 * that there is. What takes access away is tried whatever others have met, and rests by itself.
 */
import type { Clock, Random } from "@berg/kube";
import type { Trouble } from "./trouble.ts";
import { conditionTypes } from "./vocabulary.ts";

const firstMs = 5_000;
const longestMs = 120_000;
/** What a change should end, and nobody has told us of one: a net below what is watched. */
const untoldMs = 600_000;
/** At a target that the last visitor had trouble with. */
const mostAtOnce = 2;

/** A request on its way to a target. Facts: where these change, another try is worth it. */
export interface Visitor {
  uid: string;
  facts: string;
  cluster: { uid: string; facts: string };
  isRevoking: boolean;
}

/** Nothing is tried for so long, and why. */
export interface Rest {
  trouble: Trouble;
  ms: number;
}

interface Failure {
  facts: string;
  failures: number;
  trouble: Trouble;
  /** By the monotonic clock. */
  until: number;
}

export class Patience {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By the UID of a request or a Cluster: of the last visit, where that failed. */
  readonly #failed = new Map<string, Failure>();
  /** By the UID of a Cluster: how many are there now. */
  readonly #visits = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Undefined where it is worth a try. */
  resting({ uid, facts, cluster, isRevoking }: Visitor): Rest | undefined {
    const rest = this.#restOf(uid, facts) ?? (isRevoking ? undefined : this.#restOf(cluster.uid, cluster.facts));
    if (rest) return rest;
    const last = this.#failed.get(cluster.uid);
    const isCrowded = last?.facts === cluster.facts && (this.#visits.get(cluster.uid) ?? 0) >= mostAtOnce;
    return isCrowded ? { trouble: last.trouble, ms: firstMs } : undefined;
  }

  /** Disposed of when the visit is over. */
  begin({ cluster: { uid } }: Visitor): Disposable {
    this.#visits.set(uid, (this.#visits.get(uid) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#visits.get(uid) ?? 0) - 1;
        if (left > 0) this.#visits.set(uid, left);
        else this.#visits.delete(uid);
      },
    };
  }

  failed({ uid, facts, cluster }: Visitor, trouble: Trouble): Rest {
    if (trouble.type === conditionTypes.targetReachable) this.#record(cluster.uid, cluster.facts, trouble);
    return this.#record(uid, facts, trouble);
  }

  succeeded({ uid, cluster }: Visitor): void {
    this.forget(uid);
    this.forget(cluster.uid);
  }

  /** Of a request or a Cluster that is gone. */
  forget(uid: string): void {
    this.#failed.delete(uid);
  }

  #restOf(uid: string, facts: string): Rest | undefined {
    const last = this.#failed.get(uid);
    const ms = (last?.until ?? 0) - this.#clock.monotonic();
    return last?.facts === facts && ms > 0 ? { trouble: last.trouble, ms } : undefined;
  }

  #record(uid: string, facts: string, trouble: Trouble): Rest {
    // Several who failed at once are one failure.
    const resting = this.#restOf(uid, facts);
    if (resting) return resting;
    const before = this.#failed.get(uid);
    const failures = before?.facts === facts ? before.failures + 1 : 1;
    const delay = Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - this.#random() / 10);
    const ms = trouble.again ? delay : untoldMs;
    this.#failed.set(uid, { facts, failures, trouble, until: this.#clock.monotonic() + ms });
    return { trouble, ms };
  }
}
