/**
 * When our own copy shows what we have just made. The API server has such a copy of all namespaces, too, and who writes
 * into one that it does not show yet is made to wait for 50 ms: longer than for all other writes of a start together. Both
 * copies hear of it at about the same time, so that who has seen it here is mostly let in there at once.
 */
import { type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import type { Clock, Informer } from "@berg/kube";

/** As long as the server would wait. */
const mostMs = 50;

export class Sightings<T extends KubeObject> {
  readonly #informer: Pick<Informer<T>, "get" | "onChange">;
  readonly #clock: Clock;
  /** By UID. */
  readonly #awaited = new Map<string, () => void>();

  constructor(informer: Pick<Informer<T>, "get" | "onChange">, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.onChange(({ object }) => this.#awaited.get(object.metadata.uid)?.());
  }

  /** Resolves when it is seen, or after a while. */
  async of(made: Stored<T>): Promise<void> {
    const { uid } = made.metadata;
    if (this.#informer.get(keyOf(made))?.metadata.uid === uid) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(mostMs, resolve);
    this.#awaited.set(uid, resolve);
    await promise;
    timer.cancel();
    this.#awaited.delete(uid);
  }
}
