import type { Clock, Random, Timer } from "../clock.ts";
import { type Rate, TokenBucket } from "../token-bucket.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { Lanes, type Linked } from "./lanes.ts";
import { noQueueMetrics, type QueueMetrics } from "./metrics.ts";
import { type AtOnce, isUrgent, Room } from "./room.ts";
import { TimerHeap } from "./timer-heap.ts";
import { Waiters } from "./waiters.ts";

export interface WorkQueueOptions {
  clock: Clock;
  random: Random;
  metrics?: QueueMetrics;
  /** How the retries of one key slow down. */
  backoff?: BackoffOptions;
  /** What the retries of all keys together may reach. */
  retryRate?: Rate;
  /** How many higher priorities may pass over the key that has waited longest, before it gets a turn. */
  maxBypass?: number;
  /** How many keys that are not urgent workers may have at once. Asked whenever one could be handed out. */
  atOnce?: (() => AtOnce) | undefined;
}

export interface AddOptions {
  /** Higher goes first; 0 unless told. A handful of levels, not a scale. */
  priority?: number;
}

/** A key in the hands of a worker, until `done`. */
export interface Taken {
  readonly key: string;
  readonly priority: number;
}

interface Item extends Taken, Linked<Item> {
  priority: number;
  addedAt: number;
  startedAt: number;
  processing: boolean;
  /** Gives up the room that it takes in the hands of a worker. */
  leaveRoom: (() => void) | undefined;
  /** Added while it was processed: takes the place of this item at `done`. */
  again: Item | undefined;
}

const defaultRetryRate: Rate = { perSecond: 20, burst: 200 };
const defaultMaxBypass = 10;
/** How often it is asked whether there is room again, while some wait for that. */
const askAgainMs = 50;

