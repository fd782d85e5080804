/**
 * Records in a database that may not be there yet: it is opened in the background, however long that takes. Who needs a
 * record meanwhile waits; who needs none, as whoever looks for what is stuck, does not.
 */
import { abortable, type Clock, errorText, type Logger, sleep } from "@berg/kube";
import type { RuntimeRecords } from "../runtime-records.ts";

const firstDelayMs = 1000;
const longestDelayMs = 10_000;

export interface LateRecordsOptions {
  clock: Clock;
  log: Logger;
  /** Nobody waits any longer than this. */
  stop: AbortSignal;
}

/**
 *     await using records = new LateRecords(() => openDatabaseRecords({ database }), { clock: systemClock, log, stop });
 */
export class LateRecords implements RuntimeRecords {
  readonly #open: () => Promise<RuntimeRecords>;
  readonly #options: LateRecordsOptions;
  readonly #closing = new AbortController();
  readonly #opened: Promise<RuntimeRecords>;
  #isOpen = false;

  constructor(open: () => Promise<RuntimeRecords>, options: LateRecordsOptions) {
    this.#open = open;
    this.#options = options;
    this.#opened = this.#openAtLast(AbortSignal.any([options.stop, this.#closing.signal]));
    // Told to whoever waits for it; maybe nobody does.
    this.#opened.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  readonly live: RuntimeRecords["live"] = async (life, signal) => (await this.#when(signal)).live(life, signal);
  readonly pod: RuntimeRecords["pod"] = async (uid, container, seen, signal) =>
    (await this.#when(signal)).pod(uid, container, seen, signal);
  readonly stop: RuntimeRecords["stop"] = async (uid, at, signal) => (await this.#when(signal)).stop(uid, at, signal);
  readonly get: RuntimeRecords["get"] = async (uid, signal) => (await this.#when(signal)).get(uid, signal);
  readonly open: RuntimeRecords["open"] = async (signal) => (await this.#when(signal)).open(signal);

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("the records are closed"));
    const records = await this.#opened.catch(() => undefined);
    await records?.[Symbol.asyncDispose]();
  }

  #when(signal: AbortSignal | undefined): Promise<RuntimeRecords> {
    return abortable(this.#opened, signal);
  }

  async #openAtLast(ending: AbortSignal): Promise<RuntimeRecords> {
    const { clock, log } = this.#options;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
      const opening = this.#open();
      try {
        const records = await abortable(opening, ending);
        this.#isOpen = true;
        log.info({}, "the database of records is open");
        return records;
      } catch (error) {
        // It can take a minute to be refused; what is opened after the end is closed again.
        if (ending.aborted) opening.then((late) => late[Symbol.asyncDispose]()).catch(() => {});
        ending.throwIfAborted();
        log.warn({ error: errorText(error), tryAgainSeconds: delayMs / 1000 }, "waiting for the database of records");
      }
      await sleep(clock, delayMs, ending);
    }
  }
}
