import { FrameError, initialEventsEnd, type Stored, type WatchEvent } from "@berg/apimachinery";
import type { Client, ListAllOptions, ListOptions, WatchOptions } from "../client/client.ts";
import { ConnectionError } from "../client/transport.ts";
import type { ConfigMap } from "../kinds.ts";
import { storedConfigMap } from "./objects.ts";
import { refusal } from "./refusal.ts";

interface Follower {
  readonly onEvents: (events: WatchEvent<ConfigMap>[]) => void;
  readonly options: WatchOptions;
  readonly end: (error?: Error) => void;
  frozen: boolean;
}

type Happened = Extract<WatchEvent<ConfigMap>, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

/**
 * Stands in for an API server that keeps ConfigMaps: versions, history, lists, watches and their faults, without a
 * network. Nothing here is proof of how a real server behaves; test/runtime has that one.
 */
export class FakeServer {
  readonly objects = new Map<string, Stored<ConfigMap>>();
  /** Answers nothing while it is set. */
  down = false;
  streamsLists = true;
  /** Keeps watches open whose callers have left. */
  ignoresAborts = false;
  /** Thrown at whoever lists or watches. */
  refusal: Error | undefined;
  readonly #followers = new Set<Follower>();
  #history: Happened[] = [];
  #version = 10;
  #lives = 0;

  get watches(): number {
    return this.#followers.size;
  }

  put(name: string, data: Record<string, string>): void {
    const old = this.objects.get(name);
    const uid = old?.metadata.uid ?? `${name}-${++this.#lives}`;
    const object = storedConfigMap(name, ++this.#version, { uid, data });
    this.objects.set(name, object);
    this.#happen({ type: old ? "MODIFIED" : "ADDED", object });
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    if (!old) return;
    this.objects.delete(name);
    const metadata = { ...old.metadata, resourceVersion: String(++this.#version) };
    this.#happen({ type: "DELETED", object: { ...old, metadata } });
  }

  bookmark(): void {
    for (const follower of this.#followers) this.#send(follower, [bookmark(this.#version)]);
  }

  /** Ends every watch: in order without an error. */
  endWatches(error?: Error): void {
    for (const follower of [...this.#followers]) follower.end(error);
  }

  cutWatches(): void {
    this.endWatches(new ConnectionError("the connection was reset", { sent: true, cause: undefined }));
  }

  garbleWatches(): void {
    this.endWatches(new FrameError("not-json", { frame: 1, offset: 0 }, "it is not JSON"));
  }

  /** Leaves every watch open, and sends nothing more on it. */
  freezeWatches(): void {
    for (const follower of this.#followers) follower.frozen = true;
  }

  /** Forgets how things came to be as they are. */
  compact(): void {
    this.#history = [];
  }

  readonly client = {
    list: async (_: unknown, { signal }: ListOptions = {}) => this.#list(signal),
    listAll: async (_: unknown, { signal, keep = (object) => object }: ListAllOptions<ConfigMap> = {}) => {
      const list = await this.#list(signal);
      return { ...list, items: list.items.map(keep) };
    },
    watch: (_: unknown, options: WatchOptions, onEvents: Follower["onEvents"]) => this.#watch(options, onEvents),
  } as unknown as Client;

  async #list(signal: AbortSignal | undefined) {
    // A real one answers in a later turn, when more may have happened.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    this.#check();
    const items = [...this.objects.values()].map((object) => structuredClone(object));
    return { metadata: { resourceVersion: String(this.#version) }, items };
  }

  async #watch(options: WatchOptions, onEvents: Follower["onEvents"]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    this.#check();
    const backlog = options.sendInitialEvents ? this.#initial() : this.#since(Number(options.resourceVersion));
    options.onOpen?.();
    await new Promise<void>((resolve, reject) => {
      const leave = () => this.ignoresAborts || follower.end(options.signal?.reason);
      const end = (error?: Error) => {
        this.#followers.delete(follower);
        options.signal?.removeEventListener("abort", leave);
        if (error) reject(error);
        else resolve();
      };
      const follower: Follower = { onEvents, options, end, frozen: false };
      this.#followers.add(follower);
      options.signal?.addEventListener("abort", leave, { once: true });
      if (backlog.length > 0) this.#send(follower, backlog);
    });
  }

  #initial(): WatchEvent<ConfigMap>[] {
    if (!this.streamsLists) throw refusal(422, { reason: "Invalid" });
    const objects = [...this.objects.values()].map((object) => ({ type: "ADDED", object }) as const);
    return [...objects, bookmark(this.#version, { [initialEventsEnd]: "true" })];
  }

  #since(version: number): WatchEvent<ConfigMap>[] {
    const missed = this.#history.filter(({ object }) => Number(object.metadata.resourceVersion) > version);
    // Versions come one by one: as many must be there as there were since.
    if (missed.length < this.#version - version) throw refusal(410, { reason: "Expired" });
    return missed;
  }

  #check(): void {
    if (this.down) throw new ConnectionError("the connection was refused", { sent: false, cause: undefined });
    if (this.refusal) throw this.refusal;
  }

  #happen(event: Happened): void {
    this.#history.push(event);
    for (const follower of this.#followers) this.#send(follower, [event]);
  }

  #send(follower: Follower, events: WatchEvent<ConfigMap>[]): void {
    if (follower.frozen) return;
    try {
      follower.options.onBytes?.(1);
      follower.onEvents(structuredClone(events));
    } catch (error) {
      follower.end(error as Error);
    }
  }
}

function bookmark(version: number, annotations?: Record<string, string>): WatchEvent<ConfigMap> {
  const metadata = { resourceVersion: String(version), ...(annotations && { annotations }) };
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "ConfigMap", metadata } };
}
