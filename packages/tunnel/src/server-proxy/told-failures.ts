/** Which failures are worth telling: a server that is away fails each of a thousand streams in the same words. */
import type { Clock } from "@berg/kube/process";
import type { StreamFailure } from "../streams/index.ts";

const againMs = 10_000;

export class ToldFailures {
  readonly #clock: Clock;
  /** By tunnel: the last one that was told. */
  readonly #told = new Map<number, { message: string; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers it as told where it says yes. */
  isNews({ tunnelId, message }: StreamFailure): boolean {
    const told = this.#told.get(tunnelId);
    const at = this.#clock.monotonic();
    if (told?.message === message && at - told.at < againMs) return false;
    this.#told.set(tunnelId, { message, at });
    return true;
  }

  forget(tunnelId: number): void {
    this.#told.delete(tunnelId);
  }
}
