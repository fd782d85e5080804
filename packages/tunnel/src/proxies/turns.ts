/** At most so many at once; the others wait in line. */
import { abortable } from "@berg/kube";

export class Turns {
  #free: number;
  readonly #line: PromiseWithResolvers<void>[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /**
   *     using _turn = await turns.take(signal);
   */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#give() };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#line.push(turn);
    try {
      await abortable(turn.promise, signal);
    } catch (error) {
      const at = this.#line.indexOf(turn);
      // Where its turn came in the same moment, it is the next one's.
      if (at >= 0) this.#line.splice(at, 1);
      else this.#give();
      throw error;
    }
  }

  #give(): void {
    const next = this.#line.shift();
    if (next) next.resolve();
    else this.#free++;
  }
}
