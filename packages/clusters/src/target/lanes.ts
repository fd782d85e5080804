/** At most so many at once; the others wait in line. */
export class Lanes {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      // Handed on rather than given back, so that nobody who comes now goes ahead of the line.
      const next = this.#line.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
