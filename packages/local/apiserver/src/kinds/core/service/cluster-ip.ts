/** The address that a Service has inside of the cluster. Whoever says nothing keeps what the Service has. */
import { isIPv4 } from "node:net";
import { invalid } from "../../../errors/field-error.ts";
import { internalError } from "../../../errors/refusals.ts";
import type { AnyStoredObject } from "../../../registry/resource.ts";
import { refuse } from "./refuse.ts";
import { needsClusterIP, type Service } from "./shape.ts";

/** `10.96.0.0/16`: the first address and how many there are. */
export interface AddressRange {
  first: number;
  size: number;
}

export function readAddressRange(text: string): AddressRange {
  const [address = "", bits] = text.split("/");
  const length = Number(bits);
  if (!isIPv4(address) || !(length >= 8 && length <= 28))
    throw new Error(`${JSON.stringify(text)} is not a range for Services: use an IPv4 range such as 10.96.0.0/16`);
  return { first: numberOf(address), size: 2 ** (32 - length) };
}

/** Gives the Service an address of the range that no other has, or the one that it asks for. */
export function allocateClusterIP(
  service: Service,
  range: AddressRange,
  others: Iterable<AnyStoredObject>,
  random: () => number,
): void {
  const { spec } = service;
  if (!needsClusterIP(spec) || spec.clusterIPs?.[0] === "None") return;
  const taken = new Set<string>();
  for (const other of others) for (const ip of (other as unknown as Service).spec.clusterIPs ?? []) taken.add(ip);
  const wanted = spec.clusterIPs?.[0];
  const address = wanted ?? freeAddress(range, taken, random);
  if (address === undefined)
    throw internalError(`failed to allocate a serviceIP for Service "${service.metadata.name}": range is full`);
  const problem = wanted === undefined ? undefined : allocationProblem(wanted, range, taken);
  if (problem)
    refuse(service, [invalid("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${address}: ${problem}`)]);
  spec.clusterIP = address;
  spec.clusterIPs = [address];
}

function allocationProblem(address: string, range: AddressRange, taken: Set<string>): string | undefined {
  const offset = numberOf(address) - range.first;
  if (offset < 1 || offset >= range.size - 1) return "the provided network does not match the current range";
  return taken.has(address) ? "provided IP is already allocated" : undefined;
}

/** From the upper part first: the lower one is for those who choose their address themselves. */
function freeAddress(range: AddressRange, taken: Set<string>, random: () => number): string | undefined {
  const last = range.size - 2;
  const reserved = Math.min(Math.max(16, Math.floor(range.size / 16)), 256, last);
  return freeIn(range, reserved + 1, last, taken, random) ?? freeIn(range, 1, reserved, taken, random);
}

function freeIn(range: AddressRange, from: number, to: number, taken: Set<string>, random: () => number) {
  const count = to - from + 1;
  const start = Math.floor(random() * count);
  for (let i = 0; i < count; i++) {
    const address = textOf(range.first + from + ((start + i) % count));
    if (!taken.has(address)) return address;
  }
  return undefined;
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(address / unit) % 256).join(".");
}
