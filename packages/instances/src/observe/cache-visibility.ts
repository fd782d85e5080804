/**
 * Waits until an informer's cache shows an object that this process has just created. The API server has such a cache of
 * namespaces, too, and delays a write into a namespace that is not in it by 50 ms: longer than all other writes of a start
 * together. Both caches are updated at about the same time, so that a write after this wait is rarely delayed.
 */
import { type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import type { Clock, Informer } from "@berg/kube";

/** The API server would not wait longer either. */
const timeoutMs = 50;

export class CacheVisibility<T extends KubeObject> {
  readonly #informer: Pick<Informer<T>, "get" | "onChange">;
  readonly #clock: Clock;
  /** By UID. */
  readonly #waiting = new Map<string, () => void>();

  constructor(informer: Pick<Informer<T>, "get" | "onChange">, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.onChange(({ object }) => this.#waiting.get(object.metadata.uid)?.());
  }

  /** Resolves when the cache has the object, or after 50 ms. */
  async waitFor(created: Stored<T>): Promise<void> {
    const { uid } = created.metadata;
    if (this.#informer.get(keyOf(created))?.metadata.uid === uid) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(timeoutMs, resolve);
    this.#waiting.set(uid, resolve);
    await promise;
    timer.cancel();
    this.#waiting.delete(uid);
  }
}
