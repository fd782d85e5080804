/**
 * A cluster of namespaces, workloads and ChallengeInstances in memory, whose other users act between any two requests.
 * It answers as an API server does, as far as the janitor asks: preconditions, 404, 409, finalizers. It stands for the
 * real one in properties alone, which try thousands of orders of events.
 */
import { formatTime, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";

export interface Deletion {
  kind: string;
  /** The object as it was in the moment of its deletion. */
  object: Stored<KubeObject>;
  /** Which instances there were in that moment, and when it was. */
  instances: Stored<ChallengeInstance>[];
  now: number;
}

export class ModelCluster {
  now: number;
  readonly deletions: Deletion[] = [];
  /** Called before each request is answered: what somebody else does in between. */
  meanwhile: () => void = () => {};
  #objects = new Map<string, Stored<KubeObject>>();
  #version = 1;

  constructor(now: number) {
    this.now = now;
  }

  list<T extends KubeObject>({ kind }: ResourceType<T>): Stored<T>[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind) as Stored<T>[];
  }

  put(object: Stored<KubeObject>): void {
    const resourceVersion = String(this.#version++);
    this.#objects.set(idOf(object.kind, object.metadata), {
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    });
  }

  /** Takes it away, with what is in it. */
  drop({ kind, metadata }: Stored<KubeObject>): void {
    this.#objects.delete(idOf(kind, metadata));
    if (kind !== "Namespace") return;
    for (const each of this.#objects.values()) if (each.metadata.namespace === metadata.name) this.drop(each);
  }

  get client(): Pick<Client, "get" | "delete" | "listAll"> {
    const find = (kind: string, namespace: string, name: string) => {
      this.meanwhile();
      const found = this.#objects.get(idOf(kind, { name, ...(namespace !== "" && { namespace }) }));
      if (!found) throw refusal(404, { reason: "NotFound" });
      return found;
    };
    return {
      get: async ({ kind }, namespace, name) => find(kind, namespace, name) as never,
      listAll: async (type) => {
        this.meanwhile();
        return { apiVersion: "v1", kind: "List", metadata: {}, items: this.list(type) };
      },
      delete: async ({ kind }, namespace, name, options) => {
        const found = find(kind, namespace, name);
        const { uid, resourceVersion } = options?.preconditions ?? {};
        if (uid !== undefined && uid !== found.metadata.uid) throw refusal(409, { reason: "Conflict" });
        if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion)
          throw refusal(409, { reason: "Conflict" });
        if (found.metadata.deletionTimestamp !== undefined) return;
        this.deletions.push({ kind, object: found, instances: this.list(ChallengeInstances), now: this.now });
        // A ChallengeInstance has its finalizer, a namespace takes its time, and so does a pod.
        if (kind === "Deployment") this.drop(found);
        else this.put({ ...found, metadata: { ...found.metadata, deletionTimestamp: formatTime(this.now) } });
      },
    };
  }
}

function idOf(kind: string, { namespace = "", name }: { namespace?: string; name: string }): string {
  return `${kind} ${namespace}/${name}`;
}
