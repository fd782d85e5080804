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
import type { Client, Selection } from "../client/client.ts";
import { type Clock, type Random, sleep, type Timer } from "../clock.ts";
import { errorText, type Logger } from "../log.ts";
import { ErrorFrame, HistoryReset, judge, reconnectDelay, Stalled } from "./judge.ts";
import type { InformerMetrics } from "./metrics.ts";

export interface ReflectorOptions<T extends KubeObject> {
  client: Pick<Client, "list" | "listAll" | "watch">;
  type: ResourceType<T>;
  selection: Selection;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: InformerMetrics;
  /** Everything there is, at once. */
  onReplace(objects: Stored<T>[]): void;
  /** What changed since, in order. */
  onEvents(events: ObjectEvent<T>[]): void;
}

export type ObjectEvent<T extends KubeObject> = Extract<WatchEvent<T>, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

// The server sends a bookmark about once a minute; silence beyond this means that nobody is there (half-open).
const stalledAfterMs = 90_000;
// Each watch ends after a time of its own, so that a fleet does not come back to a new server all at once.
const watchSeconds = { least: 300, most: 600 };

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** How far the copy has come; undefined when it must be listed anew. */
  #resourceVersion: string | undefined;
  #streamsLists = true;
  #lastSignOfLife: number;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#lastSignOfLife = options.clock.monotonic();
  }

  /** Milliseconds since the server last said anything. */
  get silentForMs(): number {
    return this.#options.clock.monotonic() - this.#lastSignOfLife;
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log, metrics, type } = this.#options;
    let failures = 0;
    let reason = "start";
    while (!signal.aborted) {
      const started = clock.monotonic();
      let error: unknown;
      try {
        if (this.#resourceVersion === undefined) {
          metrics.relisted(reason);
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

      const verdict = judge(error, clock.monotonic() - started, failures);
      if (verdict.relist) {
        this.#resourceVersion = undefined;
        reason = verdict.relist;
      }
      failures = verdict.failures;
      if (failures === 0) continue;
      const delay = reconnectDelay(failures, random);
      const fields = { resource: resourceName(type), relist: verdict.relist, failures, delay: Math.round(delay) };
      log.info({ ...fields, error: error === undefined ? "closed at once" : errorText(error) }, "watch is reopened");
      await sleep(clock, delay, signal).catch(() => {});
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
    const { client, type, selection } = this.#options;
    const list = await client.listAll(type, { ...selection, signal });
    const resourceVersion = list.metadata.resourceVersion ?? "";
    this.#replace(list.items, resourceVersion);
    await this.#follow(resourceVersion, signal);
  }

  /** A list in the form of a watch: objects one by one, a bookmark that ends them, then changes as they come. */
  async #stream(signal: AbortSignal): Promise<void> {
    let initial: Map<string, Stored<T>> | undefined = new Map();
    await this.#watch(signal, { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }, (events) => {
      for (let at = 0; at < events.length; at++) {
        const event = events[at] as WatchEvent<T>;
        if (!initial) return this.#apply(events.slice(at));
        if (event.type === "ERROR") throw new ErrorFrame(event.object);
        if (event.type === "BOOKMARK") {
          if (event.object.metadata.annotations?.[initialEventsEnd] !== "true") continue;
          this.#replace([...initial.values()], event.object.metadata.resourceVersion);
          initial = undefined;
        } else if (event.type === "DELETED") {
          initial.delete(event.object.metadata.uid);
        } else {
          initial.set(event.object.metadata.uid, event.object);
        }
      }
    });
    if (initial) this.#streamsLists = false;
  }

  async #follow(resourceVersion: string, signal: AbortSignal): Promise<void> {
    await this.#watch(signal, { resourceVersion }, (events) => this.#apply(events));
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
    from: { resourceVersion?: string; sendInitialEvents?: true; resourceVersionMatch?: "NotOlderThan" },
    onEvents: (events: WatchEvent<T>[]) => void,
  ): Promise<void> {
    const { client, type, selection, clock, random } = this.#options;
    const stalled = new AbortController();
    const watchdog = watchSilence(clock, stalledAfterMs, () => stalled.abort(new Stalled(stalledAfterMs)));
    const { least, most } = watchSeconds;
    try {
      await client.watch(
        type,
        {
          ...selection,
          ...from,
          allowWatchBookmarks: true,
          timeoutSeconds: Math.floor(least + random() * (most - least)),
          signal: AbortSignal.any([signal, stalled.signal]),
          onBytes: () => {
            this.#lastSignOfLife = clock.monotonic();
            watchdog.heard();
          },
        },
        onEvents,
      );
    } finally {
      watchdog.stop();
    }
  }

  #replace(objects: Stored<T>[], resourceVersion: string): void {
    this.#lastSignOfLife = this.#options.clock.monotonic();
    this.#options.onReplace(objects);
    this.#resourceVersion = resourceVersion;
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
      if (event.type !== "BOOKMARK") changes.push(event);
    }
    if (changes.length > 0) this.#options.onEvents(changes);
    this.#resourceVersion = reached;
    if (failure) throw failure;
  }
}

/** Kubernetes promises that versions of one resource are whole numbers that grow. */
function isOlder(version: string, than: string): boolean {
  return version.length === than.length ? version < than : version.length < than.length;
}

/** Calls `onSilence` when nothing was heard for so long. One timer, moved forward only when it fires. */
function watchSilence(clock: Clock, limitMs: number, onSilence: () => void): { heard(): void; stop(): void } {
  let last = clock.monotonic();
  let timer: Timer;
  const check = () => {
    const silent = clock.monotonic() - last;
    if (silent >= limitMs) onSilence();
    else timer = clock.setTimer(limitMs - silent, check);
  };
  timer = clock.setTimer(limitMs, check);
  return {
    heard: () => {
      last = clock.monotonic();
    },
    stop: () => timer.cancel(),
  };
}
