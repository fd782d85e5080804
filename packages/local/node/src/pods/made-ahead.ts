/**
 * The first container of a pod, made while the pod's network is still being set up: a player waits for the longer of the
 * two alone. It is never started before its turn. One that nobody takes is found as half made, and removed as that.
 */
import type { Container } from "../containers/shapes.ts";

export interface First {
  readonly container: Container;
  readonly attempt: number;
}

export interface Making extends First {
  readonly pauseId: string;
  readonly stop: AbortController;
  readonly id: Promise<string>;
}

export class MadeAhead {
  #making: Making | undefined;

  /** Undefined where it cannot be made before its pod has an address. */
  make(first: First, pauseId: string, work: (stop: AbortSignal) => Promise<string>): Making | undefined {
    this.abandon();
    if (needsAddress(first.container)) return undefined;
    const stop = new AbortController();
    const id = work(stop.signal);
    // Whoever takes it finds out why it could not be made.
    id.catch(() => {});
    this.#making = { ...first, pauseId, stop, id };
    return this.#making;
  }

  /** Its ID, when it is made; undefined where another one is wanted. */
  async take({ container, attempt }: First, pauseId: string, signal: AbortSignal): Promise<string | undefined> {
    const making = this.#making;
    const isIt = making?.container.name === container.name && making.attempt === attempt && making.pauseId === pauseId;
    if (!making || !isIt) {
      this.abandon();
      return undefined;
    }
    this.#making = undefined;
    const end = () => making.stop.abort(signal.reason);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await making.id;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  abandon(): void {
    this.#making?.stop.abort(new Error("nobody waits for it any more"));
    this.#making = undefined;
  }
}

function needsAddress({ env = [] }: Container): boolean {
  return env.some(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath.startsWith("status.podIP"));
}
