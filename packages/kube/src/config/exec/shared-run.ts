interface Run<T> {
  result: Promise<T>;
  stop: AbortController;
  waiting: number;
}

/**
 * One run at a time for all who ask meanwhile. Whoever aborts leaves the others alone; when the last one has left, the
 * run itself is stopped.
 */
export class SharedRun<T> {
  readonly #start: (signal: AbortSignal) => Promise<T>;
  #current: Run<T> | undefined;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#start = start;
  }

  async join(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#current ??= this.#begin();
    const run = this.#current;
    run.waiting++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => {
      reject(signal?.reason);
      run.waiting--;
      if (run.waiting > 0) return;
      this.#end(run);
      run.stop.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([run.result, left]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #begin(): Run<T> {
    const stop = new AbortController();
    const run: Run<T> = { result: this.#start(stop.signal), stop, waiting: 0 };
    const end = () => this.#end(run);
    // Also takes the rejection of a run that everybody has left.
    run.result.then(end, end);
    return run;
  }

  #end(run: Run<T>): void {
    if (this.#current === run) this.#current = undefined;
  }
}
