/**
 * The Secrets that somebody needs, without what is in them.
 *
 *     the first needs one ──► what is chosen for it is listed and watched, word of each change ──► the last is gone: forgotten
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
  type Selection,
} from "@berg/kube";
import type { Choice } from "./choices.ts";
import { DigestedSecrets, keepDigests, type WatchedSecret } from "./watched-secret.ts";

/** `none`: nobody can tell yet. */
export type Sight = "clear" | "forbidden" | "none";

interface WatchedSecretsOptions {
  client: Client;
  choice: Choice;
  metrics: Metrics;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Watched {
  /** Who needs something of it. */
  holders: Set<string>;
  copy: Informer<WatchedSecret>;
  view: OwnWrites<WatchedSecret>;
  end: AbortController;
}

/** What is not streamed comes in pages, and a Secret may have a megabyte. */
const pageSize = 20;
/** Each has a connection of its own. Whoever comes after those is looked after without: in minutes, and not at once. */
const mostWatched = 1000;

export class WatchedSecrets {
  readonly #options: WatchedSecretsOptions;
  /** By what is chosen. */
  readonly #watched = new Map<string, Watched>();
  /** By holder: what is chosen for it. */
  readonly #chosen = new Map<string, string>();
  readonly #changeHandlers = new Set<(secret: ObjectKey) => void>();
  readonly #fillHandlers = new Set<(holders: ReadonlySet<string>) => void>();

  constructor(options: WatchedSecretsOptions) {
    this.#options = options;
  }

  /** `holder` is whoever needs this Secret, in the place of the one that it needed before. */
  hold(namespace: string, name: string, holder: string): void {
    const selection = this.#options.choice(namespace, name);
    const chosen = nameOf(selection);
    if (this.#chosen.get(holder) === chosen) return;
    this.letGo(holder);
    let watched = this.#watched.get(chosen);
    if (!watched) {
      if (this.#watched.size >= mostWatched) return;
      watched = this.#begin(selection);
      this.#watched.set(chosen, watched);
    }
    watched.holders.add(holder);
    this.#chosen.set(holder, chosen);
  }

  letGo(holder: string): void {
    const chosen = this.#chosen.get(holder) ?? "";
    this.#chosen.delete(holder);
    const watched = this.#watched.get(chosen);
    watched?.holders.delete(holder);
    if (watched?.holders.size !== 0) return;
    this.#watched.delete(chosen);
    watched.end.abort();
  }

  sightOf(namespace: string, name: string): Sight {
    const copy = this.#watching(namespace, name)?.copy;
    if (isForbidden(copy?.failure)) return "forbidden";
    return copy?.hasSynced ? "clear" : "none";
  }

  get(namespace: string, name: string): Stored<WatchedSecret> | undefined {
    return this.#watching(namespace, name)?.view.get(makeKey(namespace, name));
  }

  /** Changes with what the Secret holds under this key. Undefined where that cannot be seen. */
  contentOf(namespace: string, name: string, key: string): string | undefined {
    if (this.sightOf(namespace, name) !== "clear") return undefined;
    const secret = this.get(namespace, name);
    if (!secret) return "missing";
    const { uid, resourceVersion } = secret.metadata;
    return `${uid} ${secret.digests[key] ?? resourceVersion}`;
  }

  /** To be told of what this process has written: the next look comes before the watch has brought it. */
  wrote(secret: Stored<Secret>): void {
    const { namespace = "", name } = secret.metadata;
    // The view makes digests of it, as of all that the watch brings.
    this.#watching(namespace, name)?.view.wrote(secret as KubeObject as Stored<WatchedSecret>);
  }

  /** Told of each Secret that comes, changes or goes. Returns its undo. */
  onChange(handler: (secret: ObjectKey) => void): () => void {
    this.#changeHandlers.add(handler);
    return () => this.#changeHandlers.delete(handler);
  }

  /** Told who needs those that are known now: what is missing among them brings no other word. Returns its undo. */
  onFilled(handler: (holders: ReadonlySet<string>) => void): () => void {
    this.#fillHandlers.add(handler);
    return () => this.#fillHandlers.delete(handler);
  }

  #watching(namespace: string, name: string): Watched | undefined {
    return this.#watched.get(nameOf(this.#options.choice(namespace, name)));
  }

  #begin(selection: Selection): Watched {
    const { client, metrics, clock, random, log } = this.#options;
    const end = new AbortController();
    const holders = new Set<string>();
    const copy = new Informer({
      client,
      type: DigestedSecrets,
      selection,
      transform: keepDigests,
      pageSize,
      clock,
      random,
      log: log.child({ namespace: selection.namespace }),
      metrics: metrics.informer(resourceName(DigestedSecrets)),
    });
    copy.onChange(({ object }) => {
      for (const handler of this.#changeHandlers) handler(keyOf(object));
    });
    copy.synced(end.signal).then(
      () => {
        for (const handler of this.#fillHandlers) handler(holders);
      },
      () => {},
    );
    // It ends by a mistake of ours alone; then the process is to end, too, and not to work on a picture of the past.
    void copy.run(end.signal);
    return { holders, copy, view: new OwnWrites(copy, clock), end };
  }
}

function nameOf({ namespace, labelSelector, fieldSelector }: Selection): string {
  return [namespace, labelSelector, fieldSelector].join(" ");
}
