/** IP addresses and ranges, as strictly as Kubernetes reads them since 1.36. */
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type FieldError, invalid } from "../../errors/field-error.ts";

export type IPFamily = "IPv4" | "IPv6";

interface Range {
  address: string;
  family: IPFamily;
  bits: number;
}

const rangeExample = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

export function rangeErrors(field: string, value: string): FieldError[] {
  const range = readRange(value);
  if (!range) return [invalid(field, value, rangeExample)];
  if (hasLeadingZeros(value, range)) return [invalid(field, value, "must not have leading 0s in IP or prefix length")];
  if (isMapped(range.address)) return [invalid(field, value, "must not have an IPv4-mapped IPv6 address")];
  if (numberOf(range) !== (numberOf(range) & maskOf(range)))
    return [invalid(field, value, "must not have bits set beyond the prefix length")];
  return [];
}

/** Whether `inner` is a part of `outer`, and not all of it. Ranges that cannot be read are nobody's part. */
export function isStrictlyWithin(inner: string, outer: string): boolean {
  const [small, large] = [readRange(inner), readRange(outer)].map((range) => range && unmapped(range));
  if (!small || !large || small.family !== large.family || small.bits <= large.bits) return false;
  return (numberOf(small) & maskOf(large)) === (numberOf(large) & maskOf(large));
}

export function isReadableRange(value: string): boolean {
  return readRange(value) !== undefined;
}

export function familyOf(address: string): IPFamily {
  return address.includes(":") ? "IPv6" : "IPv4";
}

export function isAddress(value: string): boolean {
  return isIPv4(value) || (isIPv6(value) && !value.includes("%"));
}

const nowhere = blocks(["0.0.0.0", 32], ["::", 128]);
const loopback = blocks(["127.0.0.0", 8], ["::1", 128]);
const linkLocal = blocks(["169.254.0.0", 16], ["fe80::", 10]);
const linkLocalMulticast = blocks(["224.0.0.0", 24], ["ff02::", 16]);

/** An address to which traffic may be sent on somebody's behalf. */
export function endpointAddressErrors(field: string, value: string): FieldError[] {
  const address = withoutLeadingZeros(value);
  if (!isAddress(address)) return [invalid(field, value, "must be a valid IP address")];
  const isIn = (list: BlockList) => list.check(address, familyOf(address) === "IPv6" ? "ipv6" : "ipv4");
  if (isIn(nowhere)) return [invalid(field, value, `may not be unspecified (${value})`)];
  if (isIn(loopback)) return [invalid(field, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)")];
  if (isIn(linkLocal)) return [invalid(field, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")];
  if (isIn(linkLocalMulticast))
    return [invalid(field, value, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")];
  return [];
}

/** For those who wrote an IPv6 address in a form that others may not recognise. */
export function addressWarnings(field: string, value: string): string[] {
  const canonical = isIPv6(value) ? canonicalIPv6(value) : value;
  if (canonical === value) return [];
  return [
    `${field}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

export function rangeWarnings(field: string, value: string): string[] {
  const range = readRange(value);
  if (!range || range.family === "IPv4") return [];
  const canonical = `${canonicalIPv6(range.address)}/${range.bits}`;
  if (canonical === value) return [];
  return [
    `${field}: IPv6 CIDR value ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

function canonicalIPv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function readRange(value: string): Range | undefined {
  const slash = value.lastIndexOf("/");
  const address = withoutLeadingZeros(value.slice(0, Math.max(slash, 0)));
  const length = value.slice(slash + 1);
  if (slash < 0 || !isAddress(address) || !/^\d+$/.test(length)) return undefined;
  const range = { address, family: familyOf(address), bits: Number(length) };
  return range.bits <= widthOf(range) ? range : undefined;
}

function hasLeadingZeros(value: string, { address, bits }: Range): boolean {
  return value !== `${address}/${bits}`;
}

function withoutLeadingZeros(address: string): string {
  return address.includes(":") ? address : address.replace(/(^|\.)0+(?=\d)/g, "$1");
}

function isMapped(address: string): boolean {
  return isIPv6(address) && canonicalIPv6(address).startsWith("::ffff:");
}

/** An IPv4 address that was written as an IPv6 one. */
function unmapped(range: Range): Range {
  if (!isMapped(range.address)) return range;
  const [high = 0, low = 0] = canonicalIPv6(range.address)
    .split(":")
    .slice(-2)
    .map((group) => Number.parseInt(group, 16));
  return { ...range, family: "IPv4", address: [high >> 8, high & 255, low >> 8, low & 255].join(".") };
}

function widthOf({ family }: Range): number {
  return family === "IPv4" ? 32 : 128;
}

function maskOf(range: Range): bigint {
  const width = BigInt(widthOf(range));
  return ((1n << BigInt(range.bits)) - 1n) << (width - BigInt(range.bits));
}

function numberOf({ address, family }: Range): bigint {
  if (family === "IPv4") return address.split(".").reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
  const [head = "", tail] = canonicalIPv6(address).split("::");
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array<bigint>(8 - first.length - last.length).fill(0n), ...last];
  return all.reduce((sum, part) => (sum << 16n) + part, 0n);
}

function groups(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}

function blocks(ipv4: [string, number], ipv6: [string, number]): BlockList {
  const list = new BlockList();
  list.addSubnet(...ipv4, "ipv4");
  list.addSubnet(...ipv6, "ipv6");
  return list;
}
