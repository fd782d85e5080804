/**
 * Whether the server is there, asked again and again while a command waits. An informer alone would try for ever, and a
 * server that accepts connections and says nothing would not even make it try.
 */
import { StatusError } from "@berg/apimachinery";
import { type Client, type Clock, type Connection, createClient, sleep } from "@berg/kube";

/** It goes on when the server answers again within this. */
const askEveryMs = 5_000;
const mostUnanswered = 6;

/** Nobody is there any more. */
export class Unanswered extends Error {
  constructor(server: string) {
    super(`${server} has not answered for ${(mostUnanswered * askEveryMs) / 1000} s`);
    this.name = "Unanswered";
  }
}

export class Presence implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #server: string;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #lost = new AbortController();
  readonly #watching: Promise<void>;

  constructor(connection: Connection, clock: Clock) {
    this.#clock = clock;
    this.#server = connection.server;
    this.#client = createClient({ connection, component: "cli", clock });
    this.#watching = this.#watch().catch(() => {});
  }

  /** Aborted with `Unanswered`. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("no longer asked"));
    await this.#watching;
    await this.#client.close();
  }

  // By tries and not by the clock: a machine that slept has not asked.
  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const wait = () => sleep(this.#clock, askEveryMs, signal);
    await wait();
    for (let unanswered = 0; unanswered < mostUnanswered; ) {
      const [isAnswered] = await Promise.all([this.#ask(), wait()]);
      unanswered = isAnswered ? 0 : unanswered + 1;
    }
    this.#lost.abort(new Unanswered(this.#server));
  }

  /** Any answer counts, a refusal too. */
  async #ask(): Promise<boolean> {
    const late = new AbortController();
    const timer = this.#clock.setTimer(askEveryMs, () => late.abort(new Error("there was no answer in time")));
    try {
      await this.#client.raw("/version", { signal: AbortSignal.any([late.signal, this.#stop.signal]) });
      return true;
    } catch (error) {
      return error instanceof StatusError;
    } finally {
      timer.cancel();
    }
  }
}
