/**
 * Callers that wait in line for something, first come first served. One that is aborted leaves the line at once.
 *
 *     const workers = new Waiters<string>();
 *     const job = workers.join(signal);
 *     workers.releaseFirst("job 1");
 */
export class Waiters<T> {
  readonly #line = new Set<(value: T) => void>();

  get size(): number {
    return this.#line.size;
  }

  /** Rejects with the signal's reason when aborted, after `onLeave`. */
  join(signal?: AbortSignal, onLeave?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => {
        this.#line.delete(release);
        onLeave?.();
        reject(signal?.reason);
      };
      const release = (value: T) => {
        signal?.removeEventListener("abort", leave);
        resolve(value);
      };
      this.#line.add(release);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  releaseFirst(value: T): void {
    for (const release of this.#line) {
      this.#line.delete(release);
      release(value);
      return;
    }
  }

  releaseAll(value: T): void {
    while (this.#line.size > 0) this.releaseFirst(value);
  }
}
