import type { Stored } from "@berg/apimachinery";
import type { Client } from "../client/client.ts";
import type { ConfigMap } from "../kinds.ts";
import { storedConfigMap } from "./objects.ts";
import { refusal } from "./refusal.ts";

/** Stands in for the writing side of a server that keeps ConfigMaps, as far as children need it; and what it was asked. */
export class FakeObjects {
  readonly objects = new Map<string, Stored<ConfigMap>>();
  readonly asked: string[] = [];
  /** The bodies and options of writes. */
  readonly sent: unknown[] = [];
  /** Thrown at the next write, after `meanwhile`. */
  refusal: Error | undefined;
  /** What happens to the world right before the next write. */
  meanwhile = () => {};

  put(name: string, more: Parameters<typeof storedConfigMap>[2] & { finalizers?: string[] } = {}): Stored<ConfigMap> {
    const object = storedConfigMap(name, this.objects.size + 1, more);
    if (more.finalizers) object.metadata.finalizers = more.finalizers;
    this.objects.set(name, object);
    return object;
  }

  readonly client = {
    get: async (_: unknown, _namespace: string, name: string) => {
      this.asked.push(`get ${name}`);
      const object = this.objects.get(name);
      if (!object) throw refusal(404, { reason: "NotFound" });
      return object;
    },
    create: async (_: unknown, object: Stored<ConfigMap>, options: object) => {
      this.#write(`create ${object.metadata.name}`, object, options);
      if (this.objects.has(object.metadata.name)) throw refusal(409, { reason: "AlreadyExists" });
      return this.put(object.metadata.name, object);
    },
    apply: async (_: unknown, object: Stored<ConfigMap>, options: object) => {
      this.#write(`apply ${object.metadata.name}`, object, options);
      return this.put(object.metadata.name, { ...object, uid: object.metadata.uid });
    },
    patch: async (_: unknown, _namespace: string, name: string, patch: object, options: object) => {
      this.#write(`patch ${name}`, patch, options);
      return this.objects.get(name);
    },
    delete: async (_: unknown, _namespace: string, name: string, options: object) => {
      this.#write(`delete ${name}`, {}, options);
    },
  } as unknown as Client;

  #write(what: string, body: object, { signal: _, ...options }: { signal?: unknown }): void {
    this.meanwhile();
    this.asked.push(what);
    this.sent.push(body, options);
    if (this.refusal) throw this.refusal;
  }
}
