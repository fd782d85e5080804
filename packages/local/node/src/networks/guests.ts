/** Who is on a namespace's bridge and is no pod: the near ends of tunnels. Known by the ids of their containers. */
import { isInRange, readAddress, readRange } from "@berg/local-engine";
import type { NetworkGuest } from "./state.ts";

export class Guests {
  readonly #guests = new Map<string, NetworkGuest>();

  list(): NetworkGuest[] {
    return [...this.#guests.values()];
  }

  areIn(namespace: string): boolean {
    return this.#guests.values().some((guest) => guest.namespace === namespace);
  }

  /** Whether it is on the network of its namespace, which has this subnet. May be told again. */
  joined(guest: NetworkGuest, subnet: string | undefined): boolean {
    const { id, namespace } = guest;
    const address = readAddress(guest.address);
    const range = readRange(subnet ?? "");
    if (address === undefined)
      throw new Error(
        `the container ${id} cannot be a guest of the namespace ${namespace}: ${JSON.stringify(guest.address)} is no IPv4 address`,
      );
    if (!range || !isInRange(address, range)) return false;
    this.addressTaken(guest.address);
    this.#guests.set(id, guest);
    return true;
  }

  /** Which namespace it was in. */
  left(id: string): string | undefined {
    const namespace = this.#guests.get(id)?.namespace;
    this.#guests.delete(id);
    return namespace;
  }

  /** By somebody else: the engine gives an address to one at a time, so its guest has gone unnoticed. */
  addressTaken(address: string): void {
    this.#forget((guest) => guest.address === address);
  }

  /** With its network, whoever removed that. */
  keepIn(namespaces: ReadonlySet<string>): void {
    this.#forget(({ namespace }) => !namespaces.has(namespace));
  }

  clear(): void {
    this.#guests.clear();
  }

  #forget(isGone: (guest: NetworkGuest) => boolean): void {
    for (const guest of this.#guests.values()) if (isGone(guest)) this.#guests.delete(guest.id);
  }
}
