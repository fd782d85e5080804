/** Watches every kind whose objects can be deleted, and keeps the graph true. Kinds come and go. */
import { apiVersionOf, type KubeObject, type ResourceType, resourceName } from "@berg/apimachinery";
import { type Change, type Client, type Clock, Informer, type Logger } from "@berg/kube";
import type { Served, ServedKind } from "../served/read-served.ts";
import { onlyMetadata } from "../served/served-kinds.ts";
import type { Affected, Graph } from "./graph.ts";

interface Monitor {
  kind: ServedKind;
  informer: Informer<KubeObject>;
  end(): void;
}

export interface MonitorsOptions {
  client: Client;
  clock: Clock;
  log: Logger;
  graph: Graph;
  onAffected(uids: Affected): void;
}

/** Many, short-lived, and owners of nothing. */
const ignored = new Set(["events", "events.events.k8s.io"]);

export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** Whether word of this kind comes by itself. */
  has(type: ResourceType): boolean {
    return this.#monitors.get(resourceName(type))?.informer.hasSynced ?? false;
  }

  /** Begins to watch what is new, and leaves what is gone. What could not be read is neither. */
  sync({ kinds, unread }: Served): void {
    const wanted = new Map(kinds.filter(isCollectable).map((kind) => [resourceName(kind), kind]));
    for (const [name, { kind, end }] of this.#monitors) {
      if (isSame(wanted.get(name), kind) || unread.includes(apiVersionOf(kind))) continue;
      this.#monitors.delete(name);
      end();
    }
    for (const [name, kind] of wanted) {
      if (!this.#monitors.has(name)) this.#monitors.set(name, this.#begin(kind));
    }
  }

  /** Resolves when all that is there has been seen once. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.synced(signal)));
  }

  stop(): void {
    for (const { end } of this.#monitors.values()) end();
    this.#monitors.clear();
  }

  #begin(kind: ServedKind): Monitor {
    const { client, clock, log, graph, onAffected } = this.#options;
    const informer = new Informer<KubeObject>({ client, type: kind, transform: onlyMetadata, clock, log });
    const undo = informer.onChange((change: Change<KubeObject>) => {
      const { object } = change;
      onAffected(change.type === "deleted" ? graph.remove(object.metadata.uid) : graph.put({ kind, object }));
    });
    const stop = new AbortController();
    const run = informer.run(stop.signal);
    run.catch((error) => log.error({ resource: kind.resource, error: String(error) }, "a monitor ended"));
    const end = () => {
      undo();
      stop.abort();
      // Not as deletions: who knows what became of them.
      for (const object of informer.list()) graph.forget(object.metadata.uid);
    };
    return { kind, informer, end };
  }
}

function isCollectable(kind: ServedKind): boolean {
  const verbs = ["delete", "list", "watch"];
  return kind.preferred && verbs.every((verb) => kind.verbs.includes(verb)) && !ignored.has(resourceName(kind));
}

function isSame(a: ServedKind | undefined, b: ServedKind): boolean {
  return a?.version === b.version && a.kind === b.kind && a.namespaced === b.namespaced;
}
