import { isDeepStrictEqual } from "node:util";
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { Change, Client, Informer } from "@berg/kube";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";

/**
 * Follows an informer from its start and keeps what it promised: the lives it told of, checked as they come.
 *
 * Every UID is added once and deleted at most once, is updated only in between, and two lives of one name never overlap.
 */
export class Witness<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #alive = new Map<string, string>();
  readonly #dead = new Set<string>();
  readonly broken: string[] = [];
  readonly story: string[] = [];

  constructor(informer: Informer<T>) {
    this.#informer = informer;
    informer.onChange((change) => this.#note(change));
  }

  /** Lives that were begun and ended. */
  get ended(): number {
    return this.#dead.size;
  }

  #note({ type, object }: Change<T>): void {
    const { uid, name, namespace = "" } = object.metadata;
    const key = `${namespace}/${name}`;
    this.story.push(`${type} ${name}`);
    const fault = (what: string) => this.broken.push(`${type} ${key} ${uid}: ${what}`);
    if (this.#dead.has(uid)) fault("it was deleted before");
    if (type === "added") {
      if (this.#alive.get(key)) fault("the name is still taken");
      this.#alive.set(key, uid);
      return;
    }
    if (this.#alive.get(key) !== uid) fault("it was not added");
    if (type === "deleted") {
      this.#alive.delete(key);
      this.#dead.add(uid);
    }
  }

  /** Waits until the informer's copy is what the server has, then checks every promise. */
  async agreesWith(client: Client, namespace: string, withinMs = 60_000): Promise<void> {
    let want: string[] = [];
    let got: string[] = [];
    const agree = async () => {
      const list = await client.listAll(this.#informer.type, { namespace });
      want = list.items.map(identity).sort();
      got = this.#informer.list().map(identity).sort();
      return isDeepStrictEqual(got, want);
    };
    // What differs says more than that it differs.
    await eventually("the informer agrees with the server", agree, withinMs).catch(() => expect(got).toEqual(want));
    expect(this.broken).toEqual([]);
    expect([...this.#alive.values()].sort()).toEqual(
      this.#informer
        .list()
        .map((object) => object.metadata.uid)
        .sort(),
    );
  }
}

function identity({ metadata }: Stored<KubeObject>): string {
  return `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
}
