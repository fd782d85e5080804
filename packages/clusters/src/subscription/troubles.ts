/**
 * For how long Gardener has stood in a request's way for the same reason: minutes of outage are no part of the refusals
 * that follow them. Kept in memory, as the time of a condition is that of its status, which is the same for all reasons;
 * after a restart it counts anew, and a refusal is borne for longer.
 */
import { keyOf, type ObjectKey } from "@berg/apimachinery";
import { type Clock, findCondition } from "@berg/kube";
import type { Request } from "./status.ts";
import { conditions } from "./vocabulary.ts";

export class Troubles {
  readonly #clock: Clock;
  /** When that began which the condition tells of. */
  readonly #began = new Map<ObjectKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** With the request as it was before this trouble is told. */
  lastedMs(request: Request, reason: string): number {
    const key = keyOf(request);
    const now = this.#clock.monotonic();
    const began = toldReason(request) === reason ? (this.#began.get(key) ?? now) : now;
    this.#began.set(key, began);
    return now - began;
  }

  /** Of a request that is gone. */
  forget(key: ObjectKey): void {
    this.#began.delete(key);
  }
}

function toldReason({ metadata, status }: Request): string | undefined {
  const type = metadata.deletionTimestamp ? conditions.released : conditions.poolAvailable;
  return findCondition(status?.conditions, type)?.reason;
}
