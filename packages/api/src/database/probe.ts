/** Asks the database again and again whether it answers, so that a health check can be answered at once. */
import type { Clock, Timer } from "@berg/kube";
import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

const intervalMs = 5_000;
/** A query may hang where the connection is lost without a word. */
const slowMs = 10_000;

export class DatabaseProbe implements Disposable {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  #askedAt: number | undefined;
  #isFailed = false;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    void this.#ask();
  }

  /** What is wrong, without the reason: that is in the log of the requests that failed. */
  check(): string | undefined {
    if (this.#isFailed) return "it does not answer queries";
    const isSlow = this.#askedAt !== undefined && this.#clock.monotonic() - this.#askedAt > slowMs;
    return isSlow ? `it has not answered for ${slowMs / 1000} s` : undefined;
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #ask(): Promise<void> {
    this.#askedAt = this.#clock.monotonic();
    this.#isFailed = await sql`select 1`.execute(this.#db).then(
      () => false,
      () => true,
    );
    this.#askedAt = undefined;
    if (!this.#isStopped) this.#timer = this.#clock.setTimer(intervalMs, () => void this.#ask());
  }
}
