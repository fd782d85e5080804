/** What is more urgent than other things goes before them, and some workers are kept free for it. */

/** Above 0 is urgent, below 0 is leisurely. */
type Urgency = "urgent" | "ordinary" | "leisurely";

function urgencyOf(priority: number): Urgency {
  if (priority > 0) return "urgent";
  return priority < 0 ? "leisurely" : "ordinary";
}

export function isUrgent(priority: number): boolean {
  return urgencyOf(priority) === "urgent";
}

/**
 * How many keys of a kind workers may have at once; 0 is none for now. Each kind has a room of its own: what is leisurely
 * and slow must not hold up what is ordinary, nor either of them what is urgent.
 */
export interface AtOnce {
  /** With a priority of 0. */
  ordinary: number;
  /** With one below. */
  leisurely: number;
}

export class Room {
  readonly #atOnce: (() => AtOnce) | undefined;
  readonly #taken: Record<Urgency, number> = { urgent: 0, ordinary: 0, leisurely: 0 };

  /** Without `atOnce` there is room for all. */
  constructor(atOnce: (() => AtOnce) | undefined) {
    this.#atOnce = atOnce;
  }

  /** Which priorities there is room for now; undefined is all. */
  free(): ((priority: number) => boolean) | undefined {
    if (!this.#atOnce) return undefined;
    const { ordinary, leisurely } = this.#atOnce();
    const isFull = {
      urgent: false,
      ordinary: this.#taken.ordinary >= ordinary,
      leisurely: this.#taken.leisurely >= leisurely,
    };
    if (!isFull.ordinary && !isFull.leisurely) return undefined;
    return (priority) => !isFull[urgencyOf(priority)];
  }

  /** Takes a place; returns its undo, which does nothing the second time. */
  enter(priority: number): () => void {
    const urgency = urgencyOf(priority);
    let isIn = true;
    this.#taken[urgency]++;
    return () => {
      if (isIn) this.#taken[urgency]--;
      isIn = false;
    };
  }
}
