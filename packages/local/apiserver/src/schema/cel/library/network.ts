/** IP addresses and networks (CIDR). */
import { global, member, type Overload } from "../functions.ts";
import { CelError, Opaque } from "../values.ts";
import {
  containsIp,
  formatIp,
  type IpAddress,
  isIn,
  masked,
  type Network,
  parseIp,
  parseNetwork,
} from "./ip-address.ts";

class Ip extends Opaque {
  readonly typeName = "net.IP";
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    super();
    this.address = address;
  }
  equals(other: Ip): boolean {
    return formatIp(this.address) === formatIp(other.address);
  }
}

class Cidr extends Opaque {
  readonly typeName = "net.CIDR";
  readonly network: Network;
  constructor(network: Network) {
    super();
    this.network = network;
  }
  equals(other: Cidr): boolean {
    return format(this.network) === format(other.network);
  }
}

const format = ({ address, length }: Network): string => `${formatIp(address)}/${length}`;

const unspecified = (ip: IpAddress): boolean => ip.bits === 0n;
const loopback = (ip: IpAddress): boolean => isIn(ip, "127.0.0.0/8", "::1/128");
const multicast = (ip: IpAddress): boolean => isIn(ip, "224.0.0.0/4", "ff00::/8");
const linkLocal = (ip: IpAddress): boolean => isIn(ip, "169.254.0.0/16", "fe80::/10");
const broadcast = (ip: IpAddress): boolean => isIn(ip, "255.255.255.255/32");

export const network: Overload[] = [
  global("isIP(string): bool", (text: string) => parseIp(text) !== undefined),
  global("ip(string): net.IP", readIp),
  global("ip.isCanonical(string): bool", (text: string) => formatIp(readIp(text).address) === text),
  global("string(net.IP): string", ({ address }: Ip) => formatIp(address)),
  member("net.IP.family(): int", ({ address }: Ip) => BigInt(address.family)),
  member("net.IP.isUnspecified(): bool", ({ address }: Ip) => unspecified(address)),
  member("net.IP.isLoopback(): bool", ({ address }: Ip) => loopback(address)),
  member("net.IP.isLinkLocalMulticast(): bool", ({ address }: Ip) => isIn(address, "224.0.0.0/24", "ff02::/16")),
  member("net.IP.isLinkLocalUnicast(): bool", ({ address }: Ip) => linkLocal(address)),
  member(
    "net.IP.isGlobalUnicast(): bool",
    ({ address }: Ip) => ![unspecified, loopback, multicast, linkLocal, broadcast].some((is) => is(address)),
  ),
  global("isCIDR(string): bool", (text: string) => parseNetwork(text) !== undefined),
  global("cidr(string): net.CIDR", readCidr),
  global("string(net.CIDR): string", (cidr: Cidr) => format(cidr.network)),
  member("net.CIDR.containsIP(net.IP): bool", containsAddress),
  member("net.CIDR.containsIP(string): bool", (cidr: Cidr, text: string) => containsAddress(cidr, readIp(text))),
  member("net.CIDR.containsCIDR(net.CIDR): bool", containsCidr),
  member("net.CIDR.containsCIDR(string): bool", (cidr: Cidr, text: string) => containsCidr(cidr, readCidr(text))),
  member("net.CIDR.ip(): net.IP", (cidr: Cidr) => new Ip(cidr.network.address)),
  member("net.CIDR.prefixLength(): int", (cidr: Cidr) => BigInt(cidr.network.length)),
  member(
    "net.CIDR.masked(): net.CIDR",
    ({ network }: Cidr) => new Cidr({ address: masked(network), length: network.length }),
  ),
];

function containsAddress({ network }: Cidr, { address }: Ip): boolean {
  return containsIp(network, address);
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.network.length <= inner.network.length && containsIp(outer.network, inner.network.address);
}

function readIp(text: string): Ip {
  const address = parseIp(text);
  if (address) return new Ip(address);
  const shown = JSON.stringify(text);
  throw new CelError(
    `IP Address ${shown} parse error during conversion from string: ParseAddr(${shown}): unable to parse IP`,
  );
}

function readCidr(text: string): Cidr {
  const network = parseNetwork(text);
  if (network) return new Cidr(network);
  const again = "network address parse error during conversion from string: ";
  throw new CelError(`${again}${again}netip.ParsePrefix(${JSON.stringify(text)}): no '/'`);
}
