import { Waiters } from "./waiters.ts";

/**
 * At most so many at once; the others wait in line, first come first served.
 *
 *     const requests = new FewAtOnce(5);
 *     const answer = await requests.run(() => ask(question, signal), signal);
 */
export class FewAtOnce {
  #free: number;
  readonly #line = new Waiters<void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#line.join(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      // Handed on rather than given back, so that nobody who comes now goes ahead of the line.
      if (this.#line.size > 0) this.#line.releaseFirst(undefined);
      else this.#free++;
    }
  }
}
