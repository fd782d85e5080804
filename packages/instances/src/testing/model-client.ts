/** The controller's way into the model cluster: what it asks for is counted, and can be made to fail. */
import type { JsonPatchOperation, KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { makeKey } from "@berg/apimachinery";
import type { Client, DeleteOptions, ListOptions } from "@berg/kube";
import type { Manifest } from "../builders/blueprint.ts";
import type { ModelCluster } from "./model-cluster.ts";

/** The process is killed: nothing that it would have done afterwards happens. */
export class Crash extends Error {}

export interface ModelRequest {
  verb: "get" | "list" | "create" | "apply" | "update" | "patch" | "delete";
  kind: string;
  name: string;
  /** The precondition of a delete. */
  uid?: string | undefined;
  /** Of a delete: without the time to end. */
  force?: boolean;
  /** What a delete would hit. */
  target?: Stored<KubeObject> | undefined;
}

export class ModelClient {
  readonly requests: ModelRequest[] = [];
  /** Called before each write: throws where it is not to happen, and returns a promise where it takes time. */
  beforeWrite: (request: ModelRequest) => void | Promise<void> = () => {};
  readonly #cluster: ModelCluster;

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
  }

  get writes(): ModelRequest[] {
    return this.requests.filter(({ verb }) => verb !== "get" && verb !== "list");
  }

  /** Only what the controller uses. */
  asClient(): Client {
    const cluster = this.#cluster;
    const client = {
      get: async (type: ResourceType, namespace: string, name: string) => {
        await this.#ask({ verb: "get", kind: type.kind, name });
        return cluster.get(type, namespace, name);
      },
      listAll: async ({ kind }: ResourceType, { namespace = "" }: ListOptions) => {
        await this.#ask({ verb: "list", kind, name: namespace });
        return { items: cluster.all(kind).filter(({ metadata }) => metadata.namespace === namespace) };
      },
      create: async (type: ResourceType, manifest: Manifest<KubeObject>) => {
        await this.#ask({ verb: "create", kind: type.kind, name: manifest.metadata.name });
        return cluster.create("controller", type, manifest);
      },
      apply: async (type: ResourceType, wanted: KubeObject) => {
        await this.#ask({ verb: "apply", kind: type.kind, name: wanted.metadata.name });
        return cluster.apply("controller", type, wanted);
      },
      update: async (type: ResourceType, object: Stored<KubeObject>) => {
        await this.#ask({ verb: "update", kind: type.kind, name: object.metadata.name });
        return cluster.updateStatus("controller", object);
      },
      patch: async (
        type: ResourceType,
        namespace: string,
        name: string,
        { operations }: { operations: JsonPatchOperation[] },
      ) => {
        await this.#ask({ verb: "patch", kind: type.kind, name });
        return cluster.patch("controller", type, { namespace, name }, operations);
      },
      delete: async (type: ResourceType, namespace: string, name: string, options: DeleteOptions = {}) => {
        const { uid, resourceVersion } = options.preconditions ?? {};
        const target = cluster.find(type, makeKey(namespace, name));
        const force = options.gracePeriodSeconds === 0;
        await this.#ask({ verb: "delete", kind: type.kind, name, uid, target, force });
        cluster.delete("controller", type, makeKey(namespace, name), { uid, resourceVersion, now: force });
      },
    };
    return client as unknown as Client;
  }

  async #ask(request: ModelRequest): Promise<void> {
    // As over a network: others get their turn before it arrives.
    await null;
    if (request.verb !== "get" && request.verb !== "list") await this.beforeWrite(request);
    this.requests.push(request);
  }
}
