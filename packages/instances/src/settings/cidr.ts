import { isIPv4, isIPv6 } from "node:net";
import { quoted } from "@berg/apimachinery";

/**
 * A range of addresses in the one form that Kubernetes and Cilium take and return.
 *
 *     canonicalCidr("FC00:0::/7") // "fc00::/7"
 */
export function canonicalCidr(text: string): string {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const isFour = isIPv4(address);
  if (!isFour && !(isIPv6(address) && !address.includes("%")))
    throw new Error(`${quoted(text)} is not a range of addresses such as 10.0.0.0/8 or fc00::/7`);

  const size = isFour ? 32 : 128;
  const kept = Number(length);
  if (kept > size) throw new Error(`${quoted(text)} keeps ${kept} bits of an address that has ${size}`);
  if (kept === 0)
    throw new Error(
      `${quoted(text)} is every address there is; leave allowOutboundTraffic of the Challenges off instead`,
    );

  const bits = isFour ? bitsOfFour(address) : bitsOfSix(address);
  const free = BigInt(size - kept);
  const first = (bits >> free) << free;
  const canonical = `${isFour ? textOfFour(first) : textOfSix(first)}/${kept}`;
  if (first !== bits) throw new Error(`${quoted(text)} is an address in a range; write the range, ${canonical}`);
  // Kubernetes and Cilium disagree on whether such a range is one of IPv4.
  if (!isFour && bits >> 32n === 0xffffn)
    throw new Error(`${quoted(text)} is a range of IPv4 written as IPv6; write it as IPv4`);
  return canonical;
}

function bitsOfFour(address: string): bigint {
  return address.split(".").reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

function textOfFour(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}

function bitsOfSix(address: string): bigint {
  const [head = "", tail] = shortSix(address).split("::");
  const groups = (half: string | undefined) => (half ? half.split(":") : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const zeros = tail === undefined ? [] : Array.from({ length: missing }, () => "0");
  const all = [...groups(head), ...zeros, ...groups(tail)];
  return all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function textOfSix(bits: bigint): string {
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((bits >> shift) & 0xffffn).toString(16));
  return shortSix(groups.join(":"));
}

/** As RFC 5952 wants it, which is what a URL makes of an address. */
function shortSix(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
