/**
 * Messages on their way out, in order: what is pushed comes out of the iterator. One reader. Where the reader falls
 * behind by more than can be meant well it ends rather than fill the memory; whoever reads begins anew.
 */
const mostWaiting = 1_000;

export class Outbox<T> implements AsyncIterable<T> {
  #waiting: T[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  push(message: T): void {
    if (this.#isEnded) return;
    if (this.#waiting.length < mostWaiting) this.#waiting.push(message);
    else this.#isEnded = true;
    this.#wake();
  }

  /** What has been pushed still comes out. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    try {
      for (;;) {
        const messages = this.#waiting;
        this.#waiting = [];
        yield* messages;
        if (this.#waiting.length > 0) continue;
        if (this.#isEnded) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      this.#isEnded = true;
    }
  }
}
