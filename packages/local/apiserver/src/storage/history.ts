/**
 * What happened in one table, the oldest first, for as long as it is kept. Each table has its own, so that much that
 * happens in one never makes another forget: an old revision of a quiet table stays known.
 *
 * It lives in memory alone. After a restart everything from before is forgotten, and whoever watched reads again.
 */
import type { TableCursor } from "./cursor.ts";
import { type AnyStored, Compacted, type HistoryEvent } from "./table.ts";

export interface HistoryLimits {
  /** So many events of a table are always kept. */
  fewest: number;
  /** Never more than so many, however young: a busy table must not fill the memory. */
  most: number;
  /** Between the two, for so long. */
  keptForMs: number;
}

export class RecordedEvent implements HistoryEvent {
  readonly type: HistoryEvent["type"];
  readonly revision: number;
  readonly object: AnyStored;
  readonly previous: AnyStored | undefined;
  /** On the monotonic clock, when it was on disk. */
  recordedAt = 0;
  #encodings: Map<string, Uint8Array> | undefined;

  constructor(type: HistoryEvent["type"], revision: number, object: AnyStored, previous: AnyStored | undefined) {
    this.type = type;
    this.revision = revision;
    this.object = object;
    this.previous = previous;
  }

  get encodings(): Map<string, Uint8Array> {
    this.#encodings ??= new Map();
    return this.#encodings;
  }

  forgetEncodings(): void {
    this.#encodings = undefined;
  }
}

export class History {
  readonly #limits: HistoryLimits;
  readonly #waiting = new Set<TableCursor>();
  /** Those before `#head` are dropped already. */
  #events: (RecordedEvent | undefined)[] = [];
  #head = 0;
  #dropped = 0;
  #oldest: number;
  #end: Error | undefined;

  constructor(oldest: number, limits: HistoryLimits) {
    this.#oldest = oldest;
    this.#limits = limits;
  }

  /** From this revision on everything is known. */
  get oldest(): number {
    return this.#oldest;
  }

  append(event: RecordedEvent, now: number): void {
    event.recordedAt = now;
    this.#events.push(event);
    // Most watchers are past it by now; the few that are not make theirs again.
    this.#events[this.#events.length - 1 - this.#limits.fewest]?.forgetEncodings();
    this.trim(now);
  }

  /** Drops what is beyond the limits. */
  trim(now: number): void {
    const { fewest, most, keptForMs } = this.#limits;
    for (;;) {
      const first = this.#events[this.#head];
      const count = this.#events.length - this.#head;
      if (!first || count <= fewest) return;
      if (count <= most && now - first.recordedAt <= keptForMs) return;
      this.#drop(first);
    }
  }

  /** Forgets what came before `revision`. */
  compact(revision: number): void {
    for (let first = this.#events[this.#head]; first && first.revision <= revision; first = this.#events[this.#head]) {
      this.#drop(first);
    }
    this.#oldest = Math.max(this.#oldest, revision);
  }

  /** The place of the first event after `revision`, for `at`. Places are counted from the beginning, and stay. */
  placeAfter(revision: number): number {
    this.#mustKnow(revision);
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as RecordedEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low - this.#head;
  }

  /** What happened after `revision`, the newest first. */
  *since(revision: number): Iterable<RecordedEvent> {
    this.#mustKnow(revision);
    for (let index = this.#events.length - 1; index >= this.#head; index--) {
      const event = this.#events[index] as RecordedEvent;
      if (event.revision <= revision) return;
      yield event;
    }
  }

  /** The event at a place; undefined where it is still to come. `reached` is what the reader knows up to there. */
  at(place: number, reached: number): RecordedEvent | undefined {
    if (this.#end) throw this.#end;
    if (place < this.#dropped) throw new Compacted(reached, this.#oldest);
    return this.#events[this.#head + place - this.#dropped];
  }

  /** Whether `at` returns or throws something. */
  hasNews(place: number): boolean {
    return this.#end !== undefined || place - this.#dropped < this.#events.length - this.#head;
  }

  /** From now on readers are told why there is no more. */
  end(why: Error): void {
    this.#end = why;
    this.wake();
  }

  wait(cursor: TableCursor): void {
    this.#waiting.add(cursor);
  }

  stopWaiting(cursor: TableCursor): void {
    this.#waiting.delete(cursor);
  }

  /** Tells all who wait that something happened. */
  wake(): void {
    for (const cursor of this.#waiting) cursor.wake();
  }

  #mustKnow(revision: number): void {
    if (revision < this.#oldest) throw new Compacted(revision, this.#oldest);
  }

  #drop(first: RecordedEvent): void {
    this.#oldest = Math.max(this.#oldest, first.revision);
    this.#events[this.#head++] = undefined;
    this.#dropped++;
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
