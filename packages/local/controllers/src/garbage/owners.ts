/** What the owners of an object are at this moment, by the server's word where the graph does not know for sure. */
import { apiVersionOf, isNotFound, type KubeObject, type OwnerReference, type Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import type { Served } from "../served/read-served.ts";
import type { OwnerState } from "./decide.ts";
import { isDeletingDependents } from "./graph.ts";

/** The kind that a reference names is not served: now, not yet, or no more. Nothing is known about such an owner. */
export class UnknownKind extends Error {}
/** What has no namespace cannot belong to what has one. It stays as it is: no other look will show another picture. */
export class ImpossibleOwner extends Error {}

// An owner with a thousand dependents is asked for once. A UID that is gone does not come back.
const absentKept = 500;

export class Owners {
  readonly #client: Pick<Client, "get">;
  /** References that were found to lead nowhere, the oldest first. */
  readonly #absent = new Set<string>();

  constructor(client: Pick<Client, "get">) {
    this.#client = client;
  }

  async stateOf(
    reference: OwnerReference,
    dependent: Stored<KubeObject>,
    { kinds }: Served,
    signal: AbortSignal,
  ): Promise<OwnerState> {
    const { apiVersion, kind, name, uid } = reference;
    const type = kinds.find((served) => served.kind === kind && apiVersionOf(served) === apiVersion);
    if (!type) throw new UnknownKind(`there is no kind ${kind} of ${apiVersion}`);
    const { namespace } = dependent.metadata;
    if (type.namespaced && !namespace) throw new ImpossibleOwner(`${kind} ${name} has a namespace`);
    const place = type.namespaced ? (namespace as string) : "";
    const identity = [apiVersion, kind, place, name, uid].join("\0");
    if (this.#absent.has(identity)) return "absent";
    try {
      const owner = await this.#client.get(type, place, name, { signal });
      if (owner.metadata.uid === uid) return isDeletingDependents(owner) ? "waiting" : "solid";
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#absent.add(identity);
    if (this.#absent.size > absentKept) this.#absent.delete(this.#absent.values().next().value as string);
    return "absent";
  }
}
