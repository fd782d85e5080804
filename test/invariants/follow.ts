/** Watches everything that an instance is made of, and keeps every version of it. */
import type { KubeList, KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { type Change, type Client, Informer } from "@berg/kube";
import { eventually } from "../runtime/eventually.ts";
import type { Observed } from "./record.ts";

const groups = new Set([
  "",
  "apps",
  "policy",
  "networking.k8s.io",
  "berg.norelect.ch",
  "cilium.io",
  "gateway.networking.k8s.io",
]);

/** Not part of any instance, without a watch, or changing all the time. */
const left = new Set([
  "nodes",
  "componentstatuses",
  "bindings",
  "endpoints",
  "persistentvolumes",
  "ipaddresses",
  "servicecidrs",
]);

/** What we ask about every kind alike. */
const whole = <T>(object: T) => object;

export class Followed {
  readonly changes: Observed[] = [];
  /** The newest version that has come of each UID. */
  readonly #seen = new Map<string, number>();
  /** … and of all of them. */
  #newest = 0;
  readonly #client: Client;
  readonly #informers: Informer<KubeObject>[] = [];
  readonly #stopping = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Of the kinds that the server serves now. */
  static async start(client: Client): Promise<Followed> {
    const followed = new Followed(client);
    const kinds = new Map<string, ResourceType>();
    for (const type of await client.discovery.all()) {
      const kind = `${type.group}/${type.kind}`;
      // The version that the server prefers comes first, and one is enough.
      if (groups.has(type.group) && !left.has(type.resource) && !kinds.has(kind)) kinds.set(kind, type);
    }
    await followed.#follow([...kinds.values()]);
    return followed;
  }

  async #follow(types: ResourceType[]): Promise<void> {
    for (const type of types) {
      const informer = new Informer({ client: this.#client, type, transform: whole });
      informer.onChange((change) => this.#note(type.resource, change));
      this.#informers.push(informer);
    }
    this.#ended = Promise.all(this.#informers.map((informer) => informer.run(this.#stopping.signal)));
    await Promise.all(this.#informers.map((informer) => informer.synced()));
  }

  #note(resource: string, { type, object }: Change<KubeObject>): void {
    const { metadata } = object;
    const version = revision(metadata);
    const change = { type, resource, at: performance.now() };
    // It has no version of its own, and happened after all that was seen.
    if (type === "deleted" && this.#seen.get(metadata.uid) === version) {
      const gone = { ...object, metadata: { ...metadata, resourceVersion: String(this.#newest) } };
      this.changes.push({ ...change, object: gone, isMissed: true });
      return;
    }
    this.#newest = Math.max(this.#newest, version);
    this.#seen.set(metadata.uid, version);
    this.changes.push({ ...change, object });
  }

  /** The copy of one resource that follows it: `informer("challengeinstances")`. */
  informer(resource: string): Informer<KubeObject> {
    const found = this.#informers.find(({ type }) => type.resource === resource);
    if (!found) throw new Error(`${resource} are not followed: does the server serve them?`);
    return found;
  }

  get resources(): readonly Informer<KubeObject>[] {
    return this.#informers;
  }

  /** Waits until every change that the server has made before is here. */
  async caughtUp(): Promise<void> {
    await Promise.all(
      this.#informers.map(async (informer) => {
        const list = await this.#client.listAll(informer.type);
        await eventually(`the watch of ${informer.type.resource} catches up`, () => this.#has(informer, list));
      }),
    );
  }

  #has(informer: Informer<KubeObject>, { items, metadata }: KubeList<Stored<KubeObject>>): boolean {
    const isHere = (object: Stored<KubeObject>) =>
      (this.#seen.get(object.metadata.uid) ?? 0) >= revision(object.metadata);
    const listed = new Set(items.map((object) => object.metadata.uid));
    const isNewer = (object: Stored<KubeObject>) => revision(object.metadata) > revision(metadata);
    return items.every(isHere) && informer.list().every((object) => listed.has(object.metadata.uid) || isNewer(object));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }
}

function revision({ resourceVersion }: { resourceVersion?: string }): number {
  return Number(resourceVersion);
}
