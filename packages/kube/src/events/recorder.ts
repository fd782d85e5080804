import { isAlreadyExists, isConflict, isForbidden, isNotFound, type KubeObject, StatusError } from "@berg/apimachinery";
import type { Client } from "../client/client.ts";
import { type Clock, type Random, sleep, timestamp } from "../clock.ts";
import { type CoreEvent, Events } from "../kinds.ts";
import { errorText, type Logger } from "../log.ts";
import { type Correlated, EventCorrelator } from "./correlator.ts";
import { type EventSource, type EventType, makeEvent, type Occurrence } from "./event.ts";
import { type EventMetrics, noEventMetrics } from "./metrics.ts";

/** Tells people what happened to an object. Never throws, never waits: an event is a courtesy, the work goes on. */
export interface EventRecorder {
  /** `recorder.event(instance, "Normal", "Started", "all containers run")`. Never a flag or a token in the message. */
  event(object: KubeObject, type: EventType, reason: string, message: string, fieldPath?: string): void;
}

export interface EventWriterOptions {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  /** This process, such as the pod's name. */
  instance: string;
  /** The node, where it is one that tells. */
  host?: string;
  metrics?: EventMetrics;
}

/** Ten thousand instances with one common end are warned at once, and each may have more to tell. */
const queueLimit = 20_000;
/** Few beside those who do the work: an event is a courtesy. */
const writers = 8;
const tries = 12;
const firstDelayMs = 500;
const longestDelayMs = 10_000;

/**
 * Writes events to the API server in the background: those of one object in order and one at a time, those of several
 * objects side by side.
 *
 *     const events = new EventWriter({ client, clock, random, log, instance: hostname() });
 *     const recorder = events.recorder("instance-controller");
 *     …
 *     await events.flush(deadline);
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #metrics: EventMetrics;
  readonly #correlator = new EventCorrelator();
  /** What waits or is being written, by object. */
  readonly #lines = new Map<string, CoreEvent[]>();
  /** The objects that no writer is at work for; the one that has waited longest comes first. */
  readonly #idle = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #waiting = 0;
  #closing = false;
  #lastNanos = 0n;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#metrics = options.metrics ?? noEventMetrics;
  }

  recorder(component: string): EventRecorder {
    const { instance, host } = this.#options;
    const source = { component, instance, host };
    return {
      event: (object, type, reason, message, fieldPath) =>
        this.#record(source, { object, type, reason, message, fieldPath }),
    };
  }

  /**
   * Before the process exits: writes what waits, until `signal` is aborted, and drops the rest. Events that come later
   * are dropped too. Never rejects.
   */
  async flush(signal: AbortSignal): Promise<void> {
    this.#closing = true;
    const cut = () => this.#closed.abort(signal.reason);
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    await Promise.all(this.#writing);
    signal.removeEventListener("abort", cut);
  }

  #record(source: EventSource, what: Omit<Occurrence, "source" | "time" | "nanos">): void {
    const { clock, log } = this.#options;
    if (this.#closing || this.#waiting >= queueLimit) {
      this.#metrics.dropped();
      return;
    }
    try {
      this.#line(makeEvent({ ...what, source, time: timestamp(clock), nanos: this.#nextNanos(source) }));
    } catch (error) {
      this.#metrics.dropped();
      log.warn({ reason: what.reason, error: errorText(error) }, "an event could not be made");
    }
  }

  /**
   * The clock counts milliseconds, and two events of one object in the same one must not share a name: so the digits
   * below tell the sources apart, and the same source counts on.
   */
  #nextNanos({ component, instance }: EventSource): bigint {
    const now =
      BigInt(Math.trunc(this.#options.clock.now())) * 1_000_000n + below(`${component}\0${instance}`, 1_000_000);
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    return this.#lastNanos;
  }

  #line(event: CoreEvent): void {
    const { kind, namespace, name, uid } = event.involvedObject;
    const object = [kind, namespace, name, uid].join("\0");
    const line = this.#lines.get(object);
    this.#waiting++;
    if (line) {
      line.push(event);
      return;
    }
    this.#lines.set(object, [event]);
    this.#idle.add(object);
    if (this.#writing.size >= writers) return;
    const writing = this.#writeAll(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  // A line, and a writer, is taken off in the same moment in which nothing is found to be left: later, it would miss
  // what comes in between.
  async #writeAll(over: () => void): Promise<void> {
    // Whoever records has its turn to itself.
    await Promise.resolve();
    for (const object of this.#idle) {
      this.#idle.delete(object);
      await this.#writeLine(object, this.#lines.get(object) ?? []);
    }
    over();
  }

  async #writeLine(object: string, line: CoreEvent[]): Promise<void> {
    for (let event = line.shift(); event; event = line.shift()) {
      this.#waiting--;
      const correlated = this.#correlator.correlate(event, this.#options.clock.monotonic());
      if (correlated.do !== "skip" && !(await this.#write(correlated))) this.#metrics.dropped();
    }
    this.#lines.delete(object);
  }

  async #write(correlated: Exclude<Correlated, { do: "skip" }>): Promise<boolean> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#closed;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        this.#correlator.written(correlated.key, await this.#send(correlated, signal));
        return true;
      } catch (error) {
        // An earlier try was written though its answer never came.
        if (isAlreadyExists(error)) return true;
        if (!isWorthARetry(error) || attempt === tries) {
          // In a namespace that goes, or that we may not write to, this is everyday business.
          const quiet = isForbidden(error) || isNotFound(error) || signal.aborted;
          log[quiet ? "debug" : "warn"]({ attempt, error: errorText(error) }, "an event could not be written");
          return false;
        }
        const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
        await sleep(clock, delay * (0.5 + random() / 2), signal).catch(() => {});
      }
    }
    return false;
  }

  async #send(correlated: Exclude<Correlated, { do: "skip" }>, signal: AbortSignal): Promise<CoreEvent> {
    const { client } = this.#options;
    const { event } = correlated;
    if (correlated.do === "count") {
      const { count, lastTimestamp, message, metadata } = event;
      const patch = { type: "merge", body: { count, lastTimestamp, message } } as const;
      try {
        return await client.patch(Events, metadata.namespace ?? "", correlated.existing, patch, { signal });
      } catch (error) {
        // The server keeps events for an hour.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
    return client.create(Events, event, { signal });
  }
}

function isWorthARetry(error: unknown): boolean {
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}

/** Always the same number in [0, limit) for the same text (FNV-1a). */
function below(text: string, limit: number): bigint {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return BigInt((hash >>> 0) % limit);
}
