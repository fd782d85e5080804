/** IP addresses and networks as Go's netip reads and prints them. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface Network {
  readonly address: IpAddress;
  readonly length: number;
}

/** Undefined where it is none: zones and IPv4 in IPv6 form are not taken. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const bits = parseIpv4(text);
    return bits === undefined ? undefined : { family: 4, bits };
  }
  const bits = parseIpv6(text);
  return bits === undefined || bits >> 32n === 0xffffn ? undefined : { family: 6, bits };
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groups);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<bigint>(halves.length === 2 ? missing : 0).fill(0n), ...(tail ?? [])];
  return all.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Of 16 bits each; the last one may be written as IPv4. */
function groups(text: string): bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1) as string;
  const ipv4 = last.includes(".") ? parseIpv4(last) : undefined;
  if (last.includes(".") && ipv4 === undefined) return undefined;
  const plain = ipv4 === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const read = plain.map((part) => BigInt(`0x${part}`));
  return ipv4 === undefined ? read : [...read, ipv4 >> 16n, ipv4 & 0xffffn];
}

export function formatIp({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
  const hex = Array.from({ length: 8 }, (_, at) => ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  // The longest run of zeros, the first of equals, is left out; a single zero is not.
  const runs = [...hex.join(":").matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), "");
  if (longest === "") return hex.join(":");
  const text = hex.join(":");
  const at = runs.find(([run]) => run === longest)?.index ?? 0;
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + longest.length).replace(/^:/, "")}`;
}

export function parseNetwork(text: string): Network | undefined {
  const [, address, length] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const parsed = address === undefined ? undefined : parseIp(address);
  if (!parsed || Number(length) > widthOf(parsed)) return undefined;
  return { address: parsed, length: Number(length) };
}

export const widthOf = ({ family }: IpAddress): number => (family === 4 ? 32 : 128);

/** The network's own address. */
export function masked({ address, length }: Network): IpAddress {
  const shift = BigInt(widthOf(address) - length);
  return { family: address.family, bits: (address.bits >> shift) << shift };
}

export function containsIp(network: Network, ip: IpAddress): boolean {
  return (
    network.address.family === ip.family &&
    masked(network).bits === masked({ address: ip, length: network.length }).bits
  );
}

/** Whether it is in a well-known range, such as `127.0.0.0/8`. */
export function isIn(ip: IpAddress, ...networks: string[]): boolean {
  return networks.some((text) => containsIp(parseNetwork(text) as Network, ip));
}
