/** Waits for a promise no longer than the signal allows. The work behind the promise goes on: others may share it. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * An AbortController that is also aborted with a longer-lived signal, until it is disposed of.
 *
 * Not AbortSignal.any: a listener that somebody forgets on such a signal stays in memory, with all that it refers to,
 * for as long as the long-lived signal does; and the signal of a process lives through millions of reconciles.
 *
 *     using limit = new AbortFollower(kill);
 *     await work(limit.signal);
 */
export class AbortFollower extends AbortController {
  readonly #leader: AbortSignal;
  readonly #follow = () => this.abort(this.#leader.reason);

  constructor(leader: AbortSignal) {
    super();
    this.#leader = leader;
    if (leader.aborted) this.#follow();
    else leader.addEventListener("abort", this.#follow, { once: true });
  }

  [Symbol.dispose](): void {
    this.#leader.removeEventListener("abort", this.#follow);
  }
}
