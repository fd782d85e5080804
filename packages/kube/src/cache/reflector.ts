/**
 * Keeps a copy of one resource true: lists it, then follows it by watch, for ever, whatever happens to the connection
 * or the server. It never gives up and never goes quiet:
 *
 *     list ──► watch ──► ended, cut, stalled, refused ──► (wait) ──► watch from where it was
 *       ▲                expired, garbled, server reset ──► (wait) ─┐
 *       └──────────────────────────────────────────────────────────┘
 */
import {
  initialEventsEnd,
  isBadRequest,
  isInvalid,
  type KubeObject,
  type ResourceType,
  resourceName,
  type Stored,
  type WatchEvent,
} from "@berg/apimachinery";
import { AbortFollower } from "../abort.ts";
import type { Client, Selection, WatchOptions } from "../client/client.ts";
import { type Clock, type Random, sleep } from "../clock.ts";
import { errorText, type Logger } from "../log.ts";
import { ErrorFrame, HistoryReset, isWorrying, judge, reconnectDelay, remedyFor, Stalled } from "./judge.ts";
import type { InformerMetrics, RelistReason } from "./metrics.ts";
import { isOlder } from "./versions.ts";
import { Watchdog } from "./watchdog.ts";

export interface ReflectorOptions<T extends KubeObject> {
  client: Pick<Client, "list" | "listAll" | "watch">;
  type: ResourceType<T>;
  selection: Selection;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: InformerMetrics;
  /** How many objects a page of a list has at most, where it is not streamed. */
  pageSize?: number | undefined;
  /** Called with each object as it comes, and not when all are there: a list costs what is kept of it. */
  prepare?: (object: Stored<T>) => Stored<T>;
  /** Everything there is, at once. After a reset the same version may stand for something else than before. */
  onReplace(objects: Stored<T>[], after: { reset: boolean }): void;
  /** What changed since, in order. */
  onEvents(events: ObjectEvent<T>[]): void;
}

export type ObjectEvent<T extends KubeObject> = Extract<WatchEvent<T>, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

