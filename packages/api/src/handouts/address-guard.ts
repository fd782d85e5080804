/**
 * Keeps requests for handouts out of networks that only this process can reach. The address is checked when the
 * connection is made and not before: a name may resolve to another address the second time.
 */
import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { HandoutError } from "./handout-error.ts";

const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ...[
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ],
  // Protocol assignments, metadata of Azure, benchmarks, multicast and reserved.
  ...[
    ["168.63.129.16", 32],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
  ],
  ["224.0.0.0", 3],
] as [string, number][]) {
  privateAddresses.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  // Unspecified and loopback, NAT64, 6to4, private, link-local, multicast.
  ...[
    ["::", 127],
    ["64:ff9b::", 96],
    ["64:ff9b:1::", 48],
    ["2002::", 16],
    ["fc00::", 7],
    ["fe80::", 10],
    ["ff00::", 8],
  ],
] as [string, number][]) {
  privateAddresses.addSubnet(network, prefix, "ipv6");
}

export function isPrivate(address: string): boolean {
  return privateAddresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** `host:port` of a URL, with the default port written out. */
export function authorityOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** For `http.request`. Throws where the host is an address that is not allowed; a name is checked when it is resolved. */
export function guardedLookup(url: URL, allowed: readonly string[]): LookupFunction {
  const authority = authorityOf(url);
  const mayBePrivate = allowed.includes(authority);
  const refuse = () =>
    new HandoutError(`${authority} is at a private address; list it with its port in HANDOUT_REGISTRIES to allow that`);
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) && isPrivate(literal) && !mayBePrivate) throw refuse();
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (!mayBePrivate && addresses.some(({ address }) => isPrivate(address))) return callback(refuse(), []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
