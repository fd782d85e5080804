/**
 * A watcher's place in the history of a table: a number, and no queue. However far behind it is, nobody waits for it.
 * One reader a cursor.
 */
import type { History } from "./history.ts";
import type { Cursor, HistoryEvent } from "./table.ts";

export class TableCursor implements Cursor {
  readonly #history: History;
  readonly #current: () => number;
  #place: number;
  #read: number;
  #waiting: PromiseWithResolvers<void> | undefined;
  #signal: AbortSignal | undefined;
  #isClosed = false;

  /** `current`: the revision of the whole store, up to which a reader with nothing left to read has come. */
  constructor(history: History, revision: number, current: () => number) {
    this.#history = history;
    this.#current = current;
    this.#place = history.placeAfter(revision);
    this.#read = revision;
  }

  next(): HistoryEvent | undefined {
    while (!this.#isClosed) {
      const event = this.#history.at(this.#place, this.#read);
      if (!event) return undefined;
      this.#place++;
      // Who watches from a revision still to come is not told of what happens up to it.
      if (event.revision <= this.#read) continue;
      this.#read = event.revision;
      return event;
    }
    return undefined;
  }

  get reached(): number {
    return this.#history.hasNews(this.#place) ? this.#read : Math.max(this.#read, this.#current());
  }

  wait(signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted || this.#history.hasNews(this.#place)) return Promise.resolve();
    this.#follow(signal);
    if (!this.#waiting) {
      this.#waiting = Promise.withResolvers<void>();
      this.#history.wait(this);
    }
    return this.#waiting.promise;
  }

  wake(): void {
    this.#history.stopWaiting(this);
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#follow(undefined);
    this.wake();
  }

  /** A watch waits many times with one signal: it is listened to once. */
  #follow(signal: AbortSignal | undefined): void {
    if (signal === this.#signal) return;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = () => this.wake();
}
