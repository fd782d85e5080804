/** Writes to each object what became of it, and nothing where it says so already. */
import { isNotFound, type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, type OptionalInformer, timestamp } from "@berg/kube";
import type { Gateway, GatewayClass, HttpRoute, Route } from "../kinds.ts";
import type { WantedStatuses } from "../routing/statuses.ts";
import { classStatus, gatewayStatus, routeStatus } from "./written-status.ts";

export interface GatewayKinds {
  classes: OptionalInformer<GatewayClass>;
  gateways: OptionalInformer<Gateway>;
  httpRoutes: OptionalInformer<HttpRoute>;
  tlsRoutes: OptionalInformer<Route>;
}

export interface StatusWriterOptions {
  client: Client;
  clock: Clock;
  kinds: GatewayKinds;
}

const nothingWanted: WantedStatuses = {
  classes: new Map(),
  gateways: new Map(),
  httpRoutes: new Map(),
  tlsRoutes: new Map(),
};

export type KindName = keyof GatewayKinds;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #wanted = nothingWanted;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Returns the keys of those that say something else now. */
  want(wanted: WantedStatuses): string[] {
    this.#wanted = wanted;
    const names = Object.keys(this.#options.kinds) as KindName[];
    return names.flatMap((name) => {
      const objects: Stored<KubeObject>[] = this.#options.kinds[name].list();
      const differing = objects.filter((object) => this.#missing(name, keyOf(object)) !== undefined);
      return differing.map((object) => statusKey(name, object));
    });
  }

  async write(key: string, signal: AbortSignal): Promise<undefined> {
    const [name, objectKey] = splitAtColon(key);
    const kind = this.#options.kinds[name] as unknown as OptionalInformer<KubeObject>;
    const type = kind.informer?.type;
    const object = kind.get(objectKey);
    const status = this.#missing(name, objectKey);
    if (!type || !object || !status) return;
    try {
      // With the version that was read: what others wrote meanwhile is not lost.
      await this.#options.client.update(type, { ...object, status } as KubeObject, { subresource: "status", signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The status that has to be written, if any. Where the object has changed since, it is about to be looked at. */
  #missing(name: KindName, key: string): object | undefined {
    const { kinds, clock } = this.#options;
    const now = timestamp(clock);
    const generation = kinds[name].get(key)?.metadata.generation;
    if (this.#wanted[name].get(key)?.generation !== generation) return undefined;
    switch (name) {
      case "classes": {
        const [object, wanted] = [kinds.classes.get(key), this.#wanted.classes.get(key)];
        return object && wanted && classStatus(object, wanted, now);
      }
      case "gateways": {
        const [object, wanted] = [kinds.gateways.get(key), this.#wanted.gateways.get(key)];
        return object && wanted && gatewayStatus(object, wanted, now);
      }
      case "httpRoutes":
      case "tlsRoutes": {
        const [object, wanted] = [kinds[name].get(key), this.#wanted[name].get(key)];
        return object && wanted && routeStatus(object, wanted, now);
      }
    }
  }
}

export function statusKey(name: KindName, object: Stored<KubeObject>): string {
  return `${name}:${keyOf(object)}`;
}

function splitAtColon(key: string): [KindName, string] {
  const colon = key.indexOf(":");
  return [key.slice(0, colon) as KindName, key.slice(colon + 1)];
}
