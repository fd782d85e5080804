/** What is being done for one pod right now: at most one thing for each container, and one for the pod as a whole. */
import { errorText, type Logger } from "@berg/kube";

interface Piece {
  readonly kind: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export class Work {
  readonly #pieces = new Map<string, Piece>();
  readonly #log: Logger;
  readonly #onDone: () => void;

  constructor(log: Logger, onDone: () => void) {
    this.#log = log;
    this.#onDone = onDone;
  }

  /** The names of what is being worked on. */
  get busy(): ReadonlySet<string> {
    return new Set(this.#pieces.keys());
  }

  /** The name of what this is being done for. */
  nameOf(kind: string): string | undefined {
    return this.#pieces.entries().find(([, piece]) => piece.kind === kind)?.[0];
  }

  /** Begins, and does not wait. What it throws it has dealt with before; what is left is a mistake of ours. */
  begin(name: string, kind: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#pieces.has(name)) return;
    const stop = new AbortController();
    const run = async () => {
      try {
        await work(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) this.#log.error({ work: kind, error: errorText(error) }, "work on a pod broke");
      } finally {
        this.#pieces.delete(name);
        this.#onDone();
      }
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pieces.set(name, { kind, stop, done: promise });
    void run().then(resolve);
  }

  abort(kinds: readonly string[], why: string): void {
    for (const { kind, stop } of this.#pieces.values()) if (kinds.includes(kind)) stop.abort(new Error(why));
  }

  /** Ends everything, and waits for it. */
  async end(): Promise<void> {
    const pieces = [...this.#pieces.values()];
    for (const { stop } of pieces) stop.abort(new Error("the node stops"));
    await Promise.all(pieces.map(({ done }) => done));
  }
}
