import type { KubeList, KubeObject, ResourceType, Stored, ToCreate, WatchEvent } from "@berg/apimachinery";
import type { Discovery } from "./discovery.ts";

/**
 * Calls to one API server, typed by resource descriptors.
 *
 * Every method rejects with a StatusError where the server refused, and with the signal's reason where it was aborted.
 * The namespace of a cluster-scoped resource is `""`.
 */
export interface Client {
  readonly discovery: Discovery;

  get<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    options?: GetOptions,
  ): Promise<Stored<T>>;

  /** One page: as much as `limit` allows. `listAll` follows `continue`. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<Stored<T>>>;
  listAll<T extends KubeObject>(type: ResourceType<T>, options?: ListAllOptions<T>): Promise<KubeList<Stored<T>>>;

  /** Hands each frame to `onEvents` in order, until the server ends the stream (resolves) or it breaks (rejects). */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    onEvents: (events: WatchEvent<T>[]) => void,
  ): Promise<void>;

  create<T extends KubeObject>(
    type: ResourceType<T>,
    object: ToCreate<T>,
    options?: Omit<WriteOptions, "subresource">,
  ): Promise<Stored<T>>;

  /** Replaces the object; it must carry the resourceVersion that was read. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<Stored<T>>;

  patch<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>>;

  /** Server-side apply: makes the fields given here ours and as given, and leaves all others alone. */
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: Applied<T>,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ): Promise<Stored<T>>;

  /** Resolves when the server has accepted it; the object may stay until its finalizers and its grace period are over. */
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    options?: DeleteOptions,
  ): Promise<void>;
  /** What the server says that it has found and accepted to delete. */
  deleteCollection<T extends KubeObject>(
    type: ResourceType<T>,
    options: ListOptions & Omit<DeleteOptions, "preconditions">,
  ): Promise<Stored<T>[]>;

  /** POSTs to a subresource that makes something: `token` of a service account, `eviction` or `binding` of a pod. */
  createSubresource<Out>(
    type: ResourceType,
    namespace: string,
    name: string,
    subresource: string,
    body: object,
    options?: WriteOptions,
  ): Promise<Out>;

  /** The text of a container's log, as it comes; ends with the log or, when following, with the container. */
  logs(namespace: string, pod: string, options?: LogOptions): AsyncIterable<string>;

  /** A path of the server that is no resource, such as `/version` or `/readyz`. */
  raw(path: string, options?: CallOptions): Promise<string>;

  /**
   * The same client, calling `guard` right before the bytes of a writing request go out; what it throws stops that
   * request. A leader's guard is its lease, so that a process that slept past it writes nothing when it wakes.
   */
  guarded(guard: () => void): Client;

  /** Ends open watches and calls, and closes every connection. */
  close(): Promise<void>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  subresource?: string | undefined;
  /** `"0"` allows an answer from the server's cache; unset asks for the newest. */
  resourceVersion?: string | undefined;
}

export interface Selection {
  /** All namespaces when unset. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selection {
  limit?: number | undefined;
  continue?: string | undefined;
  resourceVersion?: string | undefined;
  resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface ListAllOptions<T extends KubeObject> extends ListOptions {
  /** Called with each object as its page comes. Of pages that came, no more is held than what it returns. */
  keep?: ((object: Stored<T>) => Stored<T>) | undefined;
}

export interface WatchOptions extends CallOptions, Selection {
  resourceVersion?: string | undefined;
  resourceVersionMatch?: "NotOlderThan" | undefined;
  timeoutSeconds?: number | undefined;
  allowWatchBookmarks?: boolean | undefined;
  sendInitialEvents?: boolean | undefined;
  /** Called with every piece that arrives, even of an unfinished frame: a sign of life. */
  onBytes?: ((count: number) => void) | undefined;
  /** Called once, when the server has accepted the watch. */
  onOpen?: (() => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  /** `status`, `scale`, …: writes that part of the object alone. */
  subresource?: string | undefined;
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

export interface DeleteOptions extends CallOptions {
  preconditions?: { uid?: string | undefined; resourceVersion?: string };
  propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  gracePeriodSeconds?: number | undefined;
  dryRun?: boolean | undefined;
}

export type Patch =
  | { type: "json"; operations: readonly object[] }
  | { type: "merge"; body: object }
  | { type: "strategic"; body: object };

/** Part of an object: its name, and whatever of it the caller wants to own. */
export type Applied<T extends KubeObject> = Partial<Omit<T, "metadata">> & {
  metadata: Partial<T["metadata"]> & { name: string };
};

export interface LogOptions extends CallOptions {
  container?: string | undefined;
  follow?: boolean | undefined;
  previous?: boolean | undefined;
  tailLines?: number | undefined;
  sinceSeconds?: number | undefined;
  timestamps?: boolean | undefined;
}