// The server sends a bookmark about once a minute; silence beyond this means that nobody is there (half-open).
const stalledAfterMs = 90_000;
// While a list is streamed, bookmarks are no progress: only objects are, and the one that ends it.
const listStalledAfterMs = 30_000;
// Each watch ends after a time of its own, so that a fleet does not come back to a new server all at once.
const watchSeconds = { least: 300, most: 600 };

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** From where the copy can be continued; undefined when it must be listed anew. */
  #resourceVersion: string | undefined;
  #reached: string | undefined;
  #relistReason: RelistReason = "start";
  /** Versions of before mean nothing any more. Stays until everything is listed anew, whatever else goes wrong on the way. */
  #wasReset = false;
  #filled = false;
  #streamsLists = true;
  #lastSignOfLife: number;
  /** Since when changes arrive as they happen; undefined while it only tries to get there. */
  #followingSince: number | undefined;
  #watchdog: Watchdog | undefined;
  #failure: unknown;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#lastSignOfLife = options.clock.monotonic();
  }

  /** The version up to which everything was handed over, in order; undefined before the first list. */
  get reached(): string | undefined {
    return this.#reached;
  }

  /** What the last try to list and watch ended with; undefined as soon as the server lists, or accepts a watch. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Milliseconds since the server last said anything. */
  get silentForMs(): number {
    return this.#options.clock.monotonic() - this.#lastSignOfLife;
  }

  /**
   * Milliseconds for which the watch that is open has brought nothing, and 0 while none is. The watchdog ends such a
   * watch; one that stays in spite of it is stuck. An outage of the server, however long, does not count.
   */
  get deafForMs(): number {
    return this.#watchdog?.silentForMs ?? 0;
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, metrics } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      this.#followingSince = undefined;
      let error: unknown;
      try {
        if (this.#resourceVersion === undefined) {
          metrics.relisted(this.#relistReason);
          await this.#fill(signal);
        } else {
          // After a failure the server may be another one, or the same one with older data: see #confirmHistory.
          if (failures > 0) await this.#confirmHistory(this.#resourceVersion, signal);
          await this.#follow(this.#resourceVersion, signal);
        }
      } catch (thrown) {
        error = thrown;
      }
      if (signal.aborted) return;

      const followedMs = this.#followingSince === undefined ? 0 : clock.monotonic() - this.#followingSince;
      const verdict = judge(error, followedMs, failures);
      if (verdict.relist) {
        this.#resourceVersion = undefined;
        this.#relistReason = verdict.relist;
        this.#wasReset ||= verdict.relist === "reset";
      }
      failures = verdict.failures;
      if (failures === 0) continue;
      this.#failure = error;
      const delay = reconnectDelay(failures, random);
      this.#tellOf(error, { relist: verdict.relist, failures, delay: Math.round(delay) });
      await sleep(clock, delay, signal).catch(() => {});
    }
  }

  #tellOf(error: unknown, more: { relist: RelistReason | undefined; failures: number; delay: number }): void {
    const { log, type } = this.#options;
    const resource = resourceName(type);
    const fields = { resource, ...more, error: error === undefined ? "closed at once" : errorText(error) };
    if (isWorrying(error, { filled: this.#filled, failures: more.failures })) {
      const remedy = remedyFor(error, type);
      log.warn({ ...fields, ...(remedy && { remedy }) }, "cannot list and watch");
    } else {
      log.info(fields, "watch is reopened");
    }
  }

  async #fill(signal: AbortSignal): Promise<void> {
    if (this.#streamsLists) {
      try {
        return await this.#stream(signal);
      } catch (error) {
        // A server that cannot stream a list says so. One that merely failed may be asked again.
        if (!isInvalid(error) && !isBadRequest(error)) throw error;
        this.#streamsLists = false;
      }
    }
    await this.#list(signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, type, selection, pageSize: limit, prepare: keep } = this.#options;
    const list = await client.listAll(type, { ...selection, limit, keep, signal });
    const { resourceVersion } = list.metadata;
    // A watch from nowhere would bring everything again, in any order, and never what is gone.
    if (!resourceVersion) throw new Error(`the list of ${resourceName(type)} came without a resourceVersion`);
    this.#replace(list.items, resourceVersion);
    await this.#follow(resourceVersion, signal);
  }

  /** A list in the form of a watch: objects one by one, a bookmark that ends them, then changes as they come. */
  async #stream(signal: AbortSignal): Promise<void> {
    let initial: Map<string, Stored<T>> | undefined = new Map();
    const { clock } = this.#options;
    using end = new AbortFollower(signal);
    const watchdog = new Watchdog(clock, listStalledAfterMs, () => end.abort(new Stalled(listStalledAfterMs)));
    const onEvents = (events: WatchEvent<T>[]) => {
      for (let at = 0; at < events.length; at++) {
        const event = events[at] as WatchEvent<T>;
        if (!initial) return this.#apply(events.slice(at));
        if (event.type === "ERROR") throw new ErrorFrame(event.object);
        if (event.type === "BOOKMARK") {
          if (event.object.metadata.annotations?.[initialEventsEnd] !== "true") continue;
          this.#replace([...initial.values()], event.object.metadata.resourceVersion);
          initial = undefined;
          watchdog.stop();
          this.#followingSince = clock.monotonic();
          continue;
        }
        watchdog.heard();
        if (event.type === "DELETED") initial.delete(event.object.metadata.uid);
        else initial.set(event.object.metadata.uid, this.#prepare(event.object));
      }
    };
    try {
      await this.#watch(end.signal, { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }, onEvents);
      if (initial) this.#streamsLists = false;
    } catch (error) {
      if (initial && error instanceof Stalled) this.#streamsLists = false;
      throw error;
    } finally {
      watchdog.stop();
    }
  }

  async #follow(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const onOpen = () => {
      this.#failure = undefined;
      this.#followingSince = this.#options.clock.monotonic();
    };
    await this.#watch(signal, { resourceVersion, onOpen }, (events) => this.#apply(events));
  }

  /**
   * Asks whether the server knows our version at all. A watch from a version that lies in its future is not refused:
   * it waits, in silence, and every change until then is lost. After a restore of the server's data that can be hours.
   */
  async #confirmHistory(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, type, selection } = this.#options;
    const page = { limit: 1, resourceVersion, resourceVersionMatch: "NotOlderThan" } as const;
    await client.list(type, { ...selection, ...page, signal });
  }

  async #watch(
    signal: AbortSignal,
    from: Pick<WatchOptions, "resourceVersion" | "sendInitialEvents" | "resourceVersionMatch" | "onOpen">,
    onEvents: (events: WatchEvent<T>[]) => void,
  ): Promise<void> {
    const { client, type, selection, clock, random } = this.#options;
    using end = new AbortFollower(signal);
    const watchdog = new Watchdog(clock, stalledAfterMs, () => end.abort(new Stalled(stalledAfterMs)));
    this.#watchdog = watchdog;
    const { least, most } = watchSeconds;
    try {
      await client.watch(
        type,
        {
          ...selection,
          ...from,
          allowWatchBookmarks: true,
          timeoutSeconds: Math.floor(least + random() * (most - least)),
          signal: end.signal,
          onBytes: () => {
            this.#lastSignOfLife = clock.monotonic();
            watchdog.heard();
          },
        },
        onEvents,
      );
    } finally {
      watchdog.stop();
      this.#watchdog = undefined;
    }
  }

  #prepare(object: Stored<T>): Stored<T> {
    return this.#options.prepare?.(object) ?? object;
  }

  #replace(objects: Stored<T>[], resourceVersion: string): void {
    this.#lastSignOfLife = this.#options.clock.monotonic();
    this.#options.onReplace(objects, { reset: this.#wasReset });
    this.#wasReset = false;
    this.#failure = undefined;
    this.#resourceVersion = resourceVersion;
    this.#reached = resourceVersion;
    this.#filled = true;
  }

  #apply(events: WatchEvent<T>[]): void {
    const changes: ObjectEvent<T>[] = [];
    let reached = this.#resourceVersion as string;
    let failure: Error | undefined;
    for (const event of events) {
      if (event.type === "ERROR") {
        failure = new ErrorFrame(event.object);
        break;
      }
      const version = event.object.metadata.resourceVersion;
      if (isOlder(version, reached)) {
        failure = new HistoryReset(reached, version);
        break;
      }
      reached = version;
      if (event.type === "BOOKMARK") continue;
      event.object = this.#prepare(event.object);
      changes.push(event);
    }
    if (changes.length > 0) this.#options.onEvents(changes);
    this.#resourceVersion = reached;
    this.#reached = reached;
    if (failure) throw failure;
  }
}
