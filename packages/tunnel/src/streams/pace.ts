/**
 * How fast all streams of a tunnel together may go one way. A stream that has bytes to pass on stands in line; the
 * first in line passes on a piece of them, and nobody else does until it is paid for, whatever the number of streams.
 * Who has more goes back to the end of the line. So over any time no more goes than the rate allows, what was in store,
 * and one piece; and a crowd that has gone leaves no debt.
 */
import type { Clock, Timer } from "@berg/kube/process";

/** After a pause so much may go at once: enough to be smooth, too little to matter. */
const storeMs = 100;

/** How long a piece takes: a hundred others cost the next in line a second. */
const pieceMs = 10;

/** Smaller would be a waste of packets, larger is more than one read. */
const pieceSize = { least: 1024, most: 65_536 };

/** Passes on so many bytes at most, and says how many they were. */
export type Turn = (most: number) => number;

export class Pace {
  readonly #clock: Clock;
  readonly #bytesPerMs: number;
  readonly #piece: number;
  /** In the order of their coming. */
  readonly #line = new Set<Turn>();
  #paidAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #isServing = false;

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock;
    this.#bytesPerMs = bytesPerSecond / 1000;
    const piece = Math.floor(this.#bytesPerMs * pieceMs);
    this.#piece = Math.min(pieceSize.most, Math.max(pieceSize.least, piece));
  }

  /** Calls it once, at once where nothing is to be paid. Who stands in line already keeps its place. */
  queue(turn: Turn): void {
    this.#line.add(turn);
    // A turn may queue again, and what it has passed on is not counted yet.
    if (!this.#isServing && !this.#timer) this.#serve();
  }

  leave(turn: Turn): void {
    this.#line.delete(turn);
    if (this.#line.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  isInLine(turn: Turn): boolean {
    return this.#line.has(turn);
  }

  #serve(): void {
    this.#isServing = true;
    for (const turn of this.#line) {
      const waitMs = this.#paidAt - this.#clock.monotonic();
      if (waitMs > 0) {
        this.#serveIn(Math.ceil(waitMs));
        break;
      }
      this.#line.delete(turn);
      this.#spend(turn(this.#piece));
    }
    this.#isServing = false;
  }

  #serveIn(ms: number): void {
    this.#timer = this.#clock.setTimer(ms, () => {
      this.#timer = undefined;
      this.#serve();
    });
  }

  #spend(bytes: number): void {
    this.#paidAt = Math.max(this.#paidAt, this.#clock.monotonic() - storeMs) + bytes / this.#bytesPerMs;
  }
}
