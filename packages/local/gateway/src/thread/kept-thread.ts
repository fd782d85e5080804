/**
 * A thread that is started again where it ends by itself, whatever it died of. It says `ready` once it does its work, and
 * ends when it is told `stop`. What else it says is its starter's business.
 */
import { Worker } from "node:worker_threads";
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";

export interface KeptThreadOptions {
  file: URL;
  data: unknown;
  onMessage(message: unknown, reply: (message: unknown) => void): void;
  clock: Clock;
  log: Logger;
}

/** One that cannot live must not keep a processor busy. */
const againMs = 1_000;
/** To close what it has open. */
const stopMs = 5_000;

export class KeptThread implements AsyncDisposable {
  readonly #options: KeptThreadOptions;
  #thread: Worker | undefined;
  #again: Timer | undefined;
  #stopping = false;
  #wasReady = false;

  constructor(options: KeptThreadOptions) {
    this.#options = options;
  }

  /** Resolves when it is ready; rejects where it ends before that. Only from then on is it started again. */
  start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#run({ ready: first.resolve, ended: first.reject });
    return first.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    this.#again?.cancel();
    const thread = this.#thread;
    if (!thread) return;
    const ended = Promise.withResolvers<void>();
    thread.once("exit", () => ended.resolve());
    thread.postMessage("stop");
    const late = this.#options.clock.setTimer(stopMs, () => void thread.terminate());
    await ended.promise;
    late.cancel();
  }

  #run(told: { ready(): void; ended(error: Error): void }): void {
    const { file, data, onMessage } = this.#options;
    // Without the options of this process: some of them, such as --input-type, would keep the thread from starting.
    const thread = new Worker(file, { workerData: data, execArgv: [] });
    this.#thread = thread;
    let why: unknown = new Error("it ended by itself");
    thread.on("message", (message) => {
      if (message === "ready") {
        this.#wasReady = true;
        told.ready();
      } else onMessage(message, (reply) => thread.postMessage(reply));
    });
    thread.on("error", (error) => {
      why = error;
    });
    thread.on("exit", () => {
      this.#thread = undefined;
      if (this.#stopping) return;
      if (this.#wasReady) this.#startAgain(why);
      else told.ended(new Error(`the gateway's thread cannot be started: ${errorText(why)}`));
    });
  }

  #startAgain(why: unknown): void {
    const { clock, log } = this.#options;
    log.error({ error: errorText(why) }, "the gateway's thread died and is started again");
    this.#again = clock.setTimer(againMs, () => this.#run({ ready() {}, ended() {} }));
  }
}
