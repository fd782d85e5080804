import {
  apiVersionOf,
  FrameReader,
  isGone,
  type KubeList,
  type KubeObject,
  type ResourceType,
  resourceName,
  type Stored,
  type ToCreate,
  type WatchEvent,
} from "@berg/apimachinery";
import { type Clock, type Random, systemClock, systemRandom } from "../clock.ts";
import type { Connection } from "../config/connection.ts";
import { type Logger, silentLogger } from "../log.ts";
import { type Rate, TokenBucket } from "../token-bucket.ts";
import { version } from "../version.ts";
import { type Budget, keepWithin, noBudget } from "./budget.ts";
import type {
  Applied,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListAllOptions,
  ListOptions,
  LogOptions,
  Patch,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import { followLog } from "./logs.ts";
import { noRequestMetrics, type RequestMetrics } from "./metrics.ts";
import { collectionPath, listQuery, objectPath, queryOf, watchQuery } from "./paths.ts";
import { Requests } from "./requests.ts";
import type { ServerClock } from "./server-clock.ts";
import { Transport } from "./transport.ts";

export interface ClientOptions {
  connection: Connection;
  /** Which part of Berg asks, such as `controller`: it stands in the User-Agent, so audit logs can tell. */
  component?: string;
  /** Requests a second, and how many at once after a quiet time. */
  rate?: Rate;
  clock?: Clock;
  random?: Random;
  log?: Logger;
  metrics?: RequestMetrics;
  /** Set by the answers of the server. */
  serverClock?: ServerClock;
  /** For a server that is not trusted: a longer answer to a call is an error. No limit where unset. */
  largestAnswerBytes?: number;
  /** For such a server, too: of what takes several answers. No limit where unset. */
  budget?: Budget;
}

const defaultRate: Rate = { perSecond: 50, burst: 100 };

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** `const client = createClient({ connection: await loadConnection({ clock: systemClock }) })` */
export function createClient(options: ClientOptions): Client {
  const clock = options.clock ?? systemClock;
  const userAgent = `berg-${options.component ?? "client"}/${version} (node ${process.version})`;
  const { connection, serverClock, largestAnswerBytes, budget = noBudget } = options;
  const transport = new Transport(connection, userAgent, (head) => serverClock?.heard(head), largestAnswerBytes);
  const requests = new Requests({
    transport,
    bucket: new TokenBucket(clock, options.rate ?? defaultRate),
    clock,
    random: options.random ?? systemRandom,
    log: options.log ?? silentLogger,
    metrics: options.metrics ?? noRequestMetrics,
  });
  const discovery = createDiscovery(
    (path, accept, signal) => requests.json({ method: "GET", path, headers: { accept }, signal }),
    clock,
    budget,
  );
  return new RestClient(requests, discovery, budget, () => transport.close());
}

class RestClient implements Client {
  readonly discovery: Discovery;
  readonly close: () => Promise<void>;
  readonly #requests: Requests;
  readonly #budget: Budget;

  constructor(requests: Requests, discovery: Discovery, budget: Budget, close: () => Promise<void>) {
    this.#requests = requests;
    this.discovery = discovery;
    this.#budget = budget;
    this.close = close;
  }

  guarded(guard: () => void): Client {
    return new RestClient(this.#requests.guarded(guard), this.discovery, this.#budget, this.close);
  }

  async get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string, options: GetOptions = {}) {
    const query = queryOf({ resourceVersion: options.resourceVersion });
    const path = objectPath(type, namespace, name, options.subresource) + query;
    return this.#requests.json<Stored<T>>({ method: "GET", path, signal: options.signal });
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<Stored<T>>> {
    const path = collectionPath(type, options.namespace ?? "") + queryOf(listQuery(options));
    const list = await this.#requests.json<KubeList<Stored<T>>>({ method: "GET", path, signal: options.signal });
    // Go writes an empty list as null; and the items of a list come without their kind.
    list.items ??= [];
    const apiVersion = apiVersionOf(type);
    for (const item of list.items) {
      item.apiVersion ??= apiVersion;
      item.kind ??= type.kind;
    }
    return list;
  }

  async listAll<T extends KubeObject>(
    type: ResourceType<T>,
    { keep, ...options }: ListAllOptions<T> = {},
  ): Promise<KubeList<Stored<T>>> {
    const limit = options.limit ?? 500;
    const take = async (asked: ListOptions) => {
      const page = await this.list(type, asked);
      if (keep) page.items = page.items.map((item) => keep(item));
      return page;
    };
    let page = await take({ ...options, limit });
    const items = page.items;
    const most = this.#budget;
    keepWithin(items.length, most.items, "objects");
    for (let pages = 2; page.metadata.continue; pages++) {
      keepWithin(pages, most.pages, "pages");
      try {
        page = await take({ ...nextPage(options, page.metadata.continue), limit });
      } catch (error) {
        if (!isGone(error)) throw error;
        // The snapshot was compacted away between two pages. In one piece it cannot be.
        return take({ ...options, limit: undefined, continue: undefined });
      }
      keepWithin(items.length + page.items.length, most.items, "objects");
      for (const item of page.items) items.push(item);
    }
    return { ...page, items };
  }

  async watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    onEvents: (events: WatchEvent<T>[]) => void,
  ): Promise<void> {
    const frames = new FrameReader<T>();
    const deliver = (batch: { events: WatchEvent<T>[]; error?: Error }) => {
      if (batch.events.length > 0) onEvents(batch.events);
      if (batch.error) throw batch.error;
    };
    const path = collectionPath(type, options.namespace ?? "") + queryOf(watchQuery(options));
    await this.#requests.stream(
      { method: "GET", path, headers: { accept: "application/json" }, signal: options.signal },
      {
        onOpen: () => options.onOpen?.(),
        onData: (chunk) => {
          options.onBytes?.(chunk.length);
          deliver(frames.read(chunk));
        },
      },
    );
    deliver(frames.end());
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: ToCreate<T>, options: WriteOptions = {}) {
    const path = collectionPath(type, this.#namespaceOf(type, object.metadata)) + writeQuery(options);
    return this.#requests.json<Stored<T>>({
      method: "POST",
      path,
      ...json(withKind(type, object)),
      signal: options.signal,
    });
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}) {
    const { metadata } = object;
    if (!metadata.resourceVersion) {
      throw new TypeError(
        `cannot update ${resourceName(type)} "${metadata.name}": it has no resourceVersion; read it first`,
      );
    }
    const path =
      objectPath(type, this.#namespaceOf(type, metadata), metadata.name, options.subresource) + writeQuery(options);
    return this.#requests.json<Stored<T>>(
      { method: "PUT", path, ...json(withKind(type, object)), signal: options.signal },
      // Its resourceVersion makes the second of two a conflict, never a double write.
      { idempotent: true },
    );
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    patch: Patch,
    options: WriteOptions = {},
  ) {
    const path = objectPath(type, namespace, name, options.subresource) + writeQuery(options);
    const body = patch.type === "json" ? patch.operations : patch.body;
    return this.#requests.json<Stored<T>>(
      { method: "PATCH", path, ...json(body, patchTypes[patch.type]), signal: options.signal },
      { idempotent: patch.type === "merge" },
    );
  }

  async apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: Applied<T>,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ) {
    const { metadata } = object;
    const path = objectPath(type, this.#namespaceOf(type, metadata), metadata.name, options.subresource);
    return this.#requests.json<Stored<T>>(
      {
        method: "PATCH",
        path: path + writeQuery(options, { force: options.force }),
        ...json(withKind(type, object), patchTypes.apply),
        signal: options.signal,
      },
      { idempotent: true },
    );
  }

  async delete<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { preconditions } = options;
    // Sent without it, the delete would hit whatever bears the name now.
    if (preconditions && "uid" in preconditions && !preconditions.uid) {
      throw new TypeError(`cannot delete ${resourceName(type)} "${name}": preconditions.uid is empty; read it first`);
    }
    const path = objectPath(type, namespace, name);
    await this.#requests.json(
      { method: "DELETE", path, ...json(deleteBody(options)), signal: options.signal },
      // Without a UID the second try could hit an object that was made anew under the same name.
      { idempotent: preconditions?.uid !== undefined },
    );
  }

  async deleteCollection<T extends KubeObject>(
    type: ResourceType<T>,
    options: ListOptions & Omit<DeleteOptions, "preconditions">,
  ): Promise<Stored<T>[]> {
    // A namespace that is missing by mistake would mean those of everybody.
    if (type.namespaced && !options.namespace) {
      throw new TypeError(`cannot delete a collection of ${resourceName(type)}: it needs a namespace`);
    }
    const path = collectionPath(type, options.namespace ?? "") + queryOf(listQuery(options));
    const request = { method: "DELETE", path, ...json(deleteBody(options)), signal: options.signal } as const;
    return (await this.#requests.json<{ items?: Stored<T>[] }>(request)).items ?? [];
  }

  async createSubresource<Out>(
    type: ResourceType,
    namespace: string,
    name: string,
    subresource: string,
    body: object,
    options: WriteOptions = {},
  ): Promise<Out> {
    const path = objectPath(type, namespace, name, subresource) + writeQuery(options);
    return this.#requests.json<Out>({ method: "POST", path, ...json(body), signal: options.signal });
  }

  logs(namespace: string, pod: string, options: LogOptions = {}): AsyncIterable<string> {
    return followLog((request, receiver) => this.#requests.stream(request, receiver), namespace, pod, options);
  }

  raw(path: string, options: CallOptions = {}): Promise<string> {
    return this.#requests.text({ method: "GET", path, signal: options.signal });
  }

  #namespaceOf(type: ResourceType, metadata: { namespace?: string | undefined }): string {
    if (!type.namespaced) return "";
    if (!metadata.namespace) throw new TypeError(`cannot write ${resourceName(type)}: metadata.namespace is missing`);
    return metadata.namespace;
  }
}

// The version is part of the continue token; sent beside it, it is refused.
function nextPage(options: ListOptions, token: string): ListOptions {
  return { ...options, continue: token, resourceVersion: undefined, resourceVersionMatch: undefined };
}

function withKind(type: ResourceType, object: object): object {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

function json(body: object, contentType = "application/json") {
  return { body: JSON.stringify(body), headers: { "content-type": contentType } };
}

function writeQuery(options: WriteOptions, more: { force?: boolean | undefined } = {}): string {
  return queryOf({
    dryRun: options.dryRun ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: more.force,
  });
}

function deleteBody(options: DeleteOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: options.preconditions,
    propagationPolicy: options.propagationPolicy,
    gracePeriodSeconds: options.gracePeriodSeconds,
    dryRun: options.dryRun ? ["All"] : undefined,
  };
}
