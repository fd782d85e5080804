/** How the gardenlet reads and writes Shoots of its garden: past the front, and without anybody's word in between. */
import { isNotFound, type Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { Shoots, type TestShoot, type TestShootStatus } from "../kinds.ts";
import { statusLabel, statusLabelOf } from "./health.ts";

export class GardenShoots {
  readonly client: Client;
  readonly namespace: string;

  constructor({ client, namespace }: { client: Client; namespace: string }) {
    this.client = client;
    this.namespace = namespace;
  }

  read(name: string): Promise<Stored<TestShoot> | undefined> {
    return this.client.get(Shoots, this.namespace, name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async patch(name: string, metadata: object): Promise<void> {
    await this.client.patch(Shoots, this.namespace, name, { type: "merge", body: { metadata } });
  }

  /** Writes a part of the status; the label that care keeps follows it. */
  async writeStatus(name: string, part: (old: TestShoot) => TestShootStatus): Promise<void> {
    const old = await this.read(name);
    if (!old) return;
    const { uid } = old.metadata;
    const body = { metadata: { uid }, status: part(old) };
    const options = { subresource: "status" };
    const written = await this.client.patch(Shoots, this.namespace, name, { type: "merge", body }, options);
    const label = statusLabelOf(written.status ?? {});
    if (written.metadata.labels?.[statusLabel] !== label)
      await this.patch(name, { uid, labels: { [statusLabel]: label } });
  }
}
