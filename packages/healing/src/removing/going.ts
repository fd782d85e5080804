/**
 * How many namespaces are being taken apart, by whoever's wish. To take one apart costs the server twice what a start
 * does: where all that are due went at once, nobody would start or stop in time.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";

/** One that goes for longer is held by somebody's finalizer, and costs nothing. */
const countsForMs = 60_000;
/** Who asks again so soon gets the same answer: thousands wait for their turn at a time, and each asks every second. */
const isFreshForMs = 100;

export class GoingNamespaces {
  readonly #namespaces: () => Iterable<Stored<Namespace>>;
  /** Those whose deletion this process has asked for, which a copy or a list may not show yet: by UID, when. */
  readonly #asked = new Map<string, number>();
  #counted = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(namespaces: () => Iterable<Stored<Namespace>>) {
    this.#namespaces = namespaces;
  }

  count(now: number): number {
    const isFresh = now >= this.#countedAt && now < this.#countedAt + isFreshForMs;
    if (!isFresh) {
      this.#counted = this.#countAnew(now);
      this.#countedAt = now;
    }
    return this.#counted;
  }

  /** To be told before the server is asked: others count meanwhile. */
  asked({ metadata }: Stored<Namespace>, now: number): void {
    if (!this.#asked.has(metadata.uid)) this.#counted++;
    this.#asked.set(metadata.uid, now);
  }

  #countAnew(now: number): number {
    for (const [uid, at] of this.#asked) if (at + countsForMs <= now) this.#asked.delete(uid);
    let count = 0;
    for (const { metadata } of this.#namespaces()) {
      const { uid, deletionTimestamp } = metadata;
      const since = deletionTimestamp === undefined ? this.#asked.get(uid) : parseTime(deletionTimestamp);
      if (since !== undefined && since + countsForMs > now) count++;
    }
    return count;
  }
}
