/**
 * Records in the cluster: each is a part of its ChallengeInstance's status, and goes with it. Reads are of a cache; a
 * write is made only where something changes, so a record that is settled costs no request.
 *
 * A write is a merge patch with the version that was seen. Server-side apply would not do: it drops what the same field
 * manager applied before and does not name now, and the listener applies its condition to the same status. The version
 * also tells an instance that was deleted and made again from the one that was meant.
 */
import { isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import type { Client, OwnWrites } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, fieldManagers, type InstanceRuntime } from "@berg/resources";
import type { Life, RuntimeRecord, RuntimeRecords } from "../runtime-records.ts";
import { hasBegun, lived, recordOf, stopped, withPod } from "./runtime.ts";

export interface ClusterRecordsOptions {
  client: Pick<Client, "get" | "patch">;
  /** All ChallengeInstances, with what this process wrote itself. */
  instances: Pick<OwnWrites<ChallengeInstance>, "list" | "byIndex" | "ensureIndex" | "wrote">;
}

/** At each conflict somebody else got something done; as many in a row mean that something writes without end. */
const mostAttempts = 20;

const uidIndex = "records-uid";

/**
 *     const instances = new OwnWrites(informer, clock);
 *     await using records = new ClusterRecords({ client, instances });
 */
export class ClusterRecords implements RuntimeRecords {
  readonly #client: ClusterRecordsOptions["client"];
  readonly #instances: ClusterRecordsOptions["instances"];
  /** The last write of each instance that is under way, by its UID: this process does not run into itself. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor({ client, instances }: ClusterRecordsOptions) {
    this.#client = client;
    this.#instances = instances;
    instances.ensureIndex(uidIndex, ({ metadata }) => [metadata.uid ?? ""]);
  }

  async live(life: Life, signal?: AbortSignal): Promise<boolean> {
    const isChanged = await this.#change(life.uid, (runtime) => lived(runtime, life), signal);
    return isChanged !== undefined;
  }

  async pod(
    uid: string,
    container: string,
    seen: { uid: string; restarts: number },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#change(uid, (runtime) => withPod(runtime, container, seen), signal);
  }

  async stop(uid: string, at: number, signal?: AbortSignal): Promise<boolean> {
    const isChanged = await this.#change(uid, (runtime) => stopped(runtime, at), signal);
    return isChanged ?? false;
  }

  async get(uid: string): Promise<RuntimeRecord | undefined> {
    const instance = this.#find(uid);
    return instance && recordOf(instance);
  }

  async open(): Promise<RuntimeRecord[]> {
    const records = this.#instances.list().flatMap((instance) => recordOf(instance) ?? []);
    return records.filter(({ status }) => status !== "STOPPED");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }

  #find(uid: string): Stored<ChallengeInstance> | undefined {
    return this.#instances.byIndex(uidIndex, uid)[0];
  }

  /** Whether anything was changed; undefined where there is no instance, or none that has begun. */
  async #change(uid: string, next: Next, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const before = this.#underWay.get(uid);
    const change = (before ?? Promise.resolve()).then(() => this.#write(uid, next, signal));
    const settled = change.catch(() => {});
    this.#underWay.set(uid, settled);
    try {
      return await change;
    } finally {
      if (this.#underWay.get(uid) === settled) this.#underWay.delete(uid);
    }
  }

  async #write(uid: string, next: Next, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    let instance = this.#find(uid);
    for (let attempt = 1; instance; attempt++) {
      signal?.throwIfAborted();
      if (!hasBegun(instance.status)) return undefined;
      const runtime = next(instance.status.runtime);
      if (!runtime) return false;
      try {
        this.#instances.wrote(await this.#patch(instance, runtime, signal));
        return true;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isConflict(error) || attempt === mostAttempts) throw error;
        instance = await this.#readAgain(instance, signal);
      }
    }
    return undefined;
  }

  #patch(
    { metadata: { namespace = "", name, resourceVersion } }: Stored<ChallengeInstance>,
    runtime: InstanceRuntime,
    signal: AbortSignal | undefined,
  ): Promise<Stored<ChallengeInstance>> {
    // What is null goes: a merge leaves what it does not name.
    const whole = { reservedUntil: null, stoppedAt: null, ...runtime };
    const patch = { type: "merge", body: { metadata: { resourceVersion }, status: { runtime: whole } } } as const;
    const options = { subresource: "status", fieldManager: fieldManagers.listener, signal };
    return this.#client.patch(ChallengeInstances, namespace, name, patch, options);
  }

  /** As it is now; undefined where it is gone, or another has its name. */
  async #readAgain(
    { metadata: { namespace = "", name, uid } }: Stored<ChallengeInstance>,
    signal: AbortSignal | undefined,
  ): Promise<Stored<ChallengeInstance> | undefined> {
    try {
      const instance = await this.#client.get(ChallengeInstances, namespace, name, { signal });
      if (instance.metadata.uid !== uid) return undefined;
      this.#instances.wrote(instance);
      return instance;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

type Next = (runtime: InstanceRuntime | undefined) => InstanceRuntime | undefined;
