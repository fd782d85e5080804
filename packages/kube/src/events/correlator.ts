import type { CoreEvent } from "../kinds.ts";
import { cutMessage } from "./event.ts";
import { Lru } from "./lru.ts";

/** What is to be done with an event: nothing, or to write it, as a new one or over the one that it repeats. */
export type Correlated =
  | { do: "skip" }
  | { do: "create"; key: string; event: CoreEvent }
  | { do: "count"; key: string; event: CoreEvent; existing: string };

const remembered = 4096;
const similarLimit = 10;
const similarWindowMs = 10 * 60_000;
const spamBurst = 25;
const spamRefillMs = 5 * 60_000;

interface Similar {
  messages: Set<string>;
  last: number;
}

interface Written {
  name: string;
  count: number;
  firstTimestamp: string | undefined;
}

/**
 * Keeps a controller from flooding the API server with events, by the rules that Kubernetes' own controllers follow:
 *
 * 1. The same event again counts up the first one.
 * 2. From the tenth message on with the same object, type and reason within ten minutes, they share one event.
 * 3. One source may write 25 events about an object, and then one in five minutes.
 *
 * Decides only; holds what it was told in bounded memory. `now` is monotonic, in ms.
 */
export class EventCorrelator {
  readonly #similar = new Lru<string, Similar>(remembered);
  readonly #written = new Lru<string, Written>(remembered);
  /** When the allowance of a source and object will be whole again. */
  readonly #fullAt = new Lru<string, number>(remembered);

  correlate(event: CoreEvent, now: number): Correlated {
    const group = groupKey(event);
    const shared = this.#isOneOfMany(group, event.message ?? "", now);
    const key = shared ? group : [group, event.involvedObject.fieldPath, event.message].join("\0");
    const next = shared ? { ...event, message: cutMessage(`(combined from similar events): ${event.message}`) } : event;

    const earlier = this.#written.get(key);
    const counted: CoreEvent = earlier
      ? { ...next, count: earlier.count + 1, ...(earlier.firstTimestamp && { firstTimestamp: earlier.firstTimestamp }) }
      : next;
    // What the filter holds back is still counted, so that the next one that passes tells the whole number.
    this.written(key, { ...counted, metadata: { ...counted.metadata, name: earlier?.name ?? counted.metadata.name } });
    if (!this.#isAllowed(event, now)) return { do: "skip" };
    return earlier
      ? { do: "count", key, event: counted, existing: earlier.name }
      : { do: "create", key, event: counted };
  }

  /** The event stands on the server as given: later ones with this key count it up. */
  written(key: string, event: CoreEvent): void {
    const { count = 1, firstTimestamp, metadata } = event;
    this.#written.set(key, { name: metadata.name, count, firstTimestamp });
  }

  #isOneOfMany(group: string, message: string, now: number): boolean {
    let similar = this.#similar.get(group);
    if (!similar || now - similar.last > similarWindowMs) {
      similar = { messages: new Set(), last: now };
      this.#similar.set(group, similar);
    }
    similar.last = now;
    similar.messages.add(message);
    if (similar.messages.size < similarLimit) return false;
    // Ten are enough to know: the set must not grow with every message.
    similar.messages.delete(message);
    return true;
  }

  #isAllowed(event: CoreEvent, now: number): boolean {
    const key = spamKey(event);
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + spamRefillMs;
    if (fullAt - now > spamBurst * spamRefillMs) return false;
    this.#fullAt.set(key, fullAt);
    return true;
  }
}

function spamKey({ involvedObject, type, reportingComponent, reportingInstance }: CoreEvent): string {
  const { apiVersion, kind, namespace, name, uid } = involvedObject;
  return [reportingComponent, reportingInstance, apiVersion, kind, namespace, name, uid, type].join("\0");
}

function groupKey(event: CoreEvent): string {
  return `${spamKey(event)}\0${event.reason}`;
}
