/**
 * When to look whether published Secrets are still as they were published. They are not watched, which would take the
 * right to read every Secret that there is; each is looked at every ten minutes.
 */
import type { Clock } from "@berg/kube";
import type { Request } from "./names.ts";
import { shareOf } from "./schedule.ts";

const everyMs = 600_000;

export class Copies {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** By UID: when it was looked at, by the monotonic clock. */
  readonly #seenAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  isDue({ metadata: { uid } }: Request): boolean {
    // Not all of them at the start.
    const seenAt = this.#seenAt.get(uid) ?? this.#startedAt - everyMs * shareOf(uid);
    return this.#clock.monotonic() - seenAt >= everyMs;
  }

  seen({ metadata: { uid } }: Request): void {
    this.#seenAt.set(uid, this.#clock.monotonic());
  }

  forget(uid: string): void {
    this.#seenAt.delete(uid);
  }
}
