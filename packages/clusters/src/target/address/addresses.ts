/**
 * Where a kubeconfig that somebody else wrote must not lead: this machine, its neighbours on the wire, and the services
 * of clouds that give credentials to whoever asks from here.
 */
import { BlockList, isIP } from "node:net";

const refusedSubnets = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Metadata of Alibaba Cloud, and the agent of Azure.
  "100.100.100.200/32",
  "168.63.129.16/32",
  // Unspecified, loopback, and IPv4 in the old notation.
  "::/96",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
  // Metadata of AWS.
  "fd00:ec2::254/128",
  // Tunnels that carry any IPv4 address: 6to4, Teredo, local NAT64.
  "2002::/16",
  "2001::/32",
  "64:ff9b:1::/48",
];

/** IPv4 in an IPv6 address that this machine, or a gateway on the way, turns back into IPv4. */
const carriers = blockListOf(["::ffff:0:0/96", "64:ff9b::/96"]);

/** `10.0.0.0/8`, `::1/128`; a single address is a subnet of its own. Undefined where it is none. */
export function parseSubnet(text: string): { address: string; bits: number } | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const count = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  return family === 0 || more.length > 0 || !(count <= most) ? undefined : { address, bits: count };
}

/** Says of an address, as a socket has it, whether it may be connected to. */
export class AllowedAddresses {
  readonly #refused = blockListOf(refusedSubnets);
  readonly #allowed: BlockList;

  /** `exceptions`: subnets that are allowed all the same. */
  constructor(exceptions: readonly string[]) {
    this.#allowed = blockListOf(exceptions);
  }

  allows(address: string): boolean {
    // A zone (fe80::1%eth0) says which wire; none of them is wanted.
    const plain = ipv4Inside(address.split("%")[0] as string);
    if (isIP(plain) === 0) return false;
    return has(this.#allowed, plain) || !has(this.#refused, plain);
  }
}

function ipv4Inside(address: string): string {
  if (isIP(address) !== 6 || !has(carriers, address)) return address;
  // As the URL standard writes it: ::ffff:7f00:1, whatever the notation was.
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [high = "0", low = "0"] = host.split(":").slice(-2);
  const number = Number.parseInt(high || "0", 16) * 65_536 + Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

function blockListOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const parsed = parseSubnet(subnet);
    if (!parsed) throw new RangeError(`${subnet} is not a subnet such as 10.0.0.0/8`);
    list.addSubnet(parsed.address, parsed.bits, isIP(parsed.address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
