import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { AllowedAddresses } from "./addresses.ts";

/** A name, or the address in a URL, leads where it must not. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";

  constructor() {
    super("its address is one of this machine, of its network's services, or none at all");
    this.name = "AddressRefused";
  }
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * To be asked by the socket itself: it connects to what is answered here and to nothing else. A check ahead of the
 * connection would be of no use, since a name may have another address a moment later.
 */
export function guardedLookup(allowed: AllowedAddresses, resolve: Resolve): LookupFunction {
  return (name, { all, family }, callback) => {
    resolve(name).then(
      (found) => {
        const wanted = family === 4 || family === 6 ? found.filter((address) => address.family === family) : found;
        const [first] = wanted;
        if (!first || wanted.some(({ address }) => !allowed.allows(address))) return callback(new AddressRefused(), []);
        if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

/** For a host that is an address already: sockets ask nobody about those. Throws AddressRefused. */
export function refuseAddress(server: string, allowed: AllowedAddresses): void {
  // The URL parser has turned 0x7f.1, 2130706433 and the like into the address that they stand for.
  const host = new URL(server).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !allowed.allows(host)) throw new AddressRefused();
}
