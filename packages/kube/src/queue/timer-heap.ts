import type { Clock, Timer } from "../clock.ts";

interface Entry<K> {
  readonly key: K;
  due: number;
  order: number;
  index: number;
}

/**
 * Many keys that each fall due once, on one armed timer: ten thousand expiries cost a heap, not ten thousand timers.
 *
 * Delays run on monotonic time, so a step of the wall clock neither hurries nor holds them. Keys due at the same moment
 * come in the order in which they were scheduled. No key comes early.
 *
 *     const expiries = new TimerHeap<string>(clock, (uid) => queue.add(uid));
 *     expiries.schedule(uid, 2 * 60 * 60 * 1000);
 */
export class TimerHeap<K> {
  readonly #clock: Clock;
  readonly #onDue: (key: K) => void;
  readonly #entries = new Map<K, Entry<K>>();
  readonly #heap: Entry<K>[] = [];
  #scheduled = 0;
  #timer: Timer | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (key: K) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** The earlier time wins: a key that is already due sooner keeps its time. To postpone a key, cancel it first. */
  schedule(key: K, delayMs: number): void {
    if (!Number.isFinite(delayMs))
      throw new RangeError(`cannot schedule ${String(key)} in ${delayMs} ms: the delay must be a finite number`);
    const due = this.#clock.monotonic() + Math.max(0, delayMs);
    const order = this.#scheduled++;
    const known = this.#entries.get(key);
    if (!known) {
      const entry = { key, due, order, index: this.#heap.length };
      this.#entries.set(key, entry);
      this.#heap.push(entry);
      this.#siftUp(entry);
    } else if (due < known.due) {
      known.due = due;
      known.order = order;
      this.#siftUp(known);
    }
    this.#arm();
  }

  /** Milliseconds until the key is due; undefined if it is not scheduled. */
  dueIn(key: K): number | undefined {
    const entry = this.#entries.get(key);
    return entry && Math.max(0, entry.due - this.#clock.monotonic());
  }

  cancel(key: K): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#remove(entry);
    this.#arm();
    return true;
  }

  /** Forgets every key and leaves no timer behind. */
  clear(): void {
    this.#entries.clear();
    this.#heap.length = 0;
    this.#arm();
  }

  /**
   * A timer that is armed too early, because its key was cancelled, is left alone: it wakes once for nothing, which is
   * cheaper than setting a new one at every cancel.
   */
  #arm(): void {
    const first = this.#heap[0];
    if (first && first.due >= this.#armedFor) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedFor = first?.due ?? Number.POSITIVE_INFINITY;
    if (first) this.#timer = this.#clock.setTimer(first.due - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    // What `onDue` schedules waits for the next turn, or a key that re-schedules itself at once would block the process.
    const newcomers = this.#scheduled;
    try {
      for (let first = this.#heap[0]; first && first.due <= now && first.order < newcomers; first = this.#heap[0]) {
        this.#remove(first);
        this.#onDue(first.key);
      }
    } finally {
      // Also after a throw: the keys behind the one that failed still come.
      this.#arm();
    }
  }

  #remove(entry: Entry<K>): void {
    this.#entries.delete(entry.key);
    const last = this.#heap.pop();
    if (!last || last === entry) return;
    this.#place(last, entry.index);
    this.#siftUp(last);
    this.#siftDown(last);
  }

  #siftUp(entry: Entry<K>): void {
    while (entry.index > 0) {
      const index = entry.index;
      const parent = this.#heap[(index - 1) >> 1];
      if (!parent || !isBefore(entry, parent)) return;
      this.#place(entry, parent.index);
      this.#place(parent, index);
    }
  }

  #siftDown(entry: Entry<K>): void {
    for (;;) {
      const index = entry.index;
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || !isBefore(child, entry)) return;
      this.#place(entry, child.index);
      this.#place(child, index);
    }
  }

  #place(entry: Entry<K>, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }
}

function isBefore<K>(a: Entry<K>, b: Entry<K>): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
