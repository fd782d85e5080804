/**
 * The Secrets of those namespaces in which somebody needs one, without what is in them.
 *
 *     the first holds a namespace ──► listed and watched, word of each change ──► the last lets go: forgotten
 *
 * The right to it is given namespace by namespace. Where it is missing nothing is known there, and nobody waits for it;
 * it is asked for again and again, ever more rarely, and goes on when the right comes.
 */
import {
  isForbidden,
  type KubeObject,
  keyOf,
  makeKey,
  type ObjectKey,
  resourceName,
  type Stored,
} from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  Informer,
  type Logger,
  type Metrics,
  OwnWrites,
  type Random,
  type Secret,
} from "@berg/kube";
import { DigestedSecrets, keepDigests, type WatchedSecret } from "./watched-secret.ts";

/** `none`: nobody can tell yet. */
export type Sight = "clear" | "forbidden" | "none";

interface WatchedSecretsOptions {
  client: Client;
  metrics: Metrics;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Held {
  holders: Set<string>;
  copy: Informer<WatchedSecret>;
  view: OwnWrites<WatchedSecret>;
  end: AbortController;
}

export class WatchedSecrets {
  readonly #options: WatchedSecretsOptions;
  readonly #namespaces = new Map<string, Held>();
  readonly #changeHandlers = new Set<(secret: ObjectKey) => void>();
  readonly #fillHandlers = new Set<(namespace: string) => void>();

  constructor(options: WatchedSecretsOptions) {
    this.#options = options;
  }

  /** `holder` is whoever needs a Secret there; to hold twice is to hold once. */
  hold(namespace: string, holder: string): void {
    let held = this.#namespaces.get(namespace);
    if (!held) {
      held = this.#begin(namespace);
      this.#namespaces.set(namespace, held);
    }
    held.holders.add(holder);
  }

  letGo(namespace: string, holder: string): void {
    const held = this.#namespaces.get(namespace);
    held?.holders.delete(holder);
    if (held?.holders.size !== 0) return;
    this.#namespaces.delete(namespace);
    held.end.abort();
  }

  sightOf(namespace: string): Sight {
    const copy = this.#namespaces.get(namespace)?.copy;
    if (isForbidden(copy?.failure)) return "forbidden";
    return copy?.hasSynced ? "clear" : "none";
  }

  get(namespace: string, name: string): Stored<WatchedSecret> | undefined {
    return this.#namespaces.get(namespace)?.view.get(makeKey(namespace, name));
  }

  /** Changes with what the Secret holds under this key. Undefined where that cannot be seen. */
  contentOf(namespace: string, name: string, key: string): string | undefined {
    if (this.sightOf(namespace) !== "clear") return undefined;
    const secret = this.get(namespace, name);
    return secret ? `${secret.metadata.uid} ${secret.digests[key] ?? "empty"}` : "missing";
  }

  /** To be told of what this process has written: the next look comes before the watch has brought it. */
  wrote(secret: Stored<Secret>): void {
    // The view makes digests of it, as of all that the watch brings.
    this.#namespaces.get(secret.metadata.namespace ?? "")?.view.wrote(secret as KubeObject as Stored<WatchedSecret>);
  }

  /** Told of each Secret that comes, changes or goes. Returns its undo. */
  onChange(handler: (secret: ObjectKey) => void): () => void {
    this.#changeHandlers.add(handler);
    return () => this.#changeHandlers.delete(handler);
  }

  /** Told when the Secrets of a namespace are known: what is missing among them brings no other word. Returns its undo. */
  onFilled(handler: (namespace: string) => void): () => void {
    this.#fillHandlers.add(handler);
    return () => this.#fillHandlers.delete(handler);
  }

  #begin(namespace: string): Held {
    const { client, metrics, clock, random, log } = this.#options;
    const end = new AbortController();
    const copy = new Informer({
      client,
      type: DigestedSecrets,
      selection: { namespace },
      transform: keepDigests,
      clock,
      random,
      log: log.child({ namespace }),
      metrics: metrics.informer(resourceName(DigestedSecrets)),
    });
    copy.onChange(({ object }) => {
      for (const handler of this.#changeHandlers) handler(keyOf(object));
    });
    copy.synced(end.signal).then(
      () => {
        for (const handler of this.#fillHandlers) handler(namespace);
      },
      () => {},
    );
    // It ends by a mistake of ours alone; then the process is to end, too, and not to work on a picture of the past.
    void copy.run(end.signal);
    return { holders: new Set(), copy, view: new OwnWrites(copy, clock), end };
  }
}
