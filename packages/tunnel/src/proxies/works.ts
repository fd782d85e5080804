/**
 * What takes long and goes on beside the reconciles: one thing at a time for each object. When it is over its result is
 * in the memory, and the object is looked at again.
 */
import { errorText, type Logger } from "@berg/kube";
import type { Memories } from "./memories.ts";
import type { Memory, Work } from "./memory.ts";

export interface WorksOptions {
  memories: Memories;
  /** Asks for a look at the object of this name. */
  enqueue(name: string): void;
  log: Logger;
}

export class Works {
  readonly #options: WorksOptions;
  readonly #running = new Map<string, { controller: AbortController; over: Promise<void> }>();

  constructor(options: WorksOptions) {
    this.#options = options;
  }

  /** `run` says what has come of it, of its failure too. */
  begin(uid: string, work: Work, run: (signal: AbortSignal) => Promise<Partial<Memory>>): void {
    const { memories, enqueue, log } = this.#options;
    const controller = new AbortController();
    memories.update(uid, { work });
    const over = run(controller.signal)
      .catch((error): Partial<Memory> => {
        if (!controller.signal.aborted)
          log.error({ uid, work, error: errorText(error) }, "work on a tunnel proxy broke");
        return { failure: errorText(error) };
      })
      .then((change) => {
        this.#running.delete(uid);
        memories.update(uid, { ...change, work: undefined });
        const name = memories.nameOf(uid);
        if (name !== undefined) enqueue(name);
      });
    this.#running.set(uid, { controller, over });
  }

  abort(uid: string): void {
    this.#running.get(uid)?.controller.abort();
  }

  /** Aborts all, and waits for their end. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort(new Error("Berg stops"));
    await Promise.all(running.map(({ over }) => over));
  }
}
