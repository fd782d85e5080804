/** ConfigMaps that come, change and go, each write remembered until somebody else has heard of it. */

import type { Stored } from "@berg/apimachinery";
import type { Client, ConfigMap, Random } from "@berg/kube";
import { ConfigMaps } from "@berg/kube";

const names = 300;

export class Churn {
  readonly namespace: string;
  /** Written, and to be heard of. */
  readonly revisions = new Set<string>();
  readonly gone = new Set<string>();
  writes = 0;
  readonly #client: Client;
  readonly #random: Random;
  readonly #there = new Map<string, Stored<ConfigMap>>();

  constructor(client: Client, namespace: string, random: Random) {
    this.#client = client;
    this.namespace = namespace;
    this.#random = random;
  }

  /** One write, of somebody who is there or not. */
  async step(): Promise<void> {
    this.writes++;
    const name = `one-${Math.floor(this.#random() * names)}`;
    const before = this.#there.get(name);
    // Whoever comes next must not take it for what it was.
    this.#there.delete(name);
    const data = { write: `${this.writes}`, text: "ä".repeat(Math.floor(this.#random() * 2000)) };
    if (!before)
      return this.#keep(await this.#client.create(ConfigMaps, { metadata: { namespace: this.namespace, name }, data }));
    if (this.#random() < 0.7) return this.#keep(await this.#client.update(ConfigMaps, { ...before, data }));
    await this.#client.delete(ConfigMaps, this.namespace, name);
    this.gone.add(before.metadata.uid);
  }

  #keep(written: Stored<ConfigMap>): void {
    this.#there.set(written.metadata.name, written);
    this.revisions.add(written.metadata.resourceVersion);
  }
}
