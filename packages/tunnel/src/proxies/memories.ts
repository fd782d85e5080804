/** The memory of each object, by its UID: a name may belong to another object by now. */
import type { Stored } from "@berg/apimachinery";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import { type Memory, nothingDone, nothingKnown } from "./memory.ts";

export class Memories {
  readonly #entries = new Map<string, { readonly name: string; readonly memory: Memory }>();

  /** Where it is seen for the first time: one that nobody has held, or said anything of, was worked on by nobody. */
  of({ metadata, status }: Stored<ContainerNetworkTunnelProxy>, isHeld: boolean): Memory {
    const known = this.#entries.get(metadata.uid);
    if (known) return known.memory;
    const memory = isHeld || status ? nothingKnown : nothingDone;
    this.#entries.set(metadata.uid, { name: metadata.name, memory });
    return memory;
  }

  get(uid: string): Memory | undefined {
    return this.#entries.get(uid)?.memory;
  }

  nameOf(uid: string): string | undefined {
    return this.#entries.get(uid)?.name;
  }

  /** Of one that was forgotten nothing is kept any more. */
  update(uid: string, change: Partial<Memory>): void {
    const known = this.#entries.get(uid);
    if (known) this.#entries.set(uid, { ...known, memory: { ...known.memory, ...change } });
  }

  /** One of the proxies has. The first reason counts; of a start that has come to nothing, it is none any more. */
  ended(uid: string, why: string): void {
    const { failure, pair, work } = this.get(uid) ?? {};
    if (failure === undefined && (pair || work)) this.update(uid, { failure: why });
  }

  forget(uid: string): void {
    this.#entries.delete(uid);
  }

  /** The UIDs of those that have, or had, this name. */
  named(name: string): string[] {
    return [...this.#entries].filter(([, entry]) => entry.name === name).map(([uid]) => uid);
  }

  all(): { uid: string; memory: Memory }[] {
    return [...this.#entries].map(([uid, { memory }]) => ({ uid, memory }));
  }
}
