/** Which part of the pool the next management network gets. Pure. */
import { BlockList, isIPv4 } from "node:net";
import { managementPool } from "../../vocabulary.ts";

export interface ManagementSubnet {
  readonly subnet: string;
  /** The host's own address in it. */
  readonly gateway: string;
}

/**
 * Those that overlap nothing in `taken`, in the order in which to try them. It starts at a place that follows from the
 * UID, so that two controllers on one host, which do not know of each other's plans, hardly ever choose the same.
 */
export function* freeSubnets(taken: readonly string[], uid: string): Generator<ManagementSubnet> {
  const { address, bits, subnetBits } = managementPool;
  const used = taken.map(readRange).filter((range) => range !== undefined);
  const first = numberOf(address);
  const size = 2 ** (32 - subnetBits);
  const count = 2 ** (subnetBits - bits);
  const start = Number.parseInt(uid.replaceAll("-", "").slice(0, 8), 16) % count || 0;
  for (let i = 0; i < count; i++) {
    const base = first + ((start + i) % count) * size;
    const own = { address: textOf(base), bits: subnetBits };
    if (used.some((range) => holds(range, own.address) || holds(own, range.address))) continue;
    yield { subnet: `${own.address}/${subnetBits}`, gateway: textOf(base + 1) };
  }
}

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** Undefined for what is no IPv4 range: it takes nothing of the pool. */
function readRange(text: string): Range | undefined {
  const [address = "", bits = ""] = text.split("/");
  return isIPv4(address) && /^\d+$/.test(bits) && Number(bits) <= 32 ? { address, bits: Number(bits) } : undefined;
}

function holds({ address, bits }: Range, other: string): boolean {
  const list = new BlockList();
  list.addSubnet(address, bits);
  return list.check(other);
}

const numberOf = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const textOf = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