/**
 * The keys that want a reconcile.
 *
 * - A key waits at most once, however often it is added; added again with a higher priority, it is raised.
 * - A key is in one worker's hands at a time. Added meanwhile, it waits again after `done`.
 * - A key that was added is handed out, unless the queue is shut down first. Low priorities do not starve (see Lanes).
 * - A delayed key joins the others when due. Until then an `add` of the same key goes ahead and does not replace it.
 *   It may be due several times, if it is more urgent the later: one that fails and will expire some day is tried again
 *   behind all others until that day.
 * - A key that failed rests (see Backoff): what adds it meanwhile is put off until its rest is over, but for what is
 *   urgent, with a priority above 0.
 * - What is urgent is handed out to any worker that is free. Of what is not, workers have `atOnce` at most.
 *
 *     for (let taken = await queue.get(); taken; taken = await queue.get()) {
 *       try {
 *         await reconcile(taken.key);
 *         queue.forget(taken.key);
 *       } catch {
 *         queue.addRateLimited(taken.key, { priority: taken.priority });
 *       } finally {
 *         queue.done(taken.key);
 *       }
 *     }
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics;
  readonly #items = new Map<string, Item>();
  readonly #lanes: Lanes<Item>;
  /** By key and priority. */
  readonly #delayed: TimerHeap<string>;
  /** All priorities that a delayed key ever had. */
  readonly #levels = new Set<number>();
  readonly #backoff: Backoff;
  readonly #retries: TokenBucket;
  readonly #workers = new Waiters<Taken | undefined>();
  readonly #drains = new Waiters<void>();
  readonly #room: Room;
  #depth = 0;
  #processing = 0;
  #asking: Timer | undefined;
  #shutDown = false;

  constructor({ clock, random, metrics, backoff, retryRate, maxBypass, atOnce }: WorkQueueOptions) {
    this.#clock = clock;
    this.#room = new Room(atOnce);
    this.#metrics = metrics ?? noQueueMetrics;
    this.#lanes = new Lanes(maxBypass ?? defaultMaxBypass);
    this.#backoff = new Backoff(random, backoff);
    this.#retries = new TokenBucket(clock, retryRate ?? defaultRetryRate);
    this.#delayed = new TimerHeap(clock, (delayed) => this.#add(...keyAndPriority(delayed)));
  }

  /** How many keys wait to be handed out; delayed ones do not count until they are due. */
  get depth(): number {
    return this.#depth;
  }

  add(key: string, options?: AddOptions): void {
    const priority = priorityOf(key, options);
    const known = this.#items.get(key);
    const restMs = known && !known.processing ? 0 : this.#restMs(key, priority);
    if (restMs > 0) this.#delay(key, restMs, priority);
    else this.#add(key, priority);
  }

  /** Of several delays, those hold before which nothing as urgent comes. */
  addAfter(key: string, delayMs: number, options?: AddOptions): void {
    const priority = priorityOf(key, options);
    if (this.#shutDown) return;
    this.#metrics.retried();
    if (delayMs <= 0) this.#add(key, priority);
    else this.#delay(key, delayMs, priority);
  }

  /** For a key that failed: adds it after its backoff, later still if too many keys fail at once, or if told so. */
  addRateLimited(key: string, options?: AddOptions & { atLeastMs?: number | undefined }): void {
    const priority = priorityOf(key, options);
    if (this.#shutDown) return;
    this.#metrics.retried();
    const backoff = Math.max(this.#backoff.failed(key, this.#clock.monotonic()), options?.atLeastMs ?? 0);
    const dueIn = Math.min(...this.#delays(key).map(([, ms]) => ms));
    // A key that already comes soon enough takes no token: one that fails a hundred times a second, driven by events,
    // would otherwise use up the tokens of all others.
    const needsToken = backoff < dueIn;
    this.#delay(key, needsToken ? Math.max(backoff, this.#retries.reserve()) : backoff, priority);
  }

  /** Ends the backoff of a key; call it when the key succeeded or is gone. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  /** How often the key was added rate-limited since it was last forgotten. */
  retries(key: string): number {
    return this.#backoff.retries(key);
  }

  /** The next key, as soon as there is one; undefined once the queue is shut down. Rejects only if aborted. */
  get(signal?: AbortSignal): Promise<Taken | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#shutDown) return Promise.resolve(undefined);
    const item = this.#take();
    return item ? Promise.resolve(item) : this.#workers.join(signal);
  }

  /** Call it exactly once for each key that `get` gave. */
  done(key: string): void {
    const item = this.#items.get(key);
    // A second `done` could end the hold of another worker, and two would have the key at once.
    if (!item?.processing)
      throw new Error(`cannot finish ${JSON.stringify(key)}: no worker has it (done called twice?)`);
    this.#processing--;
    item.leaveRoom?.();
    this.#metrics.finished((this.#clock.monotonic() - item.startedAt) / 1000);
    this.#items.delete(key);
    if (item.again) this.#addAgain(item.again);
    this.#handOut();
    if (this.#shutDown && this.#processing === 0) this.#drains.releaseAll();
  }

  /** Its worker goes on without it: until `done` nobody else gets the key, but others may have what it kept from them. */
  abandon(key: string): void {
    const item = this.#items.get(key);
    if (!item?.processing) return;
    item.leaveRoom?.();
    this.#handOut();
  }

  /** Drops all that waits or is delayed, takes nothing more, and sends every waiting worker home. */
  shutDown(): void {
    if (this.#shutDown) return;
    this.#shutDown = true;
    this.#delayed.clear();
    this.#asking?.cancel();
    this.#changeDepth(-this.#depth);
    this.#workers.releaseAll(undefined);
  }

  /** Shuts down and waits until no worker has a key; rejects with the signal's reason if that comes first. */
  drain(signal?: AbortSignal): Promise<void> {
    this.shutDown();
    return this.#processing === 0 ? Promise.resolve() : this.#drains.join(signal);
  }

  /** How long the keys in workers' hands have been there: all together, and the longest of them. */
  processing(): { unfinishedSeconds: number; longestSeconds: number } {
    const now = this.#clock.monotonic();
    let unfinishedSeconds = 0;
    let longestSeconds = 0;
    for (const item of this.#items.values()) {
      if (!item.processing) continue;
      const seconds = (now - item.startedAt) / 1000;
      unfinishedSeconds += seconds;
      longestSeconds = Math.max(longestSeconds, seconds);
    }
    return { unfinishedSeconds, longestSeconds };
  }

  #add(key: string, priority: number): void {
    if (this.#shutDown) return;
    const known = this.#items.get(key);
    if (known && !known.processing) {
      this.#lanes.raise(known, priority);
      this.#handOut();
      return;
    }
    if (known?.again) {
      known.again.priority = Math.max(known.again.priority, priority);
      return;
    }
    const item = newItem(key, priority, this.#clock.monotonic());
    this.#metrics.added();
    this.#changeDepth(1);
    if (known) {
      known.again = item;
    } else {
      this.#items.set(key, item);
      this.#offer(item);
    }
  }

  /** What was added while the key was processed, and failed, is often the trace of that very failure. */
  #addAgain(item: Item): void {
    const restMs = this.#restMs(item.key, item.priority);
    if (restMs > 0 && !this.#shutDown) {
      this.#changeDepth(-1);
      this.#delay(item.key, restMs, item.priority);
    } else {
      this.#items.set(item.key, item);
      this.#offer(item);
    }
  }

  #restMs(key: string, priority: number): number {
    return isUrgent(priority) ? 0 : this.#backoff.restMs(key, this.#clock.monotonic());
  }

  #delay(key: string, delayMs: number, priority: number): void {
    if (this.#shutDown) return;
    const known = this.#delays(key);
    if (known.some(([level, dueIn]) => dueIn <= delayMs && level >= priority)) return;
    for (const [level, dueIn] of known) {
      if (dueIn >= delayMs && level <= priority) this.#delayed.cancel(delayedAs(key, level));
    }
    this.#levels.add(priority);
    this.#delayed.schedule(delayedAs(key, priority), delayMs);
  }

  /** The priorities with which the key is delayed, each with the ms until then. */
  #delays(key: string): [priority: number, dueInMs: number][] {
    const delays: [number, number][] = [];
    for (const level of this.#levels) {
      const dueIn = this.#delayed.dueIn(delayedAs(key, level));
      if (dueIn !== undefined) delays.push([level, dueIn]);
    }
    return delays;
  }

  #offer(item: Item): void {
    this.#lanes.push(item);
    this.#handOut();
  }

  /** Workers wait only while there is nothing for them, so that handing over at once cannot pass over anyone. */
  #handOut(): void {
    while (!this.#shutDown && this.#workers.size > 0) {
      const item = this.#take();
      if (!item) return;
      this.#workers.releaseFirst(item);
    }
  }

  #take(): Item | undefined {
    const free = this.#room.free();
    const item = this.#lanes.shift(free);
    if (!item) {
      if (free && this.#depth > 0) this.#askAgain();
      return undefined;
    }
    item.leaveRoom = this.#room.enter(item.priority);
    item.processing = true;
    item.startedAt = this.#clock.monotonic();
    this.#processing++;
    this.#changeDepth(-1);
    this.#metrics.started((item.startedAt - item.addedAt) / 1000);
    return item;
  }

  /** Time alone may change the answer: nothing may be added, and no worker be done, for long. */
  #askAgain(): void {
    this.#asking ??= this.#clock.setTimer(askAgainMs, () => {
      this.#asking = undefined;
      this.#handOut();
    });
  }

  #changeDepth(by: number): void {
    this.#depth += by;
    this.#metrics.depth(this.#depth);
  }
}

function delayedAs(key: string, priority: number): string {
  return `${priority} ${key}`;
}

function keyAndPriority(delayed: string): [key: string, priority: number] {
  const end = delayed.indexOf(" ");
  return [delayed.slice(end + 1), Number(delayed.slice(0, end))];
}

function newItem(key: string, priority: number, addedAt: number): Item {
  return {
    key,
    priority,
    addedAt,
    startedAt: 0,
    processing: false,
    leaveRoom: undefined,
    again: undefined,
    order: 0,
    previous: undefined,
    next: undefined,
  };
}

function priorityOf(key: string, options: AddOptions | undefined): number {
  const priority = options?.priority ?? 0;
  if (Number.isNaN(priority)) throw new RangeError(`cannot add ${JSON.stringify(key)}: its priority is not a number`);
  return priority;
}
