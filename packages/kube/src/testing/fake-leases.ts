import type { Stored } from "@berg/apimachinery";
import type { Client } from "../client/client.ts";
import type { Lease } from "../kinds.ts";
import { refusal } from "./refusal.ts";

/** How one call travels: `arrive` is the moment it takes effect on the server. */
export type Network = <T>(call: { verb: string; arrive: () => T; signal: AbortSignal }) => Promise<T>;

/**
 * Stands in for an API server that keeps one Lease: resourceVersion, uid and the refusals as the real one has them.
 * Nothing here is proof of how a real server behaves.
 */
export class FakeLeases {
  lease: Stored<Lease> | undefined;
  /** Every call that took effect, such as `update a`: the verb, and the holder that was written. */
  readonly calls: string[] = [];
  #version = 100;
  #uid = 0;

  client(network: Network = async ({ arrive }) => arrive()): Client {
    const call = <T>(verb: string, signal: AbortSignal | undefined, arrive: () => T): Promise<T> => {
      const travelling = signal ?? new AbortController().signal;
      if (travelling.aborted) return Promise.reject(travelling.reason);
      return Promise.race([network({ verb, arrive, signal: travelling }), aborted(travelling)]);
    };
    const partial: Pick<Client, "get" | "create" | "update"> = {
      get: (_type, _namespace, _name, options) => call("get", options?.signal, () => this.#get() as never),
      create: (_type, object, options) => call("create", options?.signal, () => this.#create(object as Lease) as never),
      update: (_type, object, options) => call("update", options?.signal, () => this.#update(object as never) as never),
    };
    return partial as Client;
  }

  /** What a person does with `kubectl edit`. */
  edit(spec: Lease["spec"]): void {
    this.lease &&= this.#stored({ ...this.lease, spec: { ...this.lease.spec, ...spec } }, this.lease.metadata.uid);
  }

  put(spec: Lease["spec"], labels: Record<string, string> = {}): void {
    const metadata = { name: "berg", namespace: "ctf", labels };
    this.lease = this.#stored({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, ...(spec && { spec }) });
  }

  delete(): void {
    this.lease = undefined;
  }

  #get(): Stored<Lease> {
    this.calls.push("get");
    if (!this.lease) throw refusal(404, { reason: "NotFound" });
    return structuredClone(this.lease);
  }

  #create(lease: Lease): Stored<Lease> {
    if (this.lease) throw refusal(409, { reason: "AlreadyExists" });
    this.calls.push(`create ${lease.spec?.holderIdentity ?? ""}`);
    this.lease = this.#stored(lease);
    return structuredClone(this.lease);
  }

  #update(lease: Stored<Lease>): Stored<Lease> {
    const { uid, resourceVersion } = lease.metadata;
    // Leases can be created by PUT, but one with a uid is then a conflict, not a 404.
    if (this.lease?.metadata.uid !== uid || this.lease.metadata.resourceVersion !== resourceVersion)
      throw refusal(409, { reason: "Conflict" });
    this.calls.push(`update ${lease.spec?.holderIdentity ?? ""}`);
    this.lease = this.#stored(lease, uid);
    return structuredClone(this.lease);
  }

  #stored(lease: Lease, uid = `uid-${++this.#uid}`): Stored<Lease> {
    const filled = { creationTimestamp: "2026-01-01T00:00:00Z", resourceVersion: String(++this.#version), uid };
    return structuredClone({ ...lease, metadata: { ...lease.metadata, ...filled } });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
